import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { liveBytes } from '../../testkit/live-bytes.ts';
import type { CounterReading } from './counter-column.ts';
import { Counters } from './counters.ts';
import { Workers } from './workers.ts';

const noon = new Date('2026-11-20T12:00:00.000Z');
const later = (seconds: number): Date => new Date(noon.getTime() + seconds * 1_000);
const reading = (number: number, started: number, at: number, handsOver: boolean): CounterReading => ({
  ...{ at: later(at), number, startedAt: later(started), handsOver },
});
const shared = (number: number, at: number, started = 0) => reading(number, started, at, true);
const separate = (number: number, at: number, started = 0) => reading(number, started, at, false);
const one = (value: number) => new Map([['192.0.2.1', value]]);
const usedMegabytes = async () => (await liveBytes()) / 1_000_000;
const sum = (increases: ReadonlyMap<string, number>) => [...increases.values()].reduce((all, value) => all + value, 0);

describe('counters of HAProxy', () => {
  it('count from 0 in a new worker to which nothing was handed over', () => {
    const counters = new Counters(10);
    expect(sum(counters.advance(separate(1, 10), one(7)))).toBe(7);
    expect(sum(counters.advance(separate(1, 20), one(7)))).toBe(0);
    expect(sum(counters.advance(separate(2, 30, 25), one(9)))).toBe(9);
  });

  it('count from the highest known value in a new worker that received it', async () => {
    const counters = new Counters(10);
    counters.advance(shared(1, 10), one(100));
    expect(sum(counters.advance(shared(2, 20, 15), one(103)))).toBe(3);
    // An address that was idle meanwhile, also after the earlier worker has exited.
    counters.advance(shared(2, 20, 15), new Map([['::1', 50]]));
    await counters.keep(new Set([2]), 1);
    expect(sum(counters.advance(shared(3, 3_605, 3_600), new Map([['::1', 51]])))).toBe(1);
  });

  it('count from the highest value that may have been handed over, if the last worker may have lost its tables', async () => {
    const counters = new Counters(10);
    counters.advance(shared(1, 10), one(50));
    await counters.keep(new Set(), 1);
    expect(sum(counters.advance(shared(2, 20, 15), one(5)))).toBe(5);
    await counters.keep(new Set([2]), 1);
    const late = new Counters(10);
    late.restore('192.0.2.1', counters.stored('192.0.2.1')!, 1);
    expect(sum(counters.advance(shared(3, 130, 120), one(10)))).toBe(5);
    // The value of worker 2 arrives after the first reading, below what was counted until then or above.
    for (const [first, second, more] of [
      [2, 8, 3],
      [4, 5, 0],
      [3, 50, 0],
      [3, 53, 3],
    ] as const) {
      const again = new Counters(10);
      again.restore('192.0.2.1', late.stored('192.0.2.1')!, 1);
      expect(sum(again.advance(shared(3, 125, 120), one(first)))).toBe(first);
      expect(sum(again.advance(shared(3, 135, 120), one(second)))).toBe(more);
    }
    late.advance(shared(3, 125, 120), one(20));
    expect(sum(late.advance(shared(3, 135, 120), one(7)))).toBe(2);
  });

  it('count from 0 since HAProxy was started again', async () => {
    const counters = new Counters(10);
    counters.advance(shared(1, 10), one(50));
    await counters.keep(new Set(), 2);
    expect(sum(counters.advance(shared(2, 20, 15), one(60)))).toBe(60);
    const restarted = new Counters(10);
    restarted.restore('192.0.2.1', counters.stored('192.0.2.1')!, 3);
    expect(sum(restarted.advance(shared(3, 20, 15), one(70)))).toBe(70);
    expect(restarted.stored('192.0.2.1')).toBe('3:70');
  });

  it('recognise a value that a peer hands over late', () => {
    const counters = new Counters(10);
    counters.advance(shared(1, 10), one(100));
    expect(sum(counters.advance(shared(2, 20, 15), one(4)))).toBe(4);
    expect(sum(counters.advance(shared(2, 30, 15), one(106)))).toBe(6);
    // Long after the start, a jump is traffic.
    expect(sum(counters.advance(shared(1, 40), one(900)))).toBe(794);
    expect(sum(counters.advance(shared(2, 500, 15), one(1_106)))).toBe(1_000);
  });

  it('start again at 0 when a value falls', () => {
    const counters = new Counters(10);
    counters.advance(shared(1, 10), one(1_000));
    expect(sum(counters.advance(shared(1, 20), one(3)))).toBe(3);
    expect(sum(counters.advance(shared(2, 30, 25), one(5)))).toBe(2);
  });

  it('keep large numbers', () => {
    const counters = new Counters(100);
    const [worker, value] = [2 ** 20, 2 ** 32];
    for (const number of [1, worker - 1, worker, worker + 1]) {
      for (const start of [1, value - 2, value - 1, value, value + 1]) {
        const key = `${number} ${start}`;
        counters.advance(separate(number, 10), new Map([[key, start]]));
        expect(counters.stored(key)).toBe(`${number}:${start}`);
        expect(sum(counters.advance(separate(number, 20), new Map([[key, start + 2]])))).toBe(2);
        expect(counters.stored(key)).toBe(`${number}:${start + 2}`);
      }
    }
  });

  it('forget those longest without a change', () => {
    const counters = new Counters(2);
    for (const [key, value] of [
      ['a', 1],
      ['b', 1],
      ['a', 2],
      ['c', 1],
    ] as const)
      counters.advance(separate(1, 10), new Map([[key, value]]));
    expect([...counters.names()]).toEqual(['a', 'c']);
  });

  it('forget in the order of the last change, whatever was forgotten before', () => {
    const change = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(change, { maxLength: 40 }), (most, changes) => {
        const counters = new Counters(most);
        let known: string[] = [];
        for (const [value, key] of changes.entries()) {
          known = [...known.filter((other) => other !== key), key].slice(-most);
          counters.advance(separate(1, 10), new Map([[key, value + 1]]));
          expect([...counters.names()]).toEqual(known);
        }
      }),
    );
  });

  it('cost as much each, however many there are', () => {
    /** Processor time of 40,000 new keys. Least of three: a collection of garbage may fall into any. */
    const costOf = (most: number): number => {
      const counters = new Counters(most);
      const advance = (from: number, count: number, value: number) => {
        const keys = Array.from({ length: count }, (_, n) => [`${from + n}`, value] as const);
        const values = new Map(keys);
        const began = process.threadCpuUsage();
        counters.advance(separate(1, 10), values);
        const { user, system } = process.threadCpuUsage(began);
        return user + system;
      };
      advance(0, most, 1);
      // All of them move to the end.
      advance(0, most, 2);
      return Math.min(...[1, 2, 3].map((batch) => advance(most + batch * 40_000, 40_000, 1)));
    };
    costOf(500);
    expect(costOf(60_000)).toBeLessThan(10 * costOf(500));
  });

  it('do not retain the tables that their map has outgrown', async () => {
    const most = 1_000;
    const counters = new Counters(most);
    const keys = Array.from({ length: most + 1 }, (_, n) => `${n}`);
    // One is forgotten.
    for (const key of keys) counters.advance(separate(1, 10), new Map([[key, 1]]));
    const before = await usedMegabytes();
    for (let value = 2; value <= 400; value += 1)
      counters.advance(separate(1, 10), new Map(keys.slice(1).map((key) => [key, value])));
    expect((await usedMegabytes()) - before).toBeLessThan(2);
    expect(counters.size).toBe(most);
  });

  it('continue after a restart of the service', async () => {
    const before = new Counters(10);
    before.advance(shared(1, 10), one(10));
    expect(before.stored('192.0.2.1')).toBe('1:10');
    before.advance(shared(2, 20, 15), one(14));
    expect(before.stored('192.0.2.1')).toBe('1:10 2:14');
    const after = new Counters(10);
    after.restore('192.0.2.1', before.stored('192.0.2.1')!, 1);
    expect(sum(after.advance(shared(1, 80), one(12)))).toBe(2);
    expect(sum(after.advance(shared(2, 80, 15), one(20)))).toBe(6);
    expect(sum(after.advance(shared(3, 80, 70), one(25)))).toBe(5);
    await after.keep(new Set(), 1);
    expect(after.stored('192.0.2.1')).toBe('3:25');
    await after.keep(new Set(), 4);
    expect(after.stored('192.0.2.1')).toBe('');
    after.restore('192.0.2.1', '', 1);
    expect(sum(after.advance(shared(4, 80, 70), one(2)))).toBe(2);
    expect(before.stored('::1')).toBeNull();
    for (const text of ['x', '5 ', '1@2', '1:-3', '1:3 '])
      expect(() => after.restore('::1', text, 1)).toThrow(/::1 cannot be read/);
  });

  it.each(['14', '14 1:10', '14 1:10 2:14'])('continue from what an earlier version stored: %s', (text) => {
    const counters = new Counters(10);
    counters.restore('192.0.2.1', text, new Workers({ next: 3, workers: [] }).first);
    expect(sum(counters.advance(shared(3, 80, 70), one(16)))).toBe(2);
  });

  const step = fc.oneof(
    fc.record({ kind: fc.constant('hits' as const), key: fc.constantFrom('a', 'b', 'c'), hits: fc.nat(50) }),
    fc.record({ kind: fc.constantFrom('read', 'reload', 'restart', 'kill') }),
  );

  /** A table per worker, as HAProxy keeps it; a reload begins a new one. */
  it.each([true, false])(
    'add up to what was counted, through reloads and restarts (handed over: %s)',
    async (handsOver) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
          let counters = new Counters(10);
          const totals = new Map<string, number>();
          const truth = new Map<string, number>();
          let table = new Map<string, number>();
          let [pid, first] = [1, 1];
          const read = async (): Promise<void> => {
            for (const [key, more] of counters.advance(reading(pid, pid * 100, pid * 100, handsOver), table))
              totals.set(key, (totals.get(key) ?? 0) + more);
            await counters.keep(new Set([pid]), first);
          };
          for (const now of steps) {
            if (now.kind === 'hits' && 'key' in now && now.hits > 0) {
              table.set(now.key, (table.get(now.key) ?? 0) + now.hits);
              truth.set(now.key, (truth.get(now.key) ?? 0) + now.hits);
            } else if (now.kind === 'read') await read();
            else if (now.kind === 'reload') {
              // The service reads before its own reload.
              await read();
              table = new Map(handsOver ? table : []);
              pid += 1;
            } else if (now.kind === 'kill') {
              // What it counted after the last reading is lost.
              for (const key of truth.keys()) truth.set(key, totals.get(key) ?? 0);
              table = new Map();
              pid += 1;
              first = pid;
              await counters.keep(new Set(), first);
            } else if (now.kind === 'restart') {
              const restarted = new Counters(10);
              for (const key of counters.names()) restarted.restore(key, counters.stored(key)!, first);
              counters = restarted;
            }
          }
          await read();
          for (const [key, hits] of truth) expect(totals.get(key) ?? 0).toBe(hits);
        }),
      );
    },
  );

  it('never count more than happened, and exactly all without a hand-over', () => {
    const hits = fc.record({ worker: fc.nat(2), hits: fc.nat(20), read: fc.boolean() });
    fc.assert(
      fc.property(fc.array(hits), (events) => {
        const counters = new Counters(10);
        const tables = [0, 0, 0];
        let total = 0;
        for (const [at, { worker: index, hits: more, read }] of events.entries()) {
          tables[index]! += more;
          if (!read) continue;
          const increase = sum(counters.advance(separate(index, at), one(tables[index]!)));
          expect(increase).toBeGreaterThanOrEqual(0);
          total += increase;
        }
        for (const [index, value] of tables.entries()) total += sum(counters.advance(separate(index, 0), one(value)));
        expect(total).toBe(tables.reduce((all, value) => all + value, 0));
      }),
    );
  });
});

