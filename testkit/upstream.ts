// A web server behind HAProxy that answers its name, and a client.
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Upstream {
  readonly port: number;
  /** Paths of requests; health checks are plain connections and are not counted. */
  readonly seen: readonly string[];
  stop(): Promise<void>;
}

export async function startUpstream(name: string): Promise<Upstream> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end(name);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface PageAnswer {
  readonly status: number;
  readonly text: string;
}

/** On its own connection. Status 0: closed without an answer. */
export function askProxy(port: number, host: string | null, from = '127.0.0.1'): Promise<PageAnswer> {
  return new Promise((resolve, reject) => {
    const headers = host === null ? {} : { host };
    const options = { host: '127.0.0.1', port, localAddress: from, headers, setHost: host !== null, agent: false };
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    request.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET') resolve({ status: 0, text: '' });
      else reject(error);
    });
    request.end();
  });
}
