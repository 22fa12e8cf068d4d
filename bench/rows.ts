// The figures, each against its own floor. Service and floor take turns, operation by operation, so that a machine
// that slows down slows both.
import type { Figure } from './figures.ts';
import { median, percentile } from './figures.ts';
import { type Floor, timed } from './floor.ts';
import { spare } from './lists.ts';
import type { ServiceUnderTest } from './service-under-test.ts';
import { trafficRow } from './traffic.ts';

export interface Bench {
  readonly entries: number;
  readonly bin: string;
  readonly service: ServiceUnderTest;
  readonly floor: Floor;
  readonly loaded: {
    readonly service: number;
    readonly floor: { readonly database: number; readonly payload: number; readonly listing: number };
  };
}

type Row = (bench: Bench) => Promise<Figure[]>;

const pairs = 300;
const throughputMs = 3_000;
let nextSpare = 0;

export const rows: Readonly<Record<string, Row>> = {
  traffic: trafficRow,

  async put({ entries, loaded }) {
    const floor = loaded.floor.database + loaded.floor.payload + loaded.floor.listing;
    return [{ name: `PUT of ${entries}, to verified`, value: loaded.service, floor, unit: 'ms', goal: 2.5 }];
  },

  async block({ entries, service, floor }) {
    const took: Record<'service' | 'floor' | 'serviceOut' | 'floorOut', number[]> = {
      service: [],
      floor: [],
      serviceOut: [],
      floorOut: [],
    };
    for (let pair = 0; pair < pairs; pair += 1) {
      const ip = spare(nextSpare);
      nextSpare += 1;
      took.service.push(await service.block(ip));
      took.floor.push(await floor.block(ip));
      took.serviceOut.push(await service.unblock(ip));
      took.floorOut.push(await floor.unblock(ip));
    }
    const figure = (
      name: string,
      own: readonly number[],
      raw: readonly number[],
      share: number,
      goal: number | null,
    ): Figure => ({
      name: `${name} at ${entries}, p${share * 100}`,
      value: percentile(own, share),
      floor: percentile(raw, share),
      unit: 'ms',
      goal,
    });
    return [
      figure('one block', took.service, took.floor, 0.5, 2),
      figure('one block', took.service, took.floor, 0.99, null),
      figure('one unblock', took.serviceOut, took.floorOut, 0.5, 2),
      figure('one unblock', took.serviceOut, took.floorOut, 0.99, null),
    ];
  },

  async clients({ entries, service }) {
    const rates = new Map<number, number>();
    for (const clients of [1, 8, 64]) rates.set(clients, await rateOf(clients, () => service.block(nextAddress())));
    const empty = await rateOf(64, () => service.empty());
    const figure = (clients: number, floor: number | null, goal: number | null, note: string): Figure => ({
      name: `verified blocks at ${entries}, ${clients} clients${note}`,
      value: rates.get(clients)!,
      floor,
      unit: '/s',
      goal,
    });
    return [
      figure(1, null, null, ''),
      figure(8, null, null, ''),
      figure(64, 8 * rates.get(1)!, 1, ', against 8 times one client'),
      figure(64, empty, 2, ', against an empty handler'),
    ];
  },

  async sync({ entries, service, floor }) {
    const own: number[] = [];
    const raw: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      own.push(await service.post('/api/blocked-ips/sync'));
      raw.push((await floor.listing()) + floor.readTable());
    }
    return [
      { name: `sync with nothing to do at ${entries}`, value: median(own), floor: median(raw), unit: 'ms', goal: 4 },
    ];
  },

  async reload({ entries, service, floor }) {
    const own: number[] = [];
    const raw: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      own.push(await service.post('/api/config/reload'));
      raw.push(await timed(() => floor.proxy.reload()));
    }
    return [{ name: `safe reload at ${entries}`, value: median(own), floor: median(raw), unit: 'ms', goal: null }];
  },

  async memory({ entries, service }) {
    const { now, peak } = service.memory();
    return [
      { name: `memory at ${entries}, after all of it`, value: now, floor: null, unit: 'MB', goal: null },
      { name: `memory at ${entries}, peak`, value: peak, floor: null, unit: 'MB', goal: 500 },
    ];
  },
};

function nextAddress(): string {
  nextSpare += 1;
  return spare(nextSpare);
}

/** Operations a second of so many clients, each with one request under way at all times. */
async function rateOf(clients: number, operation: () => Promise<unknown>): Promise<number> {
  let done = 0;
  const began = performance.now();
  const client = async (): Promise<void> => {
    while (performance.now() - began < throughputMs) {
      await operation();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return (done * 1_000) / (performance.now() - began);
}
