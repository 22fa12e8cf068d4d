// A complete list into an empty set, by `PUT` and by `batch`. Every round starts new services, databases and proxies.
import { basename } from 'node:path';
import { type ListSource, listOf } from '../testkit/load/lists.ts';
import { median } from '../testkit/load/percentile.ts';
import { atAMillion, type Bench, withEmpty } from './bench.ts';
import type { Figure } from './figures.ts';

/** One is enough for batches that take half a minute. */
const roundsOf = (entries: number): number => (entries > 300_000 ? 1 : 3);

export async function* put(bench: Bench): AsyncGenerator<Figure> {
  yield* bulk(bench, 'PUT', { kind: 'ipv4', entries: bench.entries }, 3);
  yield* bulk(bench, 'PUT', { kind: 'mixed', entries: bench.entries }, 3);
  for (const path of bench.lists) yield* bulk(bench, 'PUT', { kind: 'file', path }, 3);
}

export async function* batch(bench: Bench): AsyncGenerator<Figure> {
  yield* bulk(bench, 'batch', { kind: 'ipv4', entries: bench.entries }, roundsOf(bench.entries));
  yield* bulk(bench, 'batch', { kind: 'mixed', entries: bench.entries }, roundsOf(bench.entries));
  for (const path of bench.lists) yield* bulk(bench, 'batch', { kind: 'file', path }, 1);
}

async function* bulk(bench: Bench, by: 'PUT' | 'batch', source: ListSource, rounds: number): AsyncGenerator<Figure> {
  const list = listOf(source);
  const name = `${by} of ${list.length} (${source.kind === 'file' ? basename(source.path) : names[source.kind]})`;
  const own: number[] = [];
  const raw: number[] = [];
  let peak = 0;
  for (let round = 1; round <= rounds; round += 1) {
    bench.say(`${name}, round ${round} of ${rounds}`);
    await withEmpty(bench, async ({ service, floor }) => {
      own.push(await (by === 'PUT' ? service.put(list) : service.batch(list)));
      peak = Math.max(peak, (await service.memory()).peak);
      const { database, payload, listing } = await floor.raw.call('load', source);
      raw.push(database + payload + listing);
    });
  }
  yield {
    name: `${name}, to verified`,
    value: median(own),
    floor: median(raw),
    unit: 'ms',
    goal: atAMillion(list.length, 2.5),
  };
  yield { name: `memory, peak in ${name}`, value: peak, floor: null, unit: 'MB', goal: 500 };
}

const names = { ipv4: 'IPv4', mixed: 'IPv4, IPv6, networks' } as const;
