// At the limit a new connection evicts the oldest anonymous one, then the longest idle one (ADR 0026). Each key has a
// share, or slow readers with one key would lock out the others.
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { sourceOf } from './failure-limiter.ts';
import { busy } from './rejections.ts';

/** About 60 MB if all are idle. */
const MAX_CONNECTIONS = 2048;
/** So that an operator gets in when file descriptors are short. */
const MIN_CONNECTIONS = 16;
/** About 40 are open at rest; a reload, a sync and a rewrite add some dozens. */
const KEPT_DESCRIPTORS = 128;

/** @param limits the text of /proc/self/limits; empty if there is none */
export function connectionLimit(limits: string): number {
  const files = openFilesOf(limits);
  return Math.min(MAX_CONNECTIONS, Math.max(MIN_CONNECTIONS, Math.floor((files - KEPT_DESCRIPTORS) / 2)));
}

export function readProcessLimits(path = '/proc/self/limits'): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    // Without /proc the limit of connections still bounds the memory.
    if (['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

/** The soft limit comes first: `Max open files            1024                 20000                files`. */
function openFilesOf(limits: string): number {
  const soft = /^Max open files\s+(\d{1,15}|unlimited)\s/m.exec(limits)?.[1];
  return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}

const SHARE_PER_KEY = 3 / 4;

/** They stay open until they have read their response. */
const MAX_REFUSED_OPEN = 64;

interface Connection {
  socket: Socket;
  readonly source: string;
  authenticated: boolean;
  busy: number;
  worksFor: string | null;
}

export class Connections {
  readonly #limit: number;
  readonly #refuse: (socket: Socket) => void;
  readonly #known = new Map<Socket, Connection>();
  /** By address or IPv6 /64, the oldest first. */
  readonly #anonymous = new Map<string, Set<Connection>>();
  /** Number of connections with requests in progress, by key. */
  readonly #working = new Map<string, number>();
  readonly #refused = new WeakSet<Socket>();
  readonly #refusedOpen = new Set<Socket>();

  /** @param refuse answers 503 and closes */
  constructor(limit: number, refuse: (socket: Socket) => void) {
    this.#limit = limit;
    this.#refuse = refuse;
  }

  get count(): number {
    return this.#known.size;
  }

  admit(socket: Socket): void {
    const source = sourceOf(socket.remoteAddress ?? 'unix');
    const connection: Connection = { socket, source, authenticated: false, busy: 0, worksFor: null };
    if (this.#known.size >= this.#limit && !this.#makeRoom()) {
      this.#refuseSocket(socket);
      return;
    }
    this.#known.set(socket, connection);
    this.#anonymousOf(connection.source).add(connection);
    socket.once('close', () => this.#forget(connection));
  }

  /** After its TLS handshake a connection has another socket. */
  secured(before: Socket, socket: Socket): void {
    const connection = this.#known.get(before);
    if (connection === undefined) return;
    this.#known.delete(before);
    connection.socket = socket;
    this.#known.set(socket, connection);
    socket.once('close', () => this.#forget(connection));
  }

  /** Errors: 503 while this key uses too many other connections. */
  authenticated(socket: Socket, key: string): void {
    const connection = this.#known.get(socket);
    if (connection === undefined) return;
    if (connection.worksFor !== key) {
      const others = this.#working.get(key) ?? 0;
      if (others >= Math.ceil(this.#limit * SHARE_PER_KEY))
        throw busy(`the key ${key} already uses ${others} connections; retry shortly`);
      this.#endWork(connection);
      connection.worksFor = key;
      this.#working.set(key, others + 1);
    }
    if (connection.authenticated) return;
    connection.authenticated = true;
    this.#dropAnonymous(connection);
  }

  /** Already answered with 503: its requests must not be executed. */
  wasRefused(socket: Socket): boolean {
    return this.#refused.has(socket);
  }

  /** Requests without a response. */
  inProgress(socket: Socket): number {
    return this.#known.get(socket)?.busy ?? 0;
  }

  /** Call the returned function when the request ends. */
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
      if (!connection.authenticated || !this.#known.has(socket)) return;
      // Orders the map by last use, for `#makeRoom`.
      this.#known.delete(socket);
      this.#known.set(socket, connection);
    };
  }

  #refuseSocket(socket: Socket): void {
    // The oldest had the most time to read its response.
    const [oldest] = this.#refusedOpen;
    if (oldest !== undefined && this.#refusedOpen.size >= MAX_REFUSED_OPEN) {
      this.#refusedOpen.delete(oldest);
      oldest.destroy();
    }
    this.#refusedOpen.add(socket);
    socket.once('close', () => this.#refusedOpen.delete(socket));
    this.#refused.add(socket);
    this.#refuse(socket);
  }

  #makeRoom(): boolean {
    const victim = this.#oldestAnonymous() ?? this.#longestIdle();
    if (victim === undefined) return false;
    this.#forget(victim);
    victim.socket.destroy();
    return true;
  }

  /** Of the address or /64 with the most connections, so that a flood evicts its own. */
  #oldestAnonymous(): Connection | undefined {
    let most: Set<Connection> | undefined;
    for (const connections of this.#anonymous.values()) {
      if (most === undefined || connections.size > most.size) most = connections;
    }
    return most?.values().next().value;
  }

  /** A server may close a connection between two requests (RFC 9112, 9.5). */
  #longestIdle(): Connection | undefined {
    for (const connection of this.#known.values())
      if (connection.authenticated && connection.busy === 0) return connection;
    return undefined;
  }

  #anonymousOf(source: string): Set<Connection> {
    const known = this.#anonymous.get(source);
    if (known !== undefined) return known;
    const connections = new Set<Connection>();
    this.#anonymous.set(source, connections);
    return connections;
  }

  #dropAnonymous(connection: Connection): void {
    const connections = this.#anonymous.get(connection.source);
    connections?.delete(connection);
    if (connections?.size === 0) this.#anonymous.delete(connection.source);
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
    this.#dropAnonymous(connection);
  }
}
