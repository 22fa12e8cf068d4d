// Who may hold a connection when there are more than the service can bear. A connection that has shown a valid key stays
// as long as it is used; one that has shown nothing gives way to a newer one. So strangers, however many and however
// slow, wait only for each other, and whoever speaks at once is served. One key cannot have all of them at work, or a slow
// reader with the least of keys would keep the others out (ADR 0026).
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { sourceOf } from './failure-limiter.ts';
import { busy } from './refusals.ts';

// How many connections the API may hold: each costs a descriptor, and the database, the map file and the master socket
// need theirs whatever strangers open.

/** About 60 MB of idle connections. More clients than this at once are no clients of one proxy's manager. */
const MOST_CONNECTIONS = 2048;
/** Where descriptors are very short the API still answers one operator. */
const LEAST_CONNECTIONS = 16;
/** Kept for everything else: some 40 are open at rest, a reload, a sync and a rewrite add some dozens. */
const KEPT_DESCRIPTORS = 128;

/** @param limits the text of /proc/self/limits; empty where there is none */
export function connectionLimit(limits: string): number {
  const files = openFilesOf(limits);
  return Math.min(MOST_CONNECTIONS, Math.max(LEAST_CONNECTIONS, Math.floor((files - KEPT_DESCRIPTORS) / 2)));
}

export function readProcessLimits(path = '/proc/self/limits'): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    // A system without /proc has its own defaults; ours bounds the memory all the same.
    if (['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

/** The soft limit stands first: `Max open files            1024                 20000                files`. */
function openFilesOf(limits: string): number {
  const soft = /^Max open files\s+(\d{1,15}|unlimited)\s/m.exec(limits)?.[1];
  return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}

/** Of all connections, how many one key may have at work. */
const SHARE_OF_ONE_KEY = 3 / 4;

/** What is told that there is no room is there for a moment too, and a flood would be told by the thousand. */
const MOST_TURNED_AWAY = 64;

interface Connection {
  readonly socket: Socket;
  readonly source: string;
  proved: boolean;
  /** Requests under way. */
  busy: number;
  /** The key whose work it does, and in whose count it is. */
  worksFor: string | null;
}

export class Connections {
  readonly #limit: number;
  readonly #refuse: (socket: Socket) => void;
  readonly #known = new Map<Socket, Connection>();
  /** Those without a valid key so far, by the address or /64 they come from, the oldest first. */
  readonly #strangers = new Map<string, Set<Connection>>();
  /** Connections at work, by the key they work for. */
  readonly #working = new Map<string, number>();
  readonly #refused = new WeakSet<Socket>();
  /** Of those refused, which are not closed yet, the oldest first. */
  readonly #turnedAway = new Set<Socket>();

  /** @param refuse answers 503 and closes; for a connection that finds no room */
  constructor(limit: number, refuse: (socket: Socket) => void) {
    this.#limit = limit;
    this.#refuse = refuse;
  }

  get count(): number {
    return this.#known.size;
  }

  admit(socket: Socket): void {
    // Over a unix socket there is no address; its users share one count.
    const source = sourceOf(socket.remoteAddress ?? 'unix');
    const connection: Connection = { socket, source, proved: false, busy: 0, worksFor: null };
    if (this.#known.size >= this.#limit && !this.#makeRoom()) {
      this.#turnAway(socket);
      return;
    }
    this.#known.set(socket, connection);
    this.#strangersOf(connection.source).add(connection);
    socket.once('close', () => this.#forget(connection));
  }

  /** A valid key, of that name, came over it. Errors: 503 while too many other connections work for that key. */
  prove(socket: Socket, key: string): void {
    const connection = this.#known.get(socket);
    if (connection === undefined) return;
    if (connection.worksFor !== key) {
      const others = this.#working.get(key) ?? 0;
      if (others >= Math.ceil(this.#limit * SHARE_OF_ONE_KEY))
        throw busy(`${others} connections work for the key ${key} already; try again shortly`);
      this.#endWork(connection);
      connection.worksFor = key;
      this.#working.set(key, others + 1);
    }
    if (connection.proved) return;
    connection.proved = true;
    this.#dropStranger(connection);
  }

  /** Whether it was told that there is no room: what it asks all the same must not be done. */
  wasRefused(socket: Socket): boolean {
    return this.#refused.has(socket);
  }

  /** Requests of this connection that are not answered yet. */
  underWay(socket: Socket): number {
    return this.#known.get(socket)?.busy ?? 0;
  }

  /** A request begins; the returned function is to be called once, when it is answered or given up. */
  begin(socket: Socket): () => void {
    const connection = this.#known.get(socket);
    if (connection === undefined) return () => undefined;
    connection.busy += 1;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      connection.busy -= 1;
      if (connection.busy > 0) return;
      this.#endWork(connection);
      if (!connection.proved || !this.#known.has(socket)) return;
      // The order of the map is the order of last use, for `#makeRoom`.
      this.#known.delete(socket);
      this.#known.set(socket, connection);
    };
  }

  #turnAway(socket: Socket): void {
    // The oldest has had the longest time to read its answer.
    const [oldest] = this.#turnedAway;
    if (oldest !== undefined && this.#turnedAway.size >= MOST_TURNED_AWAY) {
      this.#turnedAway.delete(oldest);
      oldest.destroy();
    }
    this.#turnedAway.add(socket);
    socket.once('close', () => this.#turnedAway.delete(socket));
    this.#refused.add(socket);
    this.#refuse(socket);
  }

  #makeRoom(): boolean {
    const victim = this.#oldestStranger() ?? this.#longestIdle();
    if (victim === undefined) return false;
    this.#forget(victim);
    victim.socket.destroy();
    return true;
  }

  /** Of the address (IPv6: the /64) that has the most: whoever opens thousands pays for it, and not its neighbour. */
  #oldestStranger(): Connection | undefined {
    let most: Set<Connection> | undefined;
    for (const strangers of this.#strangers.values()) {
      if (most === undefined || strangers.size > most.size) most = strangers;
    }
    return most?.values().next().value;
  }

  /** Between two requests a client expects its connection to be closed at any time (RFC 9112, 9.5). */
  #longestIdle(): Connection | undefined {
    for (const connection of this.#known.values()) if (connection.proved && connection.busy === 0) return connection;
    return undefined;
  }

  #strangersOf(source: string): Set<Connection> {
    const known = this.#strangers.get(source);
    if (known !== undefined) return known;
    const strangers = new Set<Connection>();
    this.#strangers.set(source, strangers);
    return strangers;
  }

  #dropStranger(connection: Connection): void {
    const strangers = this.#strangers.get(connection.source);
    strangers?.delete(connection);
    if (strangers?.size === 0) this.#strangers.delete(connection.source);
  }

  #endWork(connection: Connection): void {
    const { worksFor: key } = connection;
    if (key === null) return;
    connection.worksFor = null;
    const left = (this.#working.get(key) ?? 1) - 1;
    if (left === 0) this.#working.delete(key);
    else this.#working.set(key, left);
  }

  #forget(connection: Connection): void {
    this.#known.delete(connection.socket);
    this.#endWork(connection);
    this.#dropStranger(connection);
  }
}
