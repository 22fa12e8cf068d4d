// A safe reload beside the bare `reload` of a proxy with the same map, until its new worker was seen.

import { median } from '../testkit/load/percentile.ts';
import type { Bench } from './bench.ts';
import type { Figure } from './figures.ts';

const rounds = 3;

export async function* reload(bench: Bench): AsyncGenerator<Figure> {
  const { entries, service, floor } = await bench.large();
  const own: number[] = [];
  const raw: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    await service.quiet();
    own.push((await service.ask('POST', '/api/config/reload')).took);
    await service.quiet();
    raw.push(await floor.reload());
  }
  yield { name: `safe reload at ${entries}`, value: median(own), floor: median(raw), unit: 'ms', goal: null };
}
