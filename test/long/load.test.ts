// The long load is `npm run chaos:load`.
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { compileCache, compileCacheVariable } from '../../testkit/program.ts';
import { describeOnOneProxy } from '../../testkit/proxies.ts';

describeOnOneProxy('many clients at once', ({ bin }) => {
  /** The load creates everything in here, so that leftovers are found. */
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'l-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  async function load(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, '../../chaos/load.ts'), '--proxy-bin', bin, ...args],
      {
        env: {
          ...process.env,
          TMPDIR: folder,
          NODE_COMPILE_CACHE: compileCache(),
          [compileCacheVariable]: compileCache(),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const said = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said.err += text;
    });
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, ...said };
  }

  it('get correct answers, and leave database, file and running maps in sync', async () => {
    const json = join(folder, 'load.json');
    const { code, out, err } = await load(
      ...['--clients', '8', '--seconds', '1', '--entries', '1000', '--think-ms', '50', '--json', json],
    );
    expect({ code, out: code === 0 ? '' : out, err: code === 0 ? '' : err }).toEqual({ code: 0, out: '', err: '' });
    const { clients, traffic, samples } = JSON.parse(await readFile(json, 'utf8'));
    const count = new Map<string, number>(
      clients.operations.map(({ operation, count }: { operation: string; count: number }) => [operation, count]),
    );
    for (const operation of ['put', 'sync', 'reload', 'site', 'trust', 'key', 'refused key', 'export', 'health']) {
      expect(count.get(operation), operation).toBeGreaterThan(0);
    }
    for (const operation of ['block', 'unblock', 'get', 'check', 'list', 'visit', 'batch of 500', 'batch of 1500']) {
      expect(count.get(operation), operation).toBeGreaterThan(0);
    }
    expect(clients.judged).toBeGreaterThan(100);
    expect(traffic.all.sent).toBeGreaterThan(100);
    expect(samples.rss_mb.length).toBeGreaterThan(1);
    expect(samples.heap_mb.length).toBeGreaterThan(1);
    expect(await readdir(folder)).toEqual(['load.json']);
  });
});
