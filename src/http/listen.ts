// Where the service listens, and how it stops.
import { lstat, unlink } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createConnection } from 'node:net';
import type { App } from './app.ts';

export type ListenTarget = { readonly host: string; readonly port: number } | { readonly path: string };

export interface Listening {
  /** `http://127.0.0.1:7080`, `http://[::1]:7080`, `unix:/path`; with the real port where 0 was asked for. */
  readonly url: string;
  /**
   * Takes no new connection, answers what is under way, closes idle connections. What is not answered after `graceMs`
   * is cut off; returns how many connections that were.
   */
  close(graceMs: number): Promise<number>;
}

/** Between two looks for connections that have become idle while the service closes. */
const IDLE_CHECK_MS = 25;

/**
 * As many as are held at once (connections.ts). With Node's 511 a service that is late for a few seconds loses the
 * rest of a burst: the system resets what waits too long for a place. The system's own bound is net.core.somaxconn.
 */
const backlog = 2048;

/** Errors: those of the system (`EADDRINUSE`), and a socket file of a live service. */
export async function listen(app: App, target: ListenTarget): Promise<Listening> {
  await app.ready();
  if ('path' in target) await listenOnPath(app, target.path);
  else await bind(app, () => app.server.listen({ host: target.host, port: target.port, backlog }));
  const url = 'path' in target ? `unix:${target.path}` : urlOf(app.server.address() as AddressInfo);
  return { url, close: (graceMs) => close(app, graceMs) };
}

function urlOf({ address, family, port }: AddressInfo): string {
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}

async function listenOnPath(app: App, path: string): Promise<void> {
  await removeStaleSocket(path);
  await bind(app, () => {
    // Mode 660 from its first moment. Node binds a path within this call, so no other file is made under this mask.
    const mask = process.umask(0o117);
    try {
      app.server.listen({ path, backlog });
    } finally {
      process.umask(mask);
    }
  });
}

function bind(app: App, start: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const { server } = app;
    const listening = () => {
      server.off('error', failed);
      resolve();
    };
    const failed = (error: Error) => {
      server.off('listening', listening);
      reject(error);
    };
    server.once('listening', listening);
    server.once('error', failed);
    start();
  });
}

/** A dead service leaves its socket file behind, and nobody can listen there until it is gone. */
async function removeStaleSocket(path: string): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (found === null) return;
  if (!found.isSocket())
    throw new Error(`${path} is there and is no socket; name another path to listen on, or move it away`);
  if (await answers(path)) throw new Error(`another service listens on ${path}; stop it, or name another path`);
  await unlink(path);
}

/** Whether somebody listens. Refused: nobody. Anything else that goes wrong is no proof, and is thrown. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(false);
      // The queue of a listener that is busy is full: it lives.
      else if (error.code === 'EAGAIN') resolve(true);
      else reject(error);
    });
  });
}

async function close(app: App, graceMs: number): Promise<number> {
  const { server } = app;
  let cut = 0;
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const deadline = setTimeout(() => {
    server.getConnections((_error, count) => {
      cut = count ?? 0;
      server.closeAllConnections();
    });
  }, graceMs);
  try {
    await app.close();
  } finally {
    clearInterval(idle);
    clearTimeout(deadline);
  }
  return cut;
}
