// Between a client and the service: passes everything on, but the answer to one request is lost.
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export class LostReply {
  /** Of the request whose answer is lost: how its path ends; null: none. */
  losesNext: string | null = null;
  /** Answers instead of the service, to the request after the lost one. */
  afterwards: object | null = null;
  readonly #server: Server;
  #lost: string | null = null;

  private constructor(port: () => number) {
    this.#server = createServer(async (client, reply) => {
      const { method, headers, url = '' } = client;
      // A client that ends with its request has no reply to lose.
      const body = await buffer(client).catch(() => null);
      if (body === null) return;
      if (this.#lost !== null && url.endsWith(this.#lost)) {
        this.#lost = null;
        reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(this.afterwards));
        return;
      }
      const passed = request({ host: '127.0.0.1', port: port(), method, path: url, headers }, async (answer) => {
        const said = await buffer(answer).catch(() => null);
        if (said === null) client.socket.destroy();
        else if (this.losesNext !== null && url.endsWith(this.losesNext)) {
          if (this.afterwards !== null) this.#lost = this.losesNext;
          this.losesNext = null;
          client.socket.destroy();
        } else reply.writeHead(answer.statusCode!, answer.headers).end(said);
      });
      passed.on('error', () => client.socket.destroy());
      passed.end(body);
    });
  }

  static async listen(port: () => number): Promise<LostReply> {
    const between = new LostReply(port);
    await new Promise<void>((resolve) => between.#server.listen(0, '127.0.0.1', resolve));
    return between;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
