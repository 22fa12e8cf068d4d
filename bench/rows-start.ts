// From nothing to ready, with a proxy and without.

import { median } from '../testkit/load/percentile.ts';
import type { Bench } from './bench.ts';
import type { Figure } from './figures.ts';

const rounds = 3;

export async function* start(bench: Bench): AsyncGenerator<Figure> {
  const { entries, service, floor } = await bench.large();
  const whole = { own: [] as number[], raw: [] as number[] };
  const alone = { own: [] as number[], raw: [] as number[] };
  for (let round = 1; round <= rounds; round += 1) {
    bench.say(`round ${round} of ${rounds}`);
    whole.own.push(await service.restart('service and proxy'));
    await service.quiet();
    const table = await floor.raw.call('readTable');
    whole.raw.push((await floor.restartProxy()) + table);
    alone.own.push(await service.restart('service'));
    await service.quiet();
    alone.raw.push((await floor.raw.call('listing')) + (await floor.raw.call('readTable')));
  }
  const figure = (name: string, { own, raw }: typeof whole, note: string): Figure => ({
    name: `${name} at ${entries}`,
    value: median(own),
    floor: median(raw),
    unit: 'ms',
    goal: null,
    note,
  });
  yield figure('start of service and proxy', whole, "floor: HAProxy's start with that map, and reading the table");
  yield figure('start of the service', alone, 'floor: one listing and reading the table');
}