describe('numbers of workers', () => {
  const worker = (pid: number, seconds: number) => ({ pid, startedAt: later(seconds) });

  it('differ for a worker and a later one with the same pid, also after a restart', () => {
    const workers = new Workers();
    expect([worker(7, 0), worker(8, 0), worker(7, 4), worker(7, 100)].map((one) => workers.numberOf(one))).toEqual([
      1, 2, 1, 3,
    ]);
    expect(workers.keep([{ pid: 7 }])).toEqual(new Set([1, 3]));
    expect(workers.keep([{ pid: 7 }])).toBeNull();
    const restarted = new Workers(workers.stored);
    expect(restarted.first).toBe(1);
    expect(restarted.numberOf(worker(7, 100))).toBe(3);
    expect(restarted.numberOf(worker(8, 0))).toBe(4);
    expect(restarted.knows(worker(9, 0))).toBe(false);
  });

  it('show which were before HAProxy was started again, unless that is not known', () => {
    const workers = new Workers();
    const take = (
      master: ReturnType<typeof worker> | null,
      now: ReturnType<typeof worker>[],
      missing: number[] = [],
    ) => {
      const again = workers.startedAgain(
        master,
        now,
        missing.map((pid) => ({ pid })),
      );
      for (const one of now) workers.numberOf(one);
      return [again, workers.first];
    };
    expect(take(null, [worker(7, 0)])).toEqual([false, 1]);
    expect(take(worker(1, 0), [worker(7, 0), worker(8, 10)])).toEqual([false, 1]);
    // Computed from an uptime, and a reload.
    expect(take(worker(1, 1), [worker(9, 20)])).toEqual([false, 1]);
    expect(take(worker(1, 30), [worker(7, 30)])).toEqual([true, 4]);
    expect(take(null, [worker(8, 40)])).toEqual([false, 4]);
    // Its worker was counted before it was known.
    expect(take(worker(1, 40), [worker(8, 40)])).toEqual([false, 4]);
    expect(take(worker(2, 50), [worker(9, 50)], [8])).toEqual([false, 4]);
    const restarted = new Workers(workers.stored);
    expect(restarted.first).toBe(4);
    expect(restarted.startedAgain(worker(2, 50), [worker(10, 90)], [])).toBe(false);
    expect(restarted.startedAgain(worker(2, 99), [worker(10, 99)], [])).toBe(true);
    expect(restarted.first).toBe(7);
  });
});
