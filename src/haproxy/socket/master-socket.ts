import { createConnection, type Socket } from 'node:net';
import { withTimeout } from '../../concurrency/pause.ts';
import { type CommandObserver, unobserved } from './command-observer.ts';
import { Conversation, type ConversationEnd } from './conversation.ts';
import type { Command } from './conversation-command.ts';
import { type Deadline, MasterSocketError, millisecondsUntil, socketFailureReason } from './master-socket-error.ts';
import { SilentTargets } from './silent-targets.ts';
import { type Purpose, type Slot, SlotPool } from './slot-pool.ts';
import { socketFile, socketSafety } from './socket-safety.ts';

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
  /**
   * On behalf of a client that reads: behind everything else, so that any number of clients delays neither blocks nor
   * comparisons nor the detection that the socket recovered.
   */
  readonly reader?: boolean;
}

/** One harmless command to a target that left a command unanswered; waits for the reply without a deadline. */
interface LivenessProbe {
  readonly socket: Socket;
  /** Slots of abandoned conversations that the master still holds. */
  readonly held: Slot[];
  readonly settle: () => void;
  readonly end: Promise<void>;
}

export class MasterSocket {
  readonly path: string;
  readonly #slots: SlotPool;
  readonly #observer: CommandObserver;
  readonly #probes = new Map<string | null, LivenessProbe>();
  readonly #open = new Set<Conversation>();
  #silent = { changes: new SilentTargets(), reads: new SilentTargets() };
  #closed = false;
  /** The socket's file when the probes were connected. */
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
        else this.#holdSlot(unanswered.target, slot);
      };
      const isUnanswered = (target: string | null) => this.#probes.has(target);
      const observer = this.#observer;
      // A read never delays a change.
      const silent = options.change === true ? this.#silent.changes : this.#silent.reads;
      const deps = { socket, path, deadline, onEnd, isUnanswered, silent, observer };
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
    const pending = [null, target].flatMap((probed) => this.#probes.get(probed)?.end ?? []);
    if (pending.length === 0) return;
    await withTimeout(Promise.all(pending), millisecondsUntil(deadline));
  }

  /** Abandons everything that still waits; later commands fail with 'reset'. */
  close(): void {
    this.#closed = true;
    for (const conversation of [...this.#open]) conversation.close();
    for (const { socket } of this.#probes.values()) socket.destroy();
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
   * After the socket was recreated at its path (SIGUSR2, or another process) the holder of the old connections does not
   * listen any more, so its unanswered commands use no slot of the new one. The old file's inode is not reused while
   * its holder lives.
   */
  #forgetReplaced(): void {
    const file = socketFile(this.path);
    if (file === null || file === this.#file) return;
    this.#file = file;
    this.#silent = { changes: new SilentTargets(), reads: new SilentTargets() };
    for (const probe of [...this.#probes.values()]) probe.settle();
  }

  /**
   * An abandoned command keeps its slot in the master while its worker does not answer; the master notices the closed
   * connection only then (2.6.12, 3.0.11). So the slot stays in use until the target answers a probe, or the master
   * closes the probe (it re-executed, or is gone). The master drops the commands behind the unanswered one, so at most
   * that one still takes effect (measured on both). Until then nothing more is sent to that target: each command would
   * use up another slot.
   */
  #holdSlot(target: string | null, slot: Slot): void {
    const pending = this.#probes.get(target);
    if (pending !== undefined) {
      pending.held.push(slot);
      return;
    }
    const socket = createConnection({ path: this.path });
    socket.unref();
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const settle = (): void => {
      if (this.#probes.get(target) !== probe) return;
      this.#probes.delete(target);
      socket.destroy();
      for (const held of probe.held) held.release();
      resolve();
    };
    const probe: LivenessProbe = { socket, held: [slot], settle, end };
    this.#probes.set(target, probe);
    socket.on('data', settle);
    // Refused, reset, closed: the holder of the slots is gone.
    socket.on('error', settle);
    socket.on('close', settle);
    // `show map` without a name lists the maps: 0.2 ms at any size, in every version.
    socket.write(target === null ? 'show proc\n' : `${target} show map\n`);
  }
}

function purposeOf({ reserved, change, reader }: ConverseOptions): Purpose {
  if (reserved === true) return 'reload';
  if (change === true) return 'change';
  return reader === true ? 'reader' : 'own';
}
