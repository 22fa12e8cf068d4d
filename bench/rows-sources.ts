// A list of a second source, three tenths of the set: two thirds of it blocked already, or all new. Every round starts
// new services, databases and proxies.
import Database from 'better-sqlite3';
import { address } from '../testkit/load/lists.ts';
import { median } from '../testkit/load/percentile.ts';
import { atAMillion, type Bench, type Pair, startPair } from './bench.ts';
import type { Figure } from './figures.ts';
import { settled } from './rows-memory.ts';
import { during, startLoad } from './rows-urgent.ts';
import type { ServiceUnderTest } from './service-under-test.ts';

const source = 'second';
const rounds = 3;

interface Kind {
  /** Blocked already, by `manual`. */
  readonly shared: readonly string[];
  readonly fresh: readonly string[];
}

interface Times {
  readonly own: number[];
  readonly raw: number[];
  readonly again: number[];
  readonly rawAgain: number[];
}

export async function* sources(bench: Bench): AsyncGenerator<Figure> {
  const { entries } = bench;
  const [two, three] = [0.2, 0.3].map((share) => Math.max(2, Math.floor(entries * share))) as [number, number];
  const shared: Kind = { shared: addresses(0, two), fresh: addresses(entries, three - two) };
  const fresh: Kind = { shared: [], fresh: addresses(entries, three) };
  const times = { shared: none(), fresh: none() };
  const peaks: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, kind] of [
      ['shared', shared],
      ['fresh', fresh],
    ] as const) {
      bench.say(`${name}, round ${round} of ${rounds}`);
      const weigh = round === 1 && name === 'shared';
      yield* await withPair(bench, (pair) => putSecond(pair, kind, times[name], peaks, weigh));
    }
  }
  const what = (kind: Kind): string =>
    `PUT of ${three} of a second source, ${kind.shared.length} of them blocked already, at ${entries}`;
  const { shared: some, fresh: all } = times;
  yield figure(what(shared), some.own, some.raw);
  yield figure(what(fresh), all.own, all.raw);
  yield {
    ...figure(what(shared), some.own, all.own),
    note: 'floor: the service, none of them blocked',
    goal: atAMillion(entries, 1.3),
  };
  yield figure(`${what(shared)}, the same again`, some.again, some.rawAgain);
  yield {
    name: `memory, peak in a PUT of ${three} of a second source`,
    value: Math.max(...peaks),
    floor: null,
    unit: 'MB',
    goal: 500,
  };
  yield* await urgentMeanwhile(bench, [...shared.shared, ...shared.fresh]);
}

async function putSecond(
  { entries, service, floor }: Pair,
  { shared, fresh }: Kind,
  times: Times,
  peaks: number[],
  weigh: boolean,
): Promise<Figure[]> {
  const list = [...shared, ...fresh];
  const before = weigh ? await weightOf(service) : null;
  await service.forgetPeak();
  times.own.push(await service.put(list, source));
  peaks.push((await service.memory()).peak);
  await service.quiet();
  times.raw.push(await floor.raw.call('change', [], fresh, shared));
  const after = before === null ? null : await weightOf(service);
  times.again.push(await service.put(list, source));
  await service.quiet();
  times.rawAgain.push(await floor.raw.call('change', [], [], []));
  if (before === null || after === null) return [];
  const note = 'floor: the service, before the second source';
  const claims = (entries + list.length) / (entries + fresh.length);
  return [
    {
      name: `database at ${entries + fresh.length} entries with ${claims.toFixed(2)} claims each`,
      value: after.database,
      floor: before.database,
      unit: 'MB',
      goal: atAMillion(entries, 1.25),
      note,
    },
    {
      name: `memory, idle with a second source at ${entries + fresh.length}`,
      value: after.memory,
      floor: before.memory,
      unit: 'MB',
      goal: null,
      note,
    },
  ];
}

async function urgentMeanwhile(bench: Bench, list: readonly string[]): Promise<Figure[]> {
  bench.say('while the list of a second source arrives');
  const load = await startLoad(bench);
  try {
    return await withPair(bench, (pair) =>
      during(bench, load, pair, `a PUT of ${list.length} of a second source`, async () => {
        await pair.service.put(list, source);
        await pair.service.put(list, source);
      }),
    );
  } finally {
    await bench.started.stop(load);
  }
}

async function withPair<T>(bench: Bench, work: (pair: Pair) => Promise<T>): Promise<T> {
  const pair = await startPair(bench, bench.entries);
  try {
    return await work(pair);
  } finally {
    await bench.started.stop(pair.service);
    await bench.started.stop(pair.floor);
  }
}

/** Megabytes. Pages in use: how far the file grew meanwhile depends on the order of changes. */
async function weightOf(service: ServiceUnderTest): Promise<{ memory: number; database: number }> {
  await service.quiet();
  const memory = await settled(service);
  const database = new Database(service.real.paths.database, { readonly: true, fileMustExist: true });
  try {
    const pragma = (name: string): number => Number(database.pragma(name, { simple: true }));
    const pages = pragma('page_count') - pragma('freelist_count');
    return { memory, database: (pages * pragma('page_size')) / 2 ** 20 };
  } finally {
    database.close();
  }
}

function addresses(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, offset) => address(first + offset));
}

function none(): Times {
  return { own: [], raw: [], again: [], rawAgain: [] };
}

function figure(name: string, own: readonly number[], raw: readonly number[]): Figure {
  return { name: `${name}, to verified`, value: median(own), floor: median(raw), unit: 'ms', goal: null };
}
