import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../testkit/free-port.ts';
import {
  describeSockets,
  foreignListeners,
  listeningSocketsIn,
  persistentForeignListeners,
} from './foreign-listeners.ts';

const servers: Server[] = [];
async function listen(host: string, port: number, options: { ipv6Only?: boolean } = {}): Promise<void> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, reusePort: true, ...options }, resolve);
  });
}
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** Counts sockets foreign to `pid` like root without CAP_SYS_PTRACE, which the unit withholds. */
async function foreignWithoutPtrace(port: number, pid: number): Promise<number> {
  const module = new URL('foreign-listeners.ts', import.meta.url).pathname;
  const script = `import { foreignListeners } from ${JSON.stringify(module)};
    console.log((await foreignListeners([{ host: '127.0.0.1', port: ${port} }], [${pid}])).length);`;
  const rights = ['--bounding-set=-sys_ptrace', '--inh-caps=-sys_ptrace'];
  const words = [...rights, process.execPath, '--input-type=module-typescript', '-e', script];
  return Number((await promisify(execFile)('setpriv', words)).stdout);
}

describe('a listener on an address of HAProxy', () => {
  it('a listener on an own address is foreign unless an own process holds it', async () => {
    const port = await freePort();
    expect(await foreignListeners([{ host: '127.0.0.1', port }], [])).toEqual([]);
    await listen('127.0.0.1', port);
    expect(await foreignListeners([{ host: '127.0.0.1', port }], [process.pid])).toEqual([]);
    expect(await describeSockets(await foreignListeners([{ host: '127.0.0.1', port }], [process.ppid]))).toEqual([
      expect.stringContaining(`port ${port} (process ${process.pid}`),
    ]);
  });

  it.each([
    ['0.0.0.0', '127.0.0.1', true],
    ['127.0.0.1', '0.0.0.0', true],
    ['127.0.0.1', '::', true],
    ['127.0.0.2', '127.0.0.1', false],
    ['::1', '127.0.0.1', false],
  ])('a listener at %s overlaps an own address at %s: %j', async (theirs, ours, meets) => {
    const port = await freePort();
    await listen(theirs, port);
    expect((await foreignListeners([{ host: ours, port }], [process.ppid])).length > 0).toBe(meets);
  });

  it('a listener on another port is not foreign', async () => {
    const [port, other] = [await freePort(), await freePort()];
    await listen('127.0.0.1', other);
    expect(await foreignListeners([{ host: '127.0.0.1', port }], [])).toEqual([]);
  });

  it('a listener is not foreign if its user is that of a proxy whose descriptors are hidden', async () => {
    const port = await freePort();
    await listen('127.0.0.1', port);
    const other = spawn('sleep', ['600'], { uid: 65_534, gid: 65_534, stdio: 'ignore' });
    try {
      expect(await foreignWithoutPtrace(port, process.pid)).toBe(0);
      expect(await foreignWithoutPtrace(port, other.pid!)).toBe(1);
    } finally {
      other.kill('SIGKILL');
    }
  });

  it('a foreign listener is found among a hundred others', async () => {
    const port = await freePort();
    await listen('127.0.0.1', port);
    for (let other = 0; other < 100; other += 1) await listen('127.0.0.1', 0);
    expect(await foreignListeners([{ host: '127.0.0.1', port }], [process.ppid])).toHaveLength(1);
  });
});

it('connections, which the kernel lists after the listening sockets, are not read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pm-sockets-'));
  const path = join(folder, 'tcp');
  const line = (port: number, state: string) =>
    `   0: 0100007F:${port.toString(16).toUpperCase()} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 77${port} 1 0000000000000000 100 0 0 10 0`;
  const listening = Array.from({ length: 60 }, (_, index) => 5_000 + index);
  const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
  const lines = [head, ...listening.map((port) => line(port, '0A')), line(6_000, '06'), line(6_001, '0A')];
  try {
    await writeFile(path, `${lines.join('\n')}\n`);
    const sockets = await listeningSocketsIn(path);
    expect(sockets.map(({ port }) => port)).toEqual(listening);
    expect(sockets[0]).toEqual({ address: '0100007F', port: 5_000, uid: '1000', inode: '775000' });
    expect(await listeningSocketsIn(join(folder, 'tcp6'))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** A machine on which, check by check, these processes listen, and the master (7) has these children. */
function machine(checks: readonly { readonly listening: readonly number[]; readonly children?: readonly number[] }[]) {
  const paused: number[] = [];
  const now = () => checks[Math.min(paused.length, checks.length - 1)]!;
  return {
    paused,
    foreign: async (pids: readonly number[]) =>
      now()
        .listening.filter((pid) => !pids.includes(pid))
        .map((pid) => `port 80 (process ${pid})`),
    given: {
      children: async (pid: number) => (pid === 7 ? [...(now().children ?? [])] : []),
      pause: async (ms: number) => paused.push(ms),
    },
  };
}
const own = { pids: [7, 8], masterPid: 7 };

describe('persistent foreign listeners', () => {
  it('are none, after one check, when only known workers listen', async () => {
    const { foreign, given, paused } = machine([{ listening: [8] }]);
    expect(await persistentForeignListeners(own, foreign, given)).toEqual([]);
    expect(paused).toEqual([]);
  });

  it('do not include the new worker of a reload, a child of the master that is not listed yet', async () => {
    const { foreign, given, paused } = machine([{ listening: [8, 9] }, { listening: [8, 9], children: [8, 9] }]);
    expect(await persistentForeignListeners(own, foreign, given)).toEqual([]);
    expect(paused).toEqual([100]);
  });

  it('do not include a child that the master forks after the first checks, nor one that ends before the last', async () => {
    const late = machine([
      { listening: [9] },
      { listening: [9] },
      { listening: [9] },
      { listening: [9], children: [9] },
    ]);
    expect(await persistentForeignListeners(own, late.foreign, late.given)).toEqual([]);
    expect(late.paused).toEqual([100, 100, 100]);
    const gone = machine([{ listening: [9] }, { listening: [9] }, { listening: [] }]);
    expect(await persistentForeignListeners(own, gone.foreign, gone.given)).toEqual([]);
    expect(gone.paused).toEqual([100, 100]);
  });

  it('are the listeners that remain after 300 ms and are no children of the master', async () => {
    const { foreign, given, paused } = machine([{ listening: [8, 9, 66], children: [8, 9] }]);
    expect(await persistentForeignListeners(own, foreign, given)).toEqual(['port 80 (process 66)']);
    expect(paused).toHaveLength(3);
  });

  it('are reported at once without a master, which alone could be starting a worker', async () => {
    const { foreign, given, paused } = machine([{ listening: [66] }]);
    expect(await persistentForeignListeners({ pids: [], masterPid: null }, foreign, given)).toEqual([
      'port 80 (process 66)',
    ]);
    expect(paused).toEqual([]);
  });
});
