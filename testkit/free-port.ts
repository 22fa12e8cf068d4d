// Reserves a port for one test: HAProxy shares ports, so a test that restarts its proxy must not meet another test's.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For a program with its own temporary folder: ports are reserved for the complete machine. */
export const portsVariable = 'PROXY_MANAGER_TEST_PORTS';
export const portsFolder = process.env[portsVariable] ?? join(tmpdir(), 'proxy-manager-test-ports');

/** Reserved until this process ends. Below the kernel's range for clients, which could take it first. */
export async function freePort(from = 12_000, to = 32_000): Promise<number> {
  for (;;) {
    const port = from + Math.floor(Math.random() * (to - from));
    if (reserve(port) && (await isFree(port))) return port;
  }
}

/** A file named after the port holds the owner's pid. */
function reserve(port: number): boolean {
  const path = join(portsFolder, String(port));
  mkdirSync(portsFolder, { recursive: true });
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  // Two processes that find a dead owner may not both take the port: freed here, taken in a later attempt.
  if (!runs(ownerOf(path))) rmSync(path, { force: true });
  return false;
}

/** 0, the own process group, while the file is being written or after it was removed. */
function ownerOf(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
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
