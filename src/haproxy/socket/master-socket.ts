import { createConnection, type Socket } from 'node:net';
import { withTimeout } from '../../concurrency/pause.ts';
import { type CommandObserver, unobserved } from './command-observer.ts';
import { Conversation, type ConversationEnd } from './conversation.ts';
import type { Command } from './conversation-command.ts';
import { type Deadline, MasterSocketError, millisecondsUntil, socketFailureReason } from './master-socket-error.ts';
import { SilentTargets } from './silent-targets.ts';
import { type Purpose, SlotPool } from './slot-pool.ts';
import { socketFile, socketSafety } from './socket-safety.ts';
import { Unanswered } from './unanswered.ts';

export { type Deadline, MasterSocketError, type SocketFailureReason } from './master-socket-error.ts';

interface MasterSocketOptions {
  /** One of them reserved for reloads. Default 4, of the ten that the master accepts. */
  readonly maxConnections?: number;
  /** Not called for liveness probes. */
  readonly observer?: CommandObserver;
}

export interface ConverseOptions {
  /** May take the slot reserved for `reload`. */
  readonly reserved?: boolean;
  /** A change of the running maps: precedes commands that only read. */
  readonly change?: boolean;
  /** All changes wait for it, so a long reply is read as fast as it comes. A change always is. */
  readonly inTurn?: boolean;
  /**
   * On behalf of a client that reads: behind everything else, so that any number of clients delays neither blocks nor
   * comparisons nor the detection that the socket recovered.
   */
  readonly reader?: boolean;
}

export class MasterSocket {
  readonly path: string;
  readonly #slots: SlotPool;
  readonly #observer: CommandObserver;
  readonly #unanswered = new Map<string | null, Unanswered>();
  readonly #open = new Set<Conversation>();
  #silent = { changes: new SilentTargets(), reads: new SilentTargets() };
  #closed = false;
  /** The socket's file when a conversation last began. */
  #file: string | null = null;

  constructor(path: string, options: MasterSocketOptions = {}) {
    this.path = path;
    this.#slots = new SlotPool(options.maxConnections ?? 4);
    this.#observer = options.observer ?? unobserved;
  }

  /** Slots in use, those of abandoned commands included. */
  get connections(): number {
    return this.#slots.taken;
  }

  /**
   * Waiting for a slot counts against the deadline. Once it passes, everything fails with 'deadline', at most 0.2 s
   * later if this process was blocked. Rejects with MasterSocketError. End it by `finish` or `close`.
   */
  async converse(deadline: Deadline, options: ConverseOptions = {}): Promise<Conversation> {
    const { path } = this;
    this.#forgetReplaced();
    const slot = await this.#slots.take(deadline, purposeOf(options));
    if (slot === null || performance.now() >= deadline) {
      slot?.release();
      const detail = 'no connection became free before the deadline; nothing was sent';
      throw new MasterSocketError('deadline', { path, command: '', detail });
    }
    try {
      const socket = await this.#connect();
      const onEnd: ConversationEnd = (unanswered) => {
        this.#open.delete(conversation);
        if (unanswered === null || this.#closed) slot.release();
        else this.#unansweredOf(unanswered.target).add(slot, unanswered.line);
      };
      const isUnanswered = (target: string | null) => this.#unanswered.has(target);
      const observer = this.#observer;
      // A read never delays a change.
      const silent = options.change === true ? this.#silent.changes : this.#silent.reads;
      const sliced = options.change !== true && options.inTurn !== true;
      const deps = { socket, path, deadline, onEnd, isUnanswered, silent, observer, sliced };
      const conversation: Conversation = new Conversation(deps);
      this.#open.add(conversation);
      if (this.#closed) conversation.close();
      return conversation;
    } catch (error) {
      slot.release();
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

  /** Resolves when `target` (`@!<pid>`) and the master have no unanswered command left, or at the deadline. */
  async settled(target: string, deadline: Deadline): Promise<void> {
    const pending = [null, target].flatMap((each) => this.#unanswered.get(each)?.end ?? []);
    if (pending.length === 0) return;
    await withTimeout(Promise.all(pending), millisecondsUntil(deadline));
  }

  /** Abandons everything that still waits; later commands fail with 'reset'. */
  close(): void {
    this.#closed = true;
    for (const conversation of [...this.#open]) conversation.close();
    for (const unanswered of [...this.#unanswered.values()]) unanswered.close();
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
   * After the socket was recreated at its path (SIGUSR2, or another process). The old file's inode is not reused while
   * the holder of the old connections lives.
   */
  #forgetReplaced(): void {
    const file = socketFile(this.path);
    if (file === null || file === this.#file) return;
    this.#file = file;
    this.#silent = { changes: new SilentTargets(), reads: new SilentTargets() };
    for (const unanswered of [...this.#unanswered.values()]) unanswered.masterReplaced();
  }

  #unansweredOf(target: string | null): Unanswered {
    const existing = this.#unanswered.get(target);
    if (existing !== undefined) return existing;
    const onSettled = () => void this.#unanswered.delete(target);
    const unanswered = new Unanswered({ path: this.path, target, onSettled });
    this.#unanswered.set(target, unanswered);
    return unanswered;
  }
}

function purposeOf({ reserved, change, reader }: ConverseOptions): Purpose {
  if (reserved === true) return 'reload';
  if (change === true) return 'change';
  return reader === true ? 'reader' : 'own';
}
