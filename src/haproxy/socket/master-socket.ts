// The master's command socket: connections, places and deadlines. Knows no map command.

import { createConnection, type Socket } from 'node:net';
import { withTimeout } from '../../concurrency/pause.ts';
import { type CommandObserver, unobserved } from './command-observer.ts';
import { Conversation, type ConversationEnd } from './conversation.ts';
import type { Command } from './conversation-command.ts';
import { type Deadline, MasterSocketError, millisecondsUntil, socketFailureReason } from './master-socket-error.ts';
import { type Place, Places, type Purpose } from './master-socket-places.ts';
import { socketFile, socketSafety } from './socket-safety.ts';

export { type Deadline, MasterSocketError, type SocketFailureReason } from './master-socket-error.ts';

export interface MasterSocketOptions {
  /** Connections at a time, one of them kept for reserved use. Default 4, of the ten that the master takes. */
  readonly maxConnections?: number;
  /** Hears of every command; feelers, whose answers nobody reads, left out. */
  readonly observer?: CommandObserver;
}

export interface ConverseOptions {
  /** May take the place that is kept for `reload`. */
  readonly reserved?: boolean;
  /** A change of the running maps: goes before what only looks. */
  readonly change?: boolean;
  /**
   * For somebody who asks about an address: goes behind all the rest. As many as there are clients must not keep a block
   * from being enforced, a new worker from being compared, or a socket that is down from being seen to be up again.
   */
  readonly reader?: boolean;
}

/** Asks a target that left a command unanswered one harmless question, and waits for as long as it takes. */
interface Feeler {
  readonly socket: Socket;
  /** Places of conversations that we gave up, but whose slots the master still holds. */
  readonly owed: Place[];
  readonly settled: () => void;
  /** Resolves with `settled`. */
  readonly end: Promise<void>;
}

export class MasterSocket {
  readonly path: string;
  readonly #places: Places;
  readonly #observer: CommandObserver;
  readonly #feelers = new Map<string | null, Feeler>();
  readonly #open = new Set<Conversation>();
  #closed = false;
  /** The file that the feelers' connections were made through. */
  #file: string | null = null;

  constructor(path: string, options: MasterSocketOptions = {}) {
    this.path = path;
    this.#places = new Places(options.maxConnections ?? 4);
    this.#observer = options.observer ?? unobserved;
  }

  /** Places taken now, those of given-up commands included. */
  get connections(): number {
    return this.#places.taken;
  }

  /**
   * A connection for staged commands; waiting for a place counts against the deadline. Everything on it fails with
   * 'deadline' once the deadline passes; where this process stood still itself, at most 0.2 s later. Rejects with MasterSocketError. Must be ended by `finish` or `close`.
   */
  async converse(deadline: Deadline, options: ConverseOptions = {}): Promise<Conversation> {
    this.#forgetReplaced();
    const place = await this.#places.take(deadline, purposeOf(options));
    if (place === null || performance.now() >= deadline) {
      place?.release();
      throw new MasterSocketError('deadline', {
        path: this.path,
        command: '',
        detail: 'no connection was to be had before the deadline; nothing was sent',
      });
    }
    try {
      const socket = await this.#connect();
      const ended: ConversationEnd = (unanswered) => {
        this.#open.delete(conversation);
        if (unanswered === null || this.#closed) place.release();
        else this.#owe(unanswered.target, place);
      };
      const hung = (target: string | null) => this.#feelers.has(target);
      const conversation: Conversation = new Conversation(socket, this.path, deadline, ended, hung, this.#observer);
      this.#open.add(conversation);
      if (this.#closed) conversation.close();
      return conversation;
    } catch (error) {
      place.release();
      throw error;
    }
  }

  /** One command, one reply: everything up to the end of the connection. A reply of zero bytes is 'no-reply'. */
  async ask(command: Command, deadline: Deadline, options: ConverseOptions = {}): Promise<string> {
    const conversation = await this.converse(deadline, options);
    try {
      return await conversation.readToEnd(command);
    } finally {
      conversation.close();
    }
  }

  /** Resolves when `target` (`@!<pid>`) and the master owe no answer to a command that was given up, or at the deadline. */
  async settled(target: string, deadline: Deadline): Promise<void> {
    const owed = [null, target].flatMap((asked) => this.#feelers.get(asked)?.end ?? []);
    if (owed.length === 0) return;
    await withTimeout(Promise.all(owed), millisecondsUntil(deadline));
  }

  /** Lets go of everything that still waits for an answer, for good: whatever is asked from now on fails with 'reset'. */
  close(): void {
    this.#closed = true;
    for (const conversation of [...this.#open]) conversation.close();
    for (const feeler of this.#feelers.values()) feeler.socket.destroy();
  }

  #connect(): Promise<Socket> {
    const safety = socketSafety(this.path);
    if (!safety.safe) {
      const reason = safety.missing ? 'missing' : 'unsafe';
      this.#observer.failed('connect', reason);
      return Promise.reject(new MasterSocketError(reason, { path: this.path, command: '', detail: safety.why }));
    }
    return new Promise((resolve, reject) => {
      const socket = createConnection({ path: this.path, allowHalfOpen: true });
      const refuse = (cause: NodeJS.ErrnoException): void => {
        const reason = socketFailureReason(cause, false);
        this.#observer.failed('connect', reason);
        reject(new MasterSocketError(reason, { path: this.path, command: '', cause }));
      };
      socket.once('error', refuse);
      socket.once('connect', () => {
        socket.off('error', refuse);
        resolve(socket);
      });
    });
  }

  /**
   * The socket was made anew at its path (SIGUSR2), or somebody put another there: whoever holds our old connections
   * is not the one that listens now, and what he owes us holds no place of the new one. His file lives as long as he
   * does, so its number is not used again before he is gone.
   */
  #forgetReplaced(): void {
    const file = socketFile(this.path);
    if (file === null || file === this.#file) return;
    this.#file = file;
    for (const feeler of [...this.#feelers.values()]) feeler.settled();
  }

  /**
   * A command that we gave up holds its slot in the master while its worker does not answer, and the master notices
   * our going only then (2.6.12, 3.0.11). So its place stays taken until the same target answers something else, or
   * the master closes our question (it re-executed, or is gone). Our connection itself was destroyed: the master then
   * drops the commands behind the unanswered one, so at most that one still takes effect (measured on both).
   * Until then nothing more is sent to that target: it would hold one place after the other.
   */
  #owe(target: string | null, place: Place): void {
    const asked = this.#feelers.get(target);
    if (asked !== undefined) {
      asked.owed.push(place);
      return;
    }
    const socket = createConnection({ path: this.path });
    socket.unref();
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const settled = (): void => {
      if (this.#feelers.get(target) !== feeler) return;
      this.#feelers.delete(target);
      socket.destroy();
      for (const owed of feeler.owed) owed.release();
      resolve();
    };
    const feeler: Feeler = { socket, owed: [place], settled, end };
    this.#feelers.set(target, feeler);
    socket.on('data', settled);
    // Refused, reset, closed: whoever held the slots is no longer there.
    socket.on('error', settled);
    socket.on('close', settled);
    // `show map` without a name lists the maps: 0.2 ms at any size, and every version has it.
    socket.write(target === null ? 'show proc\n' : `${target} show map\n`);
  }
}

function purposeOf({ reserved, change, reader }: ConverseOptions): Purpose {
  if (reserved === true) return 'reload';
  if (change === true) return 'change';
  return reader === true ? 'reader' : 'own';
}
