// One client, one address at a time. Sizes and floors alternate by operation, so that a slow machine slows all.

import { percentile } from '../testkit/load/percentile.ts';
import type { Bench, Pair } from './bench.ts';
import type { Figure } from './figures.ts';

const rounds = 300;
/** Code that has not run yet is slow. */
const warmUp = 50;

interface Times {
  readonly service: number[];
  readonly floor: number[];
  /** The floor's connection alone: `add map` or `del map`, and the read-back. */
  readonly proxy: number[];
}

export async function* block(bench: Bench): AsyncGenerator<Figure> {
  const pairs = await bench.pairs();
  const times = pairs.map(() => ({ block: none(), unblock: none() }));
  for (let round = -warmUp; round < rounds; round += 1) {
    if (round % 100 === 0) bench.say(`round ${round} of ${rounds}`);
    for (const [index, pair] of pairs.entries()) {
      const counted = round >= 0 ? times[index]! : { block: none(), unblock: none() };
      await blockAndUnblock(pair, bench.spares.next(), counted);
    }
  }
  for (const [index, { entries }] of pairs.entries()) {
    yield* figuresOf('block', entries, times[index]!.block, 2);
    yield* figuresOf('unblock', entries, times[index]!.unblock, null);
  }
  if (pairs.length < 2) return;
  const [small, large] = [pairs[0]!, pairs.at(-1)!];
  const between = `${large.entries} against ${small.entries} entries, p50`;
  for (const what of ['block', 'unblock'] as const) {
    const [less, more] = [times[0]![what], times.at(-1)![what]];
    const scans = what === 'unblock' && bench.proxy.deletesScan;
    // The floor is the smaller size here.
    const note = 'floor: the service at the smaller size';
    const grows = growth(`one ${what}, ${between}`, less.service, more.service);
    yield { ...grows, goal: scans ? null : 1.2, note };
    yield { ...growth(`the raw work of one ${what}, ${between}`, less.floor, more.floor), note: 'no service in it' };
    if (!scans) continue;
    yield {
      ...growth(`one unblock at ${large.entries} entries, p50`, more.proxy, more.service),
      goal: 1.2,
      note: 'floor: raw `del map` alone, which scans',
    };
  }
}

function none(): Times {
  return { service: [], floor: [], proxy: [] };
}

async function blockAndUnblock(
  { service, floor }: Pair,
  ip: string,
  to: { block: Times; unblock: Times },
): Promise<void> {
  for (const what of ['block', 'unblock'] as const) {
    to[what].service.push(await service[what](ip));
    const raw = await floor.raw.call(what, ip);
    to[what].floor.push(raw.whole);
    to[what].proxy.push(raw.proxy);
  }
}

function* figuresOf(what: string, entries: number, { service, floor }: Times, goal: number | null): Generator<Figure> {
  for (const share of [0.5, 0.99]) {
    yield {
      name: `one ${what} at ${entries}, p${share * 100}`,
      value: percentile(service, share),
      floor: percentile(floor, share),
      unit: 'ms',
      goal: share === 0.5 ? goal : null,
    };
  }
}

function growth(name: string, less: readonly number[], more: readonly number[]): Figure {
  return { name, value: percentile(more, 0.5), floor: percentile(less, 0.5), unit: 'ms', goal: null };
}
