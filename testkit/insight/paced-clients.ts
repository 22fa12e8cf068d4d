// Clients with an open connection each that send requests at a steady rate, and what they were answered.
import { connect, type Socket } from 'node:net';

interface PacedClient {
  /** Of 127.0.0.0/8. */
  readonly address: string;
  /** Of its nth request. */
  readonly path: (nth: number) => string;
}

const everyMs = 250;
const statusForm = /HTTP\/1\.[01] (\d{3}) /g;
/** Of a status line that may be cut. */
const statusLength = 'HTTP/1.1 200 '.length;

export class PacedClients {
  readonly #port: number;
  readonly #clients: readonly PacedClient[];
  readonly #host: string;
  readonly #rate: number;
  /** By address, and there by status. */
  readonly #answers = new Map<string, Map<string, number>>();
  readonly #sockets = new Map<string, Socket>();
  #timer: NodeJS.Timeout | null = null;

  /** @param rate requests a second of each client */
  constructor(port: number, host: string, clients: readonly PacedClient[], rate: number) {
    this.#port = port;
    this.#host = host;
    this.#clients = clients;
    this.#rate = rate;
  }

  answered(address: string, status: string): number {
    return this.#answers.get(address)?.get(status) ?? 0;
  }

  start(): void {
    const began = performance.now();
    let sent = 0;
    this.#timer = setInterval(() => {
      const due = Math.floor(((performance.now() - began) / 1_000) * this.#rate);
      for (const client of this.#clients) this.#send(client, sent, due);
      sent = due;
    }, everyMs);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    for (const socket of this.#sockets.values()) socket.destroy();
  }

  #send({ address, path }: PacedClient, from: number, to: number): void {
    let text = '';
    for (let nth = from; nth < to; nth += 1) text += `GET ${path(nth)} HTTP/1.1\r\nhost: ${this.#host}\r\n\r\n`;
    this.#socket(address).write(text);
  }

  #socket(address: string): Socket {
    const known = this.#sockets.get(address);
    if (known !== undefined && !known.destroyed) return known;
    const socket = connect({ port: this.#port, host: '127.0.0.1', localAddress: address });
    let rest = '';
    socket.on('data', (part) => {
      const text = rest + part.toString('latin1');
      let end = 0;
      for (const match of text.matchAll(statusForm)) {
        this.#count(address, match[1]!);
        end = match.index + match[0].length;
      }
      rest = text.slice(Math.max(end, text.length - statusLength + 1));
    });
    // The next requests open another one.
    socket.once('error', () => socket.destroy());
    this.#sockets.set(address, socket);
    return socket;
  }

  #count(address: string, status: string): void {
    const byStatus = this.#answers.get(address) ?? new Map<string, number>();
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    this.#answers.set(address, byStatus);
  }
}
