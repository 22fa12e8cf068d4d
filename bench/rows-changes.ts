// A `PUT` that changes little, much, or nothing, and back.

import { address } from '../testkit/load/lists.ts';
import { median } from '../testkit/load/percentile.ts';
import type { Bench, Pair } from './bench.ts';
import type { Figure } from './figures.ts';

export async function* changes(bench: Bench): AsyncGenerator<Figure> {
  const pair = await bench.large();
  for (const [share, rounds] of [
    [0, 1],
    [0.01, 2],
    [0.5, 1],
  ] as const) {
    const count = share === 0 ? 0 : Math.max(1, Math.floor(pair.entries * share));
    const what = share === 0 ? 'nothing' : `${share * 100} %`;
    bench.say(`a PUT that changes ${what}`);
    const took = await changeThereAndBack(bench, pair, count, rounds);
    yield {
      name: `PUT of ${pair.entries} that changes ${what}, to verified`,
      value: median(took.service),
      floor: median(took.floor),
      unit: 'ms',
      goal: null,
    };
  }
}

async function changeThereAndBack(
  bench: Bench,
  { service, floor, list, entries }: Pair,
  count: number,
  rounds: number,
) {
  const outgoing = list.slice(0, count);
  const incoming = outgoing.map((_, index) => address(entries + index));
  const changed = [...incoming, ...list.slice(count)];
  const took = { service: [] as number[], floor: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    for (const [sent, removals, additions] of [
      [changed, outgoing, incoming],
      [list, incoming, outgoing],
    ] as const) {
      await service.quiet();
      took.service.push(await service.put(sent));
      await service.quiet();
      took.floor.push(await floor.raw.call('change', removals, additions));
      bench.say(`${count} changed: ${Math.round(took.service.at(-1)!)} ms, floor ${Math.round(took.floor.at(-1)!)} ms`);
    }
  }
  return took;
}
