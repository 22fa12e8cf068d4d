// However many addresses are denied, a block does not wait until all of them are counted and sorted.
import { beforeEach, expect, it } from 'vitest';
import { TimeSlice } from '../concurrency/slices.ts';
import { TurnQueue } from '../concurrency/turn-queue.ts';
import { ActiveAddresses } from './active-addresses.ts';
import type { Attribution } from './attribution.ts';
import { Collector } from './collector.ts';
import { Flusher } from './flusher.ts';
import { KeyedCounters } from './keyed-counters.ts';
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
  const attribution: Pick<Attribution, 'of'> = { of: async (all) => new Map(all.map((one) => [one, around])) };
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
  Array.from({ length: many }, (_, n) => ({ address: addressOf(n), value, lately: value, at }));

it('counts 40,000 denied addresses in slices', async () => {
  const readings = [0, 1, 2, 3].map((round) => reading(round, { denied: denied(round + 1) }));
  expect(await leastOf(async (round) => await collector.take(readings[round]!))).toBeLessThan(0.25);
});

it('counts 40,000 addresses of a whole table in slices', async () => {
  const readings = [0, 1, 2, 3].map((round) => reading(round, { denied: denied(round + 1, noon / 1_000) }));
  const take = async (round: number) => await collector.take({ ...readings[round]!, whole: true });
  expect(await leastOf(take)).toBeLessThan(0.25);
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
      knocking.count(addressOf((n * 7_919) % many), 1 + (n % 100), null, noon / 1_000 + round * 3_600);
  };
  const flush = async (round: number) => await flusher.flush(noon / 1_000 + (round + 1) * 3_600);
  expect(await leastOf(flush, knock)).toBeLessThan(0.25);
});

it('forgets what 100,000 addresses counted in a worker that exited, in slices', async () => {
  const counters = new KeyedCounters({ most: 100_000 });
  const addresses = Array.from({ length: 100_000 }, (_, n) => `${n}`);
  const bothWorkers = (round: number) => {
    for (const address of addresses) counters.set(address, [round, 1, round + 1, 2]);
  };
  const forget = async (round: number) => await counters.keep(new Set([round + 1]), 1, TimeSlice.ofItems());
  expect(await leastOf(forget, bothWorkers)).toBeLessThan(0.5);
  expect(counters.get('0')).toEqual([4, 2]);
});
