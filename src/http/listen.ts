import { lstat, unlink } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createConnection } from 'node:net';
import type { App } from './app.ts';
import type { ListenOptions } from './listen-certificate.ts';
import { asTlsServer } from './tls-connections.ts';

type ListenTarget = { readonly host: string; readonly port: number } | { readonly path: string };

export interface Listening {
  /** `http://[::1]:7080`, `https://…` or `unix:/path`; with the actual port if 0 was requested. */
  readonly url: string;
  /** Completes the requests in progress. After `graceMs` the remaining connections are cut; returns how many. */
  close(graceMs: number): Promise<number>;
}

/** For connections from now on. */
export function replaceCertificate(app: App, options: ListenOptions): void {
  asTlsServer(app.server)?.setSecureContext(options);
}

const IDLE_CHECK_MS = 25;

/**
 * With Node's default of 511 a service that is blocked for seconds loses part of a burst. The kernel limits it by
 * net.core.somaxconn.
 */
const backlog = 2048;

/** Errors: those of the system (`EADDRINUSE`), and the socket of a running service. */
export async function listen(app: App, target: ListenTarget): Promise<Listening> {
  await app.ready();
  if ('path' in target) await listenOnPath(app, target.path);
  else await bind(app, () => app.server.listen({ host: target.host, port: target.port, backlog }));
  const url = 'path' in target ? `unix:${target.path}` : urlOf(app);
  return { url, close: (graceMs) => close(app, graceMs) };
}

function urlOf({ server }: App): string {
  const { address, family, port } = server.address() as AddressInfo;
  const scheme = asTlsServer(server) === null ? 'http' : 'https';
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

async function listenOnPath(app: App, path: string): Promise<void> {
  await removeStaleSocket(path);
  await bind(app, () => {
    // Mode 660 from the start. Node binds the path within this call, so the mask affects no other file.
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

/** A killed service leaves its socket file, which prevents listening. */
async function removeStaleSocket(path: string): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (found === null) return;
  if (!found.isSocket())
    throw new Error(`${path} exists and is not a socket; choose another path to listen on, or move the file away`);
  if (await answers(path)) throw new Error(`another service listens on ${path}; stop it, or choose another path`);
  await unlink(path);
}

/** Errors other than a refused connection are thrown: they prove nothing. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(false);
      // The backlog of a running service is full.
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
