// However many addresses are denied, a block does not wait until all of them are counted and sorted.
import { beforeEach, expect, it } from 'vitest';
import { rowOf } from '../../testkit/insight/known-addresses.ts';
import { TimeSlice } from '../concurrency/slices.ts';
import { TurnQueue } from '../concurrency/turn-queue.ts';
import { addressEntry, type IpWords } from '../domain/ip.ts';
import { ActiveAddresses } from './active-addresses.ts';
import type { Attribution } from './attribution.ts';
import { canonicalEntry } from './canonical.ts';
import { Collector } from './collector.ts';
import { EntryHitFigures } from './entry-hits.ts';
import { Flusher } from './flusher.ts';
import { ForgottenCounters } from './forgotten-counters.ts';
import { Knocking } from './knocking.ts';
import { LoudClients } from './loud-clients.ts';
import { Points } from './points.ts';
import type { InsightReading, WorkerReading } from './readings.ts';

const many = 40_000;
const addressOf = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${(n * 7) & 255}`;
const noon = Date.parse('2026-11-20T12:00:00Z');

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
/** Processor time: what other processes take does not count. */
const spentMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** The longest turn of the event loop, as a share of all of them. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let working = true;
  const turns: number[] = [];
  let last = spentMs();
  const note = (): void => {
    const now = spentMs();
    turns.push(now - last);
    last = now;
    if (working) setImmediate(note);
  };
  setImmediate(note);
  await work().finally(() => {
    working = false;
  });
  await turn();
  return Math.max(...turns) / turns.reduce((sum, ms) => sum + ms, 0);
}

/** Least of three: a collection of garbage may fall into any turn. @param prepare is not measured */
async function leastOf(
  work: (round: number) => Promise<unknown>,
  prepare: (round: number) => void = () => undefined,
): Promise<number> {
  const shares: number[] = [];
  for (const round of [1, 2, 3]) {
    prepare(round);
    shares.push(await longestTurn(() => work(round)));
  }
  return Math.min(...shares);
}

const worker: WorkerReading = {
  ...{ pid: 100, startedAt: new Date(noon), current: true, handsOver: true, used: new Map() },
  ...{ denied: [], rejected: new Map(), sites: new Map(), backends: new Map() },
  ...{ clients: new Map(), requests: 0, deniedRequests: 0 },
};
const reading = (round: number, more: Partial<WorkerReading>): InsightReading => ({
  ...{ at: new Date(noon + round * 10_000), whole: false, missing: [], master: { pid: 1, startedAt: new Date(noon) } },
  workers: [{ ...worker, ...more }],
});

let knocking: Knocking;
let collector: Collector;
beforeEach(() => {
  knocking = new Knocking();
  const around = { entry: '10.0.0.0/8', source: 1, others: 0 };
  const attribution: Pick<Attribution, 'of' | 'ofRows' | 'startReading'> = {
    startReading: () => undefined,
    of: async (some) => new Map(some.map((one) => [one, around])),
    ofRows: async (rows) => rows.map(() => around),
  };
  collector = new Collector(
    {
      ...{ knocking, clients: new LoudClients(), points: new Points(), active: new ActiveAddresses() },
      attribution: attribution as Attribution,
      label: async () => 1,
      names: async () => ({ siteOf: (name) => name, kindOf: () => 'manual', sourceOf: () => 'manual' }),
      entries: () => 1,
    },
    undefined,
    null,
  );
});
const denied = (value: number, at: number | null = null) =>
  Array.from({ length: many }, (_, n) => ({ address: canonicalEntry(addressOf(n)).words, value, lately: value, at }));

it('counts 40,000 denied addresses in slices', async () => {
  const readings = [0, 1, 2, 3].map((round) => reading(round, { denied: denied(round + 1) }));
  expect(await leastOf(async (round) => await collector.take(readings[round]!))).toBeLessThan(0.25);
});

it('counts 40,000 addresses of a whole table in slices', async () => {
  const readings = [0, 1, 2, 3].map((round) => reading(round, { denied: denied(round + 1, noon / 1_000) }));
  const take = async (round: number) => await collector.take({ ...readings[round]!, whole: true });
  expect(await leastOf(take)).toBeLessThan(0.25);
});

it('finds the entries of 40,000 addresses whose connections were closed in slices', async () => {
  const rejected = new Map(Array.from({ length: many }, (_, n) => [`2001:db8:${n.toString(16)}::1`, 1] as const));
  const readings = [0, 1, 2, 3].map((round) => reading(round, { rejected }));
  expect(await leastOf(async (round) => await collector.take(readings[round]!))).toBeLessThan(0.25);
});

it('sums 40,000 entries that are addresses in slices', async () => {
  for (let n = 0; n < many; n += 1) {
    const words: IpWords = [0x20010db8, n, 0, 1];
    knocking.count(knocking.rowOf(words), 1, { entry: addressEntry(words).text }, noon / 1_000);
  }
  const figures = new EntryHitFigures({ insight: { reading: null } as never, hits: {} as never });
  const snapshot = async (round: number) =>
    await figures.snapshot({ state: { knocking } } as never, noon / 1_000 + round * 3_600);
  expect(await leastOf(snapshot)).toBeLessThan(0.25);
});

it('counts 40,000 clients in slices', async () => {
  const clients = new LoudClients();
  const counts = [0, 1, 2, 3].map(
    (round) =>
      new Map(
        Array.from({ length: many }, (_, n) => [addressOf(n), { requests: round + 1, rate: 1, errors: 0 }] as const),
      ),
  );
  expect(await leastOf((round) => clients.count(1, counts[round]!, noon / 1_000 + round * 10))).toBeLessThan(0.25);
});

it('sorts and stores 40,000 changed addresses in slices', async () => {
  await collector.take(reading(0, {}));
  const hits = { write: async () => undefined, putHour: async () => undefined, hasDay: async () => true };
  const flusher = new Flusher({
    ...{ collector, knocking, points: new Points(), states: () => ({}), dropped: () => undefined },
    ...{ hits: hits as never, series: { write: async () => undefined } as never, turns: new TurnQueue() },
    siteHours: { put: async () => undefined } as never,
  });
  const knock = (round: number) => {
    for (let n = 0; n < many; n += 1)
      knocking.count(rowOf(knocking, addressOf((n * 7_919) % many)), 1 + (n % 100), null, noon / 1_000 + round * 3_600);
  };
  const flush = async (round: number) => await flusher.flush(noon / 1_000 + (round + 1) * 3_600);
  expect(await leastOf(flush, knock)).toBeLessThan(0.25);
});

it('forgets what 100,000 addresses counted in a worker that exited, in slices', async () => {
  const rows = Array.from({ length: 100_000 }, (_, n) => knocking.rowOf([0, 0, 0xffff, n]));
  const bothWorkers = (round: number) => {
    for (const row of rows) knocking.counters.set(row, [round, 1, round + 1, 2]);
  };
  const forget = async (round: number) => await knocking.keepCounters(new Set([round + 1]), 1, TimeSlice.ofItems());
  expect(await leastOf(forget, bothWorkers)).toBeLessThan(0.5);
  expect(knocking.counters.get(rows[0]!)).toEqual([4, 2]);
});

it('forgets the oldest of 100,000 addresses in slices', async () => {
  knocking = new Knocking(10);
  const forgotten = new ForgottenCounters();
  const fill = () => {
    for (let n = 0; n < 100_000; n += 1) knocking.count(knocking.rowOf([0x20010db8, n, 0, 1]), 1, null, noon / 1_000);
    knocking.noteStored(knocking.waiting());
  };
  const trim = async () =>
    await knocking.trim(TimeSlice.ofItems(), (row) => forgotten.note(knocking.wordsOf(row), 1, noon / 1_000));
  expect(await leastOf(trim, fill)).toBeLessThan(0.5);
  expect(knocking.size).toBe(10);
});
