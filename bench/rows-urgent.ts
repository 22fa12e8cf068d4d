// A block every 20 ms during a long operation; the goal is a time. The floor is a synced write of 4 kB by another process
// at the same pace: no block can be durable before the disk is.
import { join } from 'node:path';
import { PartProcess } from '../testkit/load/calls.ts';
import { address, spare } from '../testkit/load/lists.ts';
import { percentile } from '../testkit/load/percentile.ts';
import { type Bench, type Pair, withEmpty } from './bench.ts';
import type { Figure } from './figures.ts';
import type { LoadCalls } from './load-process.ts';
import { differencesOf, makeDifferences, syncOf } from './rows-sync.ts';

const everyMs = 20;
/** Enough for an hour. */
const addressesEach = 180_000;

export type Load = PartProcess<LoadCalls>;

export async function* urgent(bench: Bench): AsyncGenerator<Figure> {
  const pair = await bench.large();
  const load = await startLoad(bench);
  const { service, list, entries } = pair;
  const half = Math.floor(entries / 2);
  const changed = [...list.slice(0, half).map((_, index) => address(entries + index)), ...list.slice(half)];

  bench.say('while a list is imported');
  yield* await withEmpty(bench, (empty) =>
    during(bench, load, empty, `an import of ${entries}`, () => empty.service.put(list)),
  );
  bench.say('while half of the list changes');
  yield* await during(bench, load, pair, `a PUT that changes half of ${entries}`, async () => {
    await service.put(changed);
    await service.put(list);
  });
  bench.say('while it syncs');
  yield* await during(bench, load, pair, `syncs with nothing to do at ${entries}`, async () => {
    for (let round = 0; round < 3; round += 1) await service.ask('POST', '/api/blocked-ips/sync');
  });
  const differences = differencesOf(bench, pair, Math.min(100_000, half));
  // The service is stopped meanwhile.
  await makeDifferences(pair, differences);
  yield* await during(
    bench,
    load,
    pair,
    `a sync with ${3 * differences.missing.length} differences`,
    () => syncOf(pair),
    'at once',
  );
  await bench.started.stop(load);
}

export function startLoad({ started }: Bench): Promise<Load> {
  return started.start(async () => new PartProcess<LoadCalls>(join(import.meta.dirname, 'load-process.ts')));
}

export async function during(
  bench: Bench,
  load: Load,
  { service }: Pick<Pair, 'service'>,
  what: string,
  work: () => Promise<unknown>,
  when: 'quiet' | 'at once' = 'quiet',
): Promise<Figure[]> {
  if (when === 'quiet') await service.quiet();
  const first = bench.spares.reserve(addressesEach);
  const { apiPort: port, key, paths } = service.real;
  await load.call('startPace', { port, key, first, everyMs, folder: paths.prefix });
  let result: { latencies: number[]; sent: number; syncs: number[] };
  try {
    await work();
  } finally {
    result = await load.call('endPace');
  }
  await service.remove(Array.from({ length: result.sent }, (_, offset) => spare(first + offset)));
  const figure = (share: number, name: string, goal: number | null): Figure => ({
    name: `urgent block during ${what}, ${name}`,
    value: percentile(result.latencies, share),
    floor: percentile(result.syncs, share),
    unit: 'ms',
    goal,
    goalOf: 'value',
    note: 'floor: a synced write',
  });
  return [figure(0.99, 'p99', null), figure(1, 'longest', 100)];
}
