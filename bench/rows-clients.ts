// Verified blocks a second of 1, 8 and 64 clients. Service, empty handler and raw work alternate within a round.
import { join } from 'node:path';
import { PartProcess } from '../testkit/load/calls.ts';
import { spare } from '../testkit/load/lists.ts';
import { median } from '../testkit/load/percentile.ts';
import type { Bench, Pair } from './bench.ts';
import { EmptyHandler } from './empty-handler.ts';
import type { Figure } from './figures.ts';
import type { LoadCalls } from './load-process.ts';

const rounds = 5;
const millisecondsEach = 1_000;
/** More than any machine uses. */
const addressesEach = 60_000;
const counts = [1, 8, 64] as const;
type Count = (typeof counts)[number];

interface Rates {
  readonly service: Record<Count, number[]>;
  readonly raw: number[];
}

export async function* clients(bench: Bench): AsyncGenerator<Figure> {
  const pairs = await bench.pairs();
  const load = await bench.started.start(
    async () => new PartProcess<LoadCalls>(join(import.meta.dirname, 'load-process.ts')),
  );
  const empty = await bench.started.start(() => EmptyHandler.start());
  const rates = pairs.map((): Rates => ({ service: { 1: [], 8: [], 64: [] }, raw: [] }));
  const emptyRates: Record<Count, number[]> = { 1: [], 8: [], 64: [] };

  const key = pairs[0]!.service.real.key;
  const rateAt = (port: number, count: Count, first: number) =>
    load.call('rate', { port, key, clients: count, ms: millisecondsEach, first });
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    bench.say(`round ${round} of ${rounds}`);
    for (const [index, pair] of pairs.entries()) {
      for (const count of counts) {
        const rate = await rateOfService(bench, pair, count, rateAt);
        if (round > 0) rates[index]!.service[count].push(rate);
      }
      const raw = await pair.floor.raw.call('blocks', bench.spares.some(200));
      if (round > 0) rates[index]!.raw.push(raw.perSecond);
    }
    for (const count of counts) {
      const { perSecond } = await rateAt(empty.port, count, 0);
      if (round > 0) emptyRates[count].push(perSecond);
    }
  }
  await bench.started.stop(empty);
  await bench.started.stop(load);
  for (const [index, { entries }] of pairs.entries()) yield* figuresOf(entries, rates[index]!, emptyRates);
}

async function rateOfService(
  bench: Bench,
  { service }: Pair,
  count: Count,
  rateAt: (port: number, count: Count, first: number) => Promise<{ perSecond: number; sent: number }>,
): Promise<number> {
  const first = bench.spares.reserve(addressesEach);
  const { perSecond, sent } = await rateAt(service.real.apiPort, count, first);
  if (sent > addressesEach) throw new Error(`${sent} blocks in ${millisecondsEach} ms took addresses of others`);
  // Restores the size of the set.
  const ips = Array.from({ length: sent }, (_, offset) => spare(first + offset));
  await service.remove(ips);
  return perSecond;
}

function* figuresOf(entries: number, rates: Rates, emptyRates: Rates['service']): Generator<Figure> {
  const one = median(rates.service[1]);
  const figure = (count: Count, floor: number, goal: number | null, note: string): Figure => ({
    name: `verified blocks at ${entries}, ${count} client${count === 1 ? '' : 's'}`,
    value: median(rates.service[count]),
    floor,
    unit: '/s',
    goal,
    note,
  });
  yield figure(1, median(rates.raw), null, 'floor: raw blocks one after the other');
  for (const count of [8, 64] as const) {
    const counts = count === 64;
    yield figure(count, 8 * one, counts ? 1 : null, 'floor: 8 times one client');
    yield figure(count, median(emptyRates[count]), counts ? 2 : null, 'floor: an empty handler');
  }
}
