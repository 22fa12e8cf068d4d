import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket, Server as TlsServer } from 'node:tls';
import type { Connections } from './connections.ts';

export function asTlsServer(server: HttpServer): TlsServer | null {
  return 'setSecureContext' in server ? (server as unknown as TlsServer) : null;
}

/**
 * Counts connections from their first byte, before the handshake. The returned function ends those whose handshake is
 * not complete: Node does not end them at a shutdown.
 */
export function admitTls(server: TlsServer, connections: Connections): () => void {
  const handshaking = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    connections.admit(socket);
    const peer = peerOf(socket);
    handshaking.set(peer, socket);
    socket.once('close', () => {
      if (handshaking.get(peer) === socket) handshaking.delete(peer);
    });
  });
  server.on('secureConnection', (secure: TLSSocket) => {
    const peer = peerOf(secure);
    const socket = handshaking.get(peer);
    handshaking.delete(peer);
    if (socket !== undefined) connections.secured(socket, secure);
  });
  return () => {
    for (const socket of handshaking.values()) socket.destroy();
  };
}

/** The same before and after the handshake. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
