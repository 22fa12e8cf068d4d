// A benchmark with a small set completes, reports and cleans up. Only `npm run test:long` measures the block rows, and
// ends one by a signal.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../testkit/conditions.ts';
import { compileCache, compileCacheVariable } from '../testkit/program.ts';
import { describeOnOneProxy, itInLongTests, longTests } from '../testkit/proxies.ts';

interface Run {
  readonly child: ChildProcess;
  out: string;
  err: string;
  readonly ended: Promise<number | null>;
}

describeOnOneProxy('the benchmark', ({ bin, version }) => {
  /** A run creates everything in here, so that leftovers are found. */
  let folder: string;
  const runs: Run[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'b-'));
  });
  afterEach(async () => {
    // A signal also ends what a failed test's run started.
    for (const run of runs.splice(0)) {
      run.child.kill('SIGTERM');
      await run.ended;
    }
    await rm(folder, { recursive: true });
  });

  function bench(...args: string[]): Run {
    const program = join(import.meta.dirname, '../bench/run.ts');
    const child = spawn(process.execPath, [program, '--proxy-bin', bin, ...args], {
      env: {
        ...process.env,
        TMPDIR: folder,
        NODE_COMPILE_CACHE: compileCache(),
        [compileCacheVariable]: compileCache(),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const run: Run = {
      child,
      out: '',
      err: '',
      ended: new Promise((resolve) => child.once('close', resolve)),
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      run.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      run.err += text;
    });
    runs.push(run);
    return run;
  }

  /** Processes whose command line or working files name the folder. */
  async function left(): Promise<string[]> {
    const found: string[] = [];
    for (const name of await readdir('/proc')) {
      if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
      const about = await Promise.all(
        ['cmdline', 'environ'].map((file) => readFile(`/proc/${name}/${file}`, 'latin1').catch(() => '')),
      );
      if (about.some((text) => text.includes(folder))) found.push(about[0]!.replaceAll('\0', ' '));
    }
    return found;
  }

  it('measures service and floor, and leaves nothing behind', async () => {
    const json = join(folder, 'figures.json');
    // Each size has a service and two proxies.
    const sizes = longTests ? [20, 50] : [50];
    const run = bench('--entries', sizes.join(), '--only', longTests ? 'block,sync' : 'sync', '--json', json);
    expect(await run.ended, run.err).toBe(0);
    expect(run.out).toContain(`HAProxy ${version}`);
    if (longTests) {
      expect(run.out).toMatch(/^one block at 20, p50 +[\d.]+ ms +[\d.]+ ms +[\d.]+ +2 +(NOT )?reached$/m);
      expect(run.out).toMatch(/^one unblock, 50 against 20 entries, p50 /m);
    }
    expect(run.out).toMatch(/^sync with nothing to do at 50 +[\d.]+ ms +[\d.]+ ms +[\d.]+$/m);
    expect(run.out).toMatch(/^sync with 25 differences at 50 /m);
    expect(run.out).not.toContain('FAILED');
    expect(run.err).toMatch(/^\[ *[\d.]+ s\] sync: begins$/m);

    const data = JSON.parse(await readFile(json, 'utf8'));
    expect(data).toMatchObject({
      machine: { haproxy: version, node: process.version },
      entries: sizes,
      whole: true,
    });
    for (const { name, service, floor, ratio } of data.figures) {
      expect(service, name).toBeGreaterThan(0);
      if (floor !== null) expect(ratio, name).toBeCloseTo(service / floor);
    }
    expect(await readdir(folder)).toEqual(['figures.json']);
    expect(await left()).toEqual([]);
  });

  itInLongTests('stops everything at a signal, and prints the rows measured so far', async () => {
    const run = bench('--entries', '50', '--only', 'block,clients');
    // A row may take long on a slow machine, but prints each of its rounds.
    while (!run.err.includes('clients: round 0') && run.child.exitCode === null) {
      const printed = run.err.length;
      await eventually('the bench goes on', () => run.err.length > printed || run.child.exitCode !== null);
    }
    run.child.kill('SIGINT');
    expect(await run.ended, run.err).toBe(130);
    expect(run.out).toMatch(/^one block at 50, p50 /m);
    expect(run.out).not.toContain('FAILED');
    expect(await readdir(folder)).toEqual([]);
    expect(await left()).toEqual([]);
  });

  itInLongTests('stops everything when a part of it dies, and names the rows that failed', async () => {
    const run = bench('--entries', '50', '--only', 'block,sync');
    const floor = await eventually('the floor works', async () => {
      if (!run.err.includes('block: round 0')) return null;
      return await processNamed('floor-process.ts', run.child.pid!);
    });
    process.kill(floor, 'SIGKILL');
    expect(await run.ended, run.err).toBe(1);
    expect(run.out).toMatch(/^block: FAILED: floor-process.ts ended before its answer$/m);
    expect(run.out).toMatch(/^sync: FAILED: /m);
    expect(await readdir(folder)).toEqual([]);
    expect(await left()).toEqual([]);
  });

  it('reports what is wrong with its command line', async () => {
    const run = bench('--only', 'nonsense');
    expect(await run.ended).toBe(2);
    expect(run.err).toContain('"nonsense" is none');
    expect(run.out).toBe('');
  });
});

async function processNamed(program: string, parent: number): Promise<number | null> {
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const words = await readFile(`/proc/${name}/cmdline`, 'latin1').catch(() => '');
    const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '');
    if (words.includes(program) && stat.slice(stat.lastIndexOf(')')).split(' ')[2] === String(parent))
      return Number(name);
  }
  return null;
}
