// The master's command socket: connections, places and deadlines. Knows no map command.
import { createConnection, type Socket } from 'node:net';
import { Conversation } from './conversation.ts';
import type { Command } from './conversation-command.ts';
import { type Deadline, MasterSocketError, socketFailureReason } from './master-socket-error.ts';
import { type Place, Places } from './master-socket-places.ts';
import { socketSafety } from './socket-safety.ts';

export { type Deadline, MasterSocketError, type SocketFailureReason } from './master-socket-error.ts';

export interface MasterSocketOptions {
  /** Connections at a time, one of them kept for reserved use. Default 4, of the ten that the master takes. */
  readonly maxConnections?: number;
}

export interface ConverseOptions {
  /** May take the place that is kept for `reload`. */
  readonly reserved?: boolean;
}

/** Asks a target that left a command unanswered one harmless question, and waits for as long as it takes. */
interface Feeler {
  readonly socket: Socket;
  /** Places of conversations that we gave up, but whose slots the master still holds. */
  readonly owed: Place[];
}

export class MasterSocket {
  readonly path: string;
  readonly #places: Places;
  readonly #feelers = new Map<string | null, Feeler>();

  constructor(path: string, options: MasterSocketOptions = {}) {
    this.path = path;
    this.#places = new Places(options.maxConnections ?? 4);
  }

  /** Places taken now, those of given-up commands included. */
  get connections(): number {
    return this.#places.taken;
  }

  /**
   * A connection for staged commands; waiting for a place counts against the deadline. Everything on it fails with
   * 'deadline' once the deadline passes. Rejects with MasterSocketError. Must be ended by `finish` or `close`.
   */
  async converse(deadline: Deadline, options: ConverseOptions = {}): Promise<Conversation> {
    const place = await this.#places.take(deadline, options.reserved === true);
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
      return new Conversation(socket, this.path, deadline, (unanswered) => {
        if (unanswered === null) place.release();
        else this.#owe(unanswered.target, place);
      });
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

  /** Lets go of everything that still waits for an answer. */
  close(): void {
    for (const feeler of this.#feelers.values()) feeler.socket.destroy();
  }

  #connect(): Promise<Socket> {
    const safety = socketSafety(this.path);
    if (!safety.safe) {
      const reason = safety.missing ? 'missing' : 'unsafe';
      return Promise.reject(new MasterSocketError(reason, { path: this.path, command: '', detail: safety.why }));
    }
    return new Promise((resolve, reject) => {
      const socket = createConnection({ path: this.path, allowHalfOpen: true });
      const refuse = (cause: NodeJS.ErrnoException): void => {
        reject(new MasterSocketError(socketFailureReason(cause, false), { path: this.path, command: '', cause }));
      };
      socket.once('error', refuse);
      socket.once('connect', () => {
        socket.off('error', refuse);
        resolve(socket);
      });
    });
  }

  /**
   * A command that we gave up holds its slot in the master while its worker does not answer, and the master notices
   * our going only then (2.6.12, 3.0.11). So its place stays taken until the same target answers something else, or
   * the master closes our question (it re-executed, or is gone). Our connection itself was destroyed: the master then
   * drops the commands behind the unanswered one, so at most that one still takes effect (measured on both).
   */
  #owe(target: string | null, place: Place): void {
    const asked = this.#feelers.get(target);
    if (asked !== undefined) {
      asked.owed.push(place);
      return;
    }
    const socket = createConnection({ path: this.path });
    socket.unref();
    const feeler: Feeler = { socket, owed: [place] };
    this.#feelers.set(target, feeler);
    const settled = (): void => {
      if (this.#feelers.get(target) !== feeler) return;
      this.#feelers.delete(target);
      socket.destroy();
      for (const owed of feeler.owed) owed.release();
    };
    socket.on('data', settled);
    // Refused, reset, closed: whoever held the slots is no longer there.
    socket.on('error', settled);
    socket.on('close', settled);
    // `show map` without a name lists the maps: 0.2 ms at any size, and every version has it.
    socket.write(target === null ? 'show proc\n' : `${target} show map\n`);
  }
}
