// Denied requests as fast as HAProxy answers them, or slower, and how many it answered.
import { connect, type Socket } from 'node:net';

/** Requests that are sent at once on a connection. */
const atOnce = 50;
const statusLine = 'HTTP/1.1 403';
const request = 'GET / HTTP/1.1\r\nhost: shop.example\r\n\r\n';
/** Before a connection that was refused is tried again. */
const retryMs = 5;

export class DeniedLoad {
  readonly #port: number;
  readonly #addresses: readonly string[];
  readonly #pauseMs: number;
  /** By address. */
  readonly #answered = new Map<string, number>();
  #sent = 0;
  #unexpected = '';
  #running: Promise<unknown> | null = null;
  #stopped = false;

  /**
   * @param addresses of 127.0.0.0/8, each with a connection of its own
   * @param pauseMs between two groups of requests of a connection
   */
  constructor(port: number, addresses: readonly string[], pauseMs: number) {
    this.#port = port;
    this.#addresses = addresses;
    this.#pauseMs = pauseMs;
  }

  /** Requests that got 403 so far. */
  get answered(): number {
    return [...this.#answered.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Those that HAProxy may have counted: connections that broke have no answer. */
  get sent(): number {
    return this.#sent;
  }

  /** The status line of a reply that did not deny; empty: there was none. */
  get unexpected(): string {
    return this.#unexpected;
  }

  start(): void {
    this.#stopped = false;
    this.#running = Promise.all(this.#addresses.map((address) => this.#send(address)));
  }

  /** Waits for the replies to what was sent. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #send(address: string): Promise<void> {
    while (!this.#stopped) {
      const socket = connect({ port: this.#port, host: '127.0.0.1', localAddress: address });
      const isOpen = await this.#exchange(address, socket);
      socket.destroy();
      if (!isOpen && !this.#stopped) await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }

  /** Until HAProxy closes the connection, as it does when its worker drains. Resolves with whether it was opened. */
  #exchange(address: string, socket: Socket): Promise<boolean> {
    return new Promise((resolve) => {
      let [open, waiting, rest] = [false, 0, ''];
      const next = (): void => {
        if (this.#stopped) {
          socket.end();
          resolve(open);
          return;
        }
        waiting = atOnce;
        this.#sent += atOnce;
        socket.write(request.repeat(atOnce));
      };
      socket.on('data', (part) => {
        const text = rest + part.toString('latin1');
        const found = text.split(statusLine).length - 1;
        this.#unexpected ||= /HTTP\/1\.[01] (?!403)\d{3}/.exec(text)?.[0] ?? '';
        // A status line that is cut is found with the next part.
        rest = text.slice(
          Math.max(text.lastIndexOf(statusLine) + statusLine.length, text.length - statusLine.length + 1),
        );
        waiting -= found;
        this.#answered.set(address, (this.#answered.get(address) ?? 0) + found);
        if (waiting > 0) return;
        if (this.#pauseMs === 0) next();
        else setTimeout(next, this.#pauseMs);
      });
      socket.once('connect', () => {
        open = true;
        next();
      });
      socket.once('error', () => resolve(open)).once('close', () => resolve(open));
    });
  }
}
