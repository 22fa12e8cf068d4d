// Pipelined requests. Node hands over all that came in one read, some 1,600 in 64 KiB, before the first of them is
// answered: ten connections of strangers that do so held everybody else up for a quarter of a minute, and took 50 MB each.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Connections } from './connections.ts';

/** Unanswered requests of one connection. Clients that pipeline at all send some ten. */
const MOST_PIPELINED = 32;

/** Ends a connection that asks for more than that, before anything was spent on what is too much. */
export function boundPipelining(server: Server, connections: Connections): void {
  const handlers = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    // What came in the same read is handed over although its connection has ended.
    if (socket.destroyed) return;
    if (connections.underWay(socket) >= MOST_PIPELINED) {
      socket.destroy();
      return;
    }
    response.once('close', connections.begin(socket));
    for (const handler of handlers) handler(request, response);
  });
}
