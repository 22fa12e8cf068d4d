// What the blocked set does, for hours: `node chaos/soak.ts --help` explains it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseOptions, UsageError, wholeNumber } from '../testkit/command-line.ts';
import { address, batches } from '../testkit/load/lists.ts';
import { memoryOf, processesOf } from '../testkit/load/process-figures.ts';
import { testProxies } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { runProgram, say, stopOnSignals } from '../testkit/runs/program.ts';
import { startUpstream } from '../testkit/upstream.ts';
import { Random } from './random.ts';
import { judge, type Minute } from './soak/judge.ts';
import { sizesOf } from './soak/sizes.ts';
import { attackedFrom, clientsOf, cycle, isAttack, send, type Tally } from './soak/traffic.ts';

const usage = `node chaos/soak.ts --folder FOLDER [options]: a real service and a real HAProxy under everyday traffic, with an
attack of ${(cycle.attackTo - cycle.attackFrom) / 60} minutes from ever new addresses in each ${cycle.length / 60} minutes, and then a kill of the service and a reload. Prints a line a
minute: memory of the service, denied requests, sizes of the tables; and what exceeds its bound.

  --folder FOLDER  is kept, and continued by the next run
  --minutes 360    of this run
  --regular 100    requests a second, three in ten of them of blocked clients
  --attack 400     requests a second of an attack
  --entries 100000 blocked
  --version 3.4    of HAProxy; default: the newest
  --help           print this text

Exit code: 0 if everything stayed within its bounds, 1 if not, 2 for wrong use.
`;

interface Options {
  readonly folder: string;
  readonly minutes: number;
  readonly regular: number;
  readonly attack: number;
  readonly entries: number;
  readonly bin: string;
}

/** What the next run continues from. */
interface Progress {
  seconds: number;
  tally: Tally;
  baseline: number | null;
}

const stopping = stopOnSignals();

function readOptions(args: readonly string[]): Options | null {
  const given = parseOptions(args, {
    folder: { type: 'string' },
    minutes: { type: 'string', default: '360' },
    regular: { type: 'string', default: '100' },
    attack: { type: 'string', default: '400' },
    entries: { type: 'string', default: '100000' },
    version: { type: 'string' },
    help: { type: 'boolean', default: false },
  });
  if (given.help) return null;
  if (given.folder === undefined) throw new UsageError('--folder is missing');
  const proxy = testProxies().found.findLast(({ version }) => version.startsWith(given.version ?? ''));
  if (proxy === undefined) throw new UsageError(`no HAProxy ${given.version ?? ''} was found`);
  return {
    folder: given.folder,
    minutes: wholeNumber('minutes', given.minutes, 1, 100_000),
    regular: wholeNumber('regular', given.regular, 1, 10_000),
    attack: wholeNumber('attack', given.attack, 0, 10_000),
    entries: wholeNumber('entries', given.entries, 1_000, 1_000_000),
    bin: proxy.bin,
  };
}

/** Minutes until a memory of the service counts as its first. */
const baselineMinutes = 3;
const minuteSeconds = 60;

async function main(options: Options): Promise<number> {
  process.env['PATH'] += ':/usr/sbin:/usr/local/sbin';
  const resumed = existsSync(join(options.folder, 'soak.json'));
  mkdirSync(options.folder, { recursive: true });
  const file = join(options.folder, 'soak.json');
  const progress: Progress = resumed
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { seconds: 0, tally: { sent: 0, denied: 0, letIn: 0, allowed: 0 }, baseline: null };
  const web = await startUpstream('site');
  const service = await RealService.start({ bin: options.bin, prefix: options.folder });
  let failures = 0;
  try {
    await prepare(service, web.port, options, resumed);
    failures = await run(service, options, progress, () => writeFileSync(file, JSON.stringify(progress)));
  } finally {
    service.kill('SIGTERM');
    await service.ended();
    await service.halt();
    await web.stop();
  }
  return failures === 0 ? 0 : 1;
}

