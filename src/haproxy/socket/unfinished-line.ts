import type { Socket } from 'node:net';
import type { Exchange } from './exchange.ts';

/**
 * The connection of a line of commands whose replies missed the deadline. A hung worker carries out the entire line when
 * it continues, whether or not the connection is still open, so only the last reply proves that nothing of it is left.
 */
export class UnfinishedLine {
  /** Resolves with true after the last reply; with false when the connection ended without it. */
  readonly end: Promise<boolean>;
  readonly #socket: Socket;

  /** @param exchange as it was at the deadline; takes over both */
  constructor(socket: Socket, exchange: Exchange) {
    this.#socket = socket;
    socket.unref();
    this.end = new Promise((resolve) => {
      const finish = (isComplete: boolean): void => {
        socket.destroy();
        resolve(isComplete);
      };
      socket.on('data', (bytes) => {
        const failure = exchange.receive(bytes);
        if (failure !== null) finish(false);
        else if (exchange.isComplete) finish(true);
      });
      socket.on('end', () => finish(false));
      socket.on('error', () => finish(false));
      socket.on('close', () => finish(false));
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
