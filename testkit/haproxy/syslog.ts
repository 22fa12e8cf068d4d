// A syslog server on loopback.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

export class Syslog {
  readonly #socket: Socket;
  readonly #messages: string[] = [];
  /** Called with each message, without its priority, as a server writes it into a file. */
  onMessage: (message: string) => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (bytes) => {
      const message = bytes
        .toString('latin1')
        .replace(/^<\d+>/, '')
        .replace(/\n$/, '');
      this.#messages.push(message);
      this.onMessage(message);
    });
  }

  static async listen(): Promise<Syslog> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new Syslog(socket);
  }

  /** For the setting. */
  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  /** Lines of the access log, without time and tag. */
  get lines(): string[] {
    return this.#messages.flatMap(
      (message) => /^\w+ +\d+ [\d:]+ haproxy\[\d+\]: (client=.*)$/s.exec(message)?.[1] ?? [],
    );
  }

  close(): void {
    this.#socket.close();
  }
}
