// A failure: a request of which any byte may have been sent, without a complete 200. Also one written just as HAProxy
// closed the connection: a browser might repeat it, but it was lost.
// No failure: an idle connection is closed, or an answer says `connection: close`. Reconnecting is part of the latency.
import { createConnection, type Socket } from 'node:net';
import type { FailureCause, RequestFailure } from './traffic-accounting.ts';
import { AnswerReader } from './traffic-answer.ts';

export interface Target {
  readonly port: number;
  readonly host: string;
  /** From the due time on. */
  readonly timeoutMs: number;
}

interface PendingRequest {
  readonly reader: AnswerReader;
  readonly timer: NodeJS.Timeout;
  readonly done: (failure: RequestFailure | null) => void;
}

export class Connection {
  readonly #target: Target;
  readonly #text: string;
  #socket: Socket | null = null;
  #connected = false;
  #pending: PendingRequest | null = null;
  opened = 0;

  /** @param keep false: each request asks for a closed connection */
  constructor(target: Target, keep: boolean) {
    this.#target = target;
    this.#text = `GET /traffic HTTP/1.1\r\nHost: ${target.host}\r\n${keep ? '' : 'Connection: close\r\n'}\r\n`;
  }

  /**
   * One at a time. Resolves to its failure, or null for a complete 200. `dueAt`: milliseconds of `performance.now()`.
   */
  ask(dueAt: number): Promise<RequestFailure | null> {
    if (this.#pending !== null) throw new Error('a connection takes one request at a time');
    return new Promise((done) => {
      const left = Math.max(1, dueAt + this.#target.timeoutMs - performance.now());
      const timer = setTimeout(() => this.#fail('time-out', `after ${this.#target.timeoutMs} ms`), left);
      this.#pending = { reader: new AnswerReader(), timer, done };
      const socket = this.#socket ?? this.#open();
      socket.write(this.#text);
    });
  }

  close(): void {
    this.#drop();
  }

  #open(): Socket {
    const socket = createConnection({ port: this.#target.port, host: '127.0.0.1', noDelay: true });
    this.#socket = socket;
    this.#connected = false;
    this.opened += 1;
    const ours = (handle: () => void): void => {
      if (this.#socket === socket) handle();
    };
    socket.on('connect', () => ours(() => (this.#connected = true)));
    socket.on('data', (bytes) => ours(() => this.#data(bytes)));
    socket.on('error', (error) => ours(() => this.#lost(error)));
    socket.on('end', () => ours(() => this.#lost(null)));
    socket.on('close', () => ours(() => this.#lost(null)));
    return socket;
  }

  #data(bytes: Buffer): void {
    const asked = this.#pending;
    if (asked === null) {
      // Sent without a request: HAProxy's 408 to an idle client, before it closes.
      this.#drop();
      return;
    }
    try {
      if (!asked.reader.push(bytes)) return;
    } catch (error) {
      this.#fail('garbled', (error as Error).message);
      return;
    }
    const { status, closes } = asked.reader;
    if (closes) this.#drop();
    this.#settle(status === 200 ? null : { cause: 'status', detail: String(status) });
  }

  #lost(error: NodeJS.ErrnoException | null): void {
    const asked = this.#pending;
    if (asked === null) {
      this.#drop();
      return;
    }
    const detail = error?.code ?? error?.message ?? 'closed in order';
    if (error?.code === 'ECONNREFUSED') this.#fail('refused', detail);
    else if (asked.reader.begun) this.#fail('truncated', detail);
    else if (error?.code === 'ECONNRESET' || error?.code === 'EPIPE') this.#fail('reset', detail);
    else this.#fail(this.#connected ? 'closed' : 'unconnected', detail);
  }

  #fail(cause: FailureCause, detail: string): void {
    this.#drop();
    this.#settle({ cause, detail });
  }

  #settle(failure: RequestFailure | null): void {
    const asked = this.#pending;
    if (asked === null) return;
    this.#pending = null;
    clearTimeout(asked.timer);
    asked.done(failure);
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    this.#connected = false;
    socket?.destroy();
  }
}
