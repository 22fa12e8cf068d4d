// A port on loopback, reserved for one test on this machine: a test that stops its proxy and
// starts it again must not find another test's proxy there (HAProxy shares ports, so both would answer).
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For a program that a test starts with a folder for temporary files of its own: the ports are the machine's. */
export const portsVariable = 'PROXY_MANAGER_TEST_PORTS';
export const portsFolder = process.env[portsVariable] ?? join(tmpdir(), 'proxy-manager-test-ports');

/**
 * Stays reserved until this process has ended. Below the range that the kernel gives to clients: one of theirs must not
 * take it before the proxy does.
 */
export async function freePort(from = 12_000, to = 32_000): Promise<number> {
  for (;;) {
    const port = from + Math.floor(Math.random() * (to - from));
    if (reserve(port) && (await isFree(port))) return port;
  }
}

/** A file named after the port holds the pid that reserved it. */
function reserve(port: number): boolean {
  const path = join(portsFolder, String(port));
  mkdirSync(portsFolder, { recursive: true });
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  // Two that find the same dead owner may not both take it: the port is given back here, and taken in a later try.
  if (!runs(ownerOf(path))) rmSync(path, { force: true });
  return false;
}

/** 0, our own process group, when it was given back meanwhile or is just being written. */
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
