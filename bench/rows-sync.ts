// Sync with nothing to do, and with missing, foreign and wrong entries.

import { median } from '../testkit/load/percentile.ts';
import { atAMillion, type Bench, type Pair } from './bench.ts';
import type { Figure } from './figures.ts';
import type { Differences } from './floor-process.ts';

export async function* sync(bench: Bench): AsyncGenerator<Figure> {
  const pair = await bench.large();
  yield await nothingToDo(pair);
  for (const [count, rounds] of [
    [100, 3],
    [100_000, 2],
  ] as const) {
    const possible = Math.min(count, Math.floor(pair.entries / 2));
    if (possible < 3) continue;
    bench.say(`${possible} differences`);
    yield await withDifferences(bench, pair, possible, rounds);
    if (possible < count) return;
  }
}

async function nothingToDo({ entries, service, floor }: Pair): Promise<Figure> {
  const own: number[] = [];
  const raw: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    await service.quiet();
    const { took, body } = await service.ask('POST', '/api/blocked-ips/sync');
    if (body.runtime_map_synced !== true) throw new Error(`not synced: ${JSON.stringify(body).slice(0, 300)}`);
    const floorTook = (await floor.raw.call('listing')) + (await floor.raw.call('readTable'));
    if (round === 0) continue;
    own.push(took);
    raw.push(floorTook);
  }
  const name = `sync with nothing to do at ${entries}`;
  return { name, value: median(own), floor: median(raw), unit: 'ms', goal: atAMillion(entries, 4) };
}

async function withDifferences(bench: Bench, pair: Pair, count: number, rounds: number): Promise<Figure> {
  const own: number[] = [];
  const raw: number[] = [];
  let spoiled = 0;
  while (own.length < rounds) {
    const differences = differencesOf(bench, pair, count);
    const took = await syncAfter(pair, differences);
    if (took === null) {
      // The service's own check came first.
      spoiled += 1;
      bench.say('repaired before the sync by the reconciler; again');
      if (spoiled > 5) throw new Error(`the differences were gone before the sync, ${spoiled} times`);
      continue;
    }
    own.push(took);
    const { masterSocket, blockedMap: map } = pair.floor.proxy.paths;
    await pair.floor.raw.call('disturb', { masterSocket, map }, differences);
    raw.push(await pair.floor.raw.call('repair', differences));
    bench.say(`${count} differences: ${Math.round(took)} ms, floor ${Math.round(raw.at(-1)!)} ms`);
  }
  const name = `sync with ${count} differences at ${pair.entries}`;
  return { name, value: median(own), floor: median(raw), unit: 'ms', goal: null };
}

/** As many of each kind, so that the count stays the same; from another part of the list each time. */
export function differencesOf(bench: Pick<Bench, 'spares'>, { list }: Pick<Pair, 'list'>, count: number): Differences {
  const third = Math.floor(count / 3);
  const stray = bench.spares.some(third);
  return { missing: list.slice(0, third), wrong: list.slice(third, 2 * third), stray };
}

/** Null: the reconciler repaired it first. */
async function syncAfter(pair: Pair, differences: Differences): Promise<number | null> {
  await makeDifferences(pair, differences);
  return await syncOf(pair);
}

export async function makeDifferences({ service, floor }: Pair, differences: Differences): Promise<void> {
  await service.quiet();
  const { masterSocket, blockedMap: map } = service.real.paths;
  // Its check, every two seconds, would find a half-made difference.
  service.real.kill('SIGSTOP');
  try {
    await floor.raw.call('disturb', { masterSocket, map }, differences);
  } finally {
    service.real.kill('SIGCONT');
  }
}

export async function syncOf({ service }: Pick<Pair, 'service'>): Promise<number | null> {
  const { took, body } = await service.ask('POST', '/api/blocked-ips/sync');
  if (body.runtime_map_synced !== true) throw new Error(`not synced: ${JSON.stringify(body).slice(0, 300)}`);
  return Number(body.added) + Number(body.removed) > 0 ? took : null;
}