async function prepare(service: RealService, port: number, options: Options, resumed: boolean): Promise<void> {
  const sent = async (method: string, path: string, body: object): Promise<void> => {
    const { status, text } = await service.call(method, path, { body });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
  };
  // Its port is another one in each run.
  for (const domain of ['shop.example', 'blog.example'])
    await sent('PUT', `/api/sites/${domain}`, { servers: [{ address: '127.0.0.1', port }] });
  if (resumed) return;
  await sent('PUT', '/api/upstreams/front', { networks: ['127.0.0.1'], header: 'x-real-ip' });
  await sent('POST', '/api/blocked-ips/batch', { add: attackedFrom });
  for (const add of batches(options.entries)) await sent('POST', '/api/blocked-ips/batch', { add });
  say(`${options.entries} entries, such as ${address(0)}`);
}

async function run(service: RealService, options: Options, progress: Progress, save: () => void): Promise<number> {
  const { tally } = progress;
  const choices = new Random(progress.seconds + 1);
  const random = () => choices.next();
  let failures = 0;
  const before: Minute[] = [];
  for (let minutes = 1; minutes <= options.minutes && !stopping.signal.aborted; minutes += 1) {
    const began = performance.now();
    for (let second = 0; second < minuteSeconds && !stopping.signal.aborted; second += 1) {
      const clients = clientsOf(progress.seconds, options.entries, options, random);
      // A request that HAProxy counted may have no answer: its connection broke.
      await Promise.all([
        ...sliced(clients.blocked).map((some) => send(service.proxyPort, some, true, tally)),
        ...sliced(clients.others).map((some) => send(service.proxyPort, some, false, tally)),
      ]);
      progress.seconds += 1;
      const rest = (second + 1) * 1_000 - (performance.now() - began);
      if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
    }
    save();
    if (stopping.signal.aborted) break;
    await disturb(service, progress.seconds);
    const minute = await measure(service, options, tally);
    if (minutes === baselineMinutes) progress.baseline ??= minute.memory;
    const wrong = judge(minute, before, progress.baseline);
    failures += wrong.length;
    before.push(minute);
    say(lineOf(progress, minute));
    for (const text of wrong) say(`  ${text}`);
  }
  return failures;
}

/** After each attack a kill, and later a reload. */
async function disturb(service: RealService, second: number): Promise<void> {
  const at = second % cycle.length;
  if (at === cycle.attackTo + 2 * minuteSeconds) {
    say('killing the service');
    service.kill('SIGKILL');
    await service.ended();
    await service.launch();
  }
  if (at === cycle.attackTo + 5 * minuteSeconds) {
    const { status, body } = await service.call('POST', '/api/config/reload');
    say(`reload: ${status} ${String(body['status'] ?? body['detail'])}`);
  }
}

async function measure(service: RealService, { entries }: Options, tally: Tally): Promise<Minute> {
  const memory = memoryOf(await processesOf(service.pid)).now;
  const sizes = sizesOf(service.paths.database);
  return { ...tally, sizes, memory, entries: entries + attackedFrom.length };
}

function lineOf({ seconds, tally }: Progress, { sizes, memory }: Minute): string {
  const rows = Object.entries(sizes.rows).map(([table, count]) => `${table} ${count}`);
  const phase = isAttack(seconds - 1) ? 'attack' : 'calm';
  const sums = `sent ${tally.sent}, 403 ${tally.denied}, stored ${sizes.denied}, not attributed ${sizes.notAttributed}, allowed ${tally.allowed}`;
  return `${new Date().toISOString()} minute ${Math.round(seconds / 60)} ${phase}: service ${memory.toFixed(0)} MB, tables ${sizes.megabytes.toFixed(1)} MB; ${sums}; ${rows.join(', ')}`;
}

/** Requests of one connection. */
const atOnce = 50;

function sliced(clients: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(clients.length / atOnce) }, (_, index) =>
    clients.slice(index * atOnce, (index + 1) * atOnce),
  );
}

await runProgram({ name: 'soak', usage, readOptions, main, stopping });
