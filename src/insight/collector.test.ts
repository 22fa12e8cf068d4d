// What a reading adds, next to a source of entries that notes what it is asked for.
import { expect, it } from 'vitest';
import { knownAddress, knownAddresses } from '../../testkit/insight/known-addresses.ts';
import type { IpWords } from '../domain/ip.ts';
import { ActiveAddresses } from './active-addresses.ts';
import { Attribution } from './attribution.ts';
import { Collector } from './collector.ts';
import { Knocking } from './knocking.ts';
import { LoudClients } from './loud-clients.ts';
import { Points } from './points.ts';
import type { InsightReading, WorkerReading } from './readings.ts';

const noon = Date.parse('2026-11-20T12:00:00Z');
const network = '10.0.0.0/8';
const wordsOf = (n: number): IpWords => [0, 0, 0xffff, 0x0a000000 + n];
const textOf = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

function setUp(most?: number) {
  const lookups: string[][] = [];
  const source = {
    /** Fails from this call on. */
    failsFrom: Number.POSITIVE_INFINITY,
    generation: async () => 1,
    around: async (addresses: readonly string[]) => {
      lookups.push([...addresses]);
      if (lookups.length >= source.failsFrom) throw new Error('the disk is broken');
      return new Map(addresses.map((one) => [one, { entry: network, source: 1, others: 0 }]));
    },
  };
  const knocking = new Knocking(most);
  const collector = new Collector(
    {
      ...{ knocking, clients: new LoudClients(), points: new Points(), active: new ActiveAddresses() },
      attribution: new Attribution(source),
      label: async () => 1,
      names: async () => ({ siteOf: (name) => name, kindOf: () => 'manual', sourceOf: () => 'manual' }),
      entries: () => 1,
    },
    undefined,
    null,
  );
  let round = 0;
  const take = async (more: Partial<WorkerReading>) => {
    round += 1;
    const worker: WorkerReading = {
      ...{ pid: 100, startedAt: new Date(noon), current: true, handsOver: true, used: new Map() },
      ...{ denied: [], rejected: new Map(), sites: new Map(), backends: new Map() },
      ...{ clients: new Map(), requests: 0, deniedRequests: 0, ...more },
    };
    const reading: InsightReading = {
      ...{ at: new Date(noon + round * 10_000), whole: false, missing: [], workers: [worker] },
      master: { pid: 1, startedAt: new Date(noon) },
    };
    return await collector.take(reading);
  };
  return { source, lookups, knocking, take };
}

const denied = (numbers: readonly number[], value = 1) =>
  numbers.map((n) => ({ address: wordsOf(n), value, lately: value, at: null }));
const rejected = (numbers: readonly number[]) => new Map(numbers.map((n) => [textOf(n), 1] as const));

it('looks up 1,000 addresses at a time, each once', async () => {
  const { lookups, knocking, take } = setUp();
  await take({ denied: denied(range(0, 2_500)), deniedRequests: 2_500 });
  expect(lookups.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
  await take({ denied: denied(range(0, 2_501), 2), deniedRequests: 5_001 });
  expect(lookups.slice(3)).toEqual([[textOf(2_500)]]);
  expect(knocking.size).toBe(2_501);
});

it('looks nothing more up once the database has failed, and counts all the same', async () => {
  const { source, lookups, knocking, take } = setUp();
  source.failsFrom = 2;
  const counted = await take({ denied: denied(range(0, 2_500)), deniedRequests: 2_500, rejected: rejected([9_999]) });
  expect(lookups.length).toBe(2);
  expect(counted.failure).toEqual({ error: new Error('the disk is broken') });
  const entries = Map.groupBy(knownAddresses(knocking), ({ entry }) => entry);
  expect([entries.get(network)?.length, entries.get(null)?.length]).toEqual([1_000, 1_500]);
});

it('counts and attributes more new addresses in a reading than it remembers', async () => {
  const { knocking, take } = setUp(2);
  const counted = await take({ denied: denied(range(0, 5)), deniedRequests: 5 });
  expect(counted).toMatchObject({ denied: 5, notAttributed: 0 });
  expect(knownAddresses(knocking).map(({ address }) => address)).toEqual([textOf(3), textOf(4)]);
  expect(knocking.waiting().entries).toEqual([[network, expect.objectContaining({ hits: 3 })]]);
  // Rows of the forgotten ones are of others now.
  await take({ denied: denied(range(5, 8)), deniedRequests: 8 });
  expect(knownAddresses(knocking).map(({ address, entry, total }) => [address, entry, total])).toEqual([
    [textOf(6), network, 1],
    [textOf(7), network, 1],
  ]);
});

it('gives the row of a forgotten address the entry of its new one', async () => {
  const { source, knocking, take } = setUp(1);
  await take({ denied: denied([1]), deniedRequests: 1 });
  source.around = async () => new Map();
  await take({ denied: denied([2]), deniedRequests: 2 });
  await take({ denied: denied([3]), deniedRequests: 3 });
  expect(knownAddress(knocking, textOf(3))?.entry).toBeNull();
});

it('looks up addresses whose connections were closed once, however many others were before', async () => {
  const { lookups, take } = setUp();
  const [some, others] = [range(0, 25_000), range(30_000, 31_000)];
  await take({ rejected: rejected(some) });
  await take({ rejected: rejected(others) });
  lookups.length = 0;
  await take({ rejected: rejected(others), denied: denied([30_500]), deniedRequests: 1 });
  expect(lookups).toEqual([[textOf(30_500)]]);
});
