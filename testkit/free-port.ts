// Reserves a port for one test: HAProxy shares ports, so a test that restarts its proxy must not meet another test's.
import { createSocket, type Socket } from 'node:dgram';
import { connect, createServer } from 'node:net';

/** Its UDP port, which nothing here uses, holds the TCP port until this process ends, on the complete machine. */
const held: Socket[] = [];

/** Chosen at random, so of the last free one most tries miss. */
const triesOfEach = 50;

/**
 * Reserved until this process ends. Below the kernel's range for clients, which could take it first; from 31,900 on are those
 * of `free-port.test.ts`.
 */
export async function freePort(from = 12_000, to = 31_900): Promise<number> {
  for (let tries = 0; tries < triesOfEach * (to - from); tries += 1) {
    const port = from + Math.floor(Math.random() * (to - from));
    const hold = await reserve(port);
    if (hold === null) continue;
    if (await isFree(port)) {
      held.push(hold);
      return port;
    }
    hold.close();
  }
  throw new Error(`no port from ${from} to ${to - 1} is free`);
}

/** Null: another process has reserved it. */
function reserve(port: number): Promise<Socket | null> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4').unref();
    socket.once('error', (error: NodeJS.ErrnoException) => {
      socket.close();
      if (error.code === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(socket));
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** On 127.0.0.1. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
