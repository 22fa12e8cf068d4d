import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TurnQueue } from '../../concurrency/turn-queue.ts';
import type { RuntimeMap } from '../../haproxy/maps/runtime-map.ts';
import type { MirroredMap } from '../mirrored-map.ts';
import { ChangeWindows } from '../write/change-windows.ts';
import { bucketOf, Fingerprint } from './fingerprint.ts';
import { verifyWorker } from './verification.ts';

const worker = { kind: 'current' } as const;

/** A worker with these listings, one after the other; the last one repeats. */
function listing(
  expected: Fingerprint,
  listings: readonly (() => readonly (readonly [string, string])[])[],
): MirroredMap & { asked: number } {
  const map = {
    asked: 0,
    name: 'blocked',
    expected,
    runtime: {
      runtimeMapKeys: async (_deadline: number, take: (batch: { key: string; value: string }[]) => void) => {
        const entries = (listings[map.asked] ?? listings.at(-1)!)();
        map.asked += 1;
        take(entries.map(([key, value]) => ({ key, value })));
        return { count: entries.length };
      },
    } as unknown as RuntimeMap,
    async *scan() {
      yield [] as string[];
    },
    reread: async () => undefined,
    members: async () => new Set<string>(),
  } satisfies MirroredMap & { asked: number };
  return map;
}

const texts = ['192.0.2.1', '192.0.2.2', '198.51.100.0/24'];
const all = () => texts.map((text) => [text, '1'] as const);
function expectedOf(...list: string[]): Fingerprint {
  const print = new Fingerprint();
  for (const text of list) print.add(text);
  return print;
}

describe('the proof that a worker is in sync', () => {
  it('needs one listing if it equals the database', async () => {
    const map = listing(expectedOf(...texts), [all]);
    expect(await verifyWorker(map, worker, new ChangeWindows(), new TurnQueue(), 0)).toEqual({
      inSync: true,
      entries: 3,
    });
    expect(map.asked).toBe(1);
  });

  it.each([
    ['a missing entry', () => all().slice(1)],
    ['a duplicate', () => [...all(), all()[0]!]],
    ['a value 0', () => [...all().slice(1), [texts[0]!, '0'] as const]],
    ['one lost and one duplicate', () => [...all().slice(1), all()[1]!]],
  ])('is refused for %s', async (_what, spoilt) => {
    const map = listing(expectedOf(...texts), [spoilt]);
    expect(await verifyWorker(map, worker, new ChangeWindows(), new TurnQueue(), 0)).toMatchObject({ inSync: false });
  });

  it('does not count a change during the listing as a difference, and proves its bucket by another listing', async () => {
    const windows = new ChangeWindows();
    const expected = expectedOf(...texts);
    const late = '203.0.113.9';
    // The listing precedes the change in the worker; the comparison follows it in the database.
    const during = () => {
      const end = windows.begin([late]);
      expected.add(late);
      end();
      return all();
    };
    const map = listing(expected, [during, () => [...all(), [late, '1'] as const]]);
    expect(await verifyWorker(map, worker, windows, new TurnQueue(), 0)).toEqual({ inSync: true, entries: 4 });
    expect(map.asked).toBe(2);
  });

  it('finds a difference elsewhere while changes go on', async () => {
    const windows = new ChangeWindows();
    const end = windows.begin(['203.0.113.9']);
    const map = listing(expectedOf(...texts), [() => all().slice(1)]);
    expect(bucketOf('203.0.113.9')).not.toBe(bucketOf(texts[0]!));
    expect(await verifyWorker(map, worker, windows, new TurnQueue(), 0)).toMatchObject({ inSync: false });
    end();
  });

  it('uses a listing inside the turn if an address changed during every other', async () => {
    const windows = new ChangeWindows();
    const turns = new TurnQueue();
    const expected = expectedOf(...texts);
    let changing = true;
    // A busy client that changes the same address over and over, each time in a turn.
    const busy = (async () => {
      while (changing) {
        await turns.take('urgent', async () => {
          const end = windows.begin([texts[0]!]);
          await setImmediate();
          end();
        });
      }
    })();
    const map = listing(expected, [() => all().slice(1)]);
    expect(await verifyWorker(map, worker, windows, turns, 0)).toEqual({ inSync: false, entries: 2 });
    changing = false;
    await busy;
  });
});

describe('a window', () => {
  it('is invalidated by changes under way at its start or begun before its end, and by no others', () => {
    const windows = new ChangeWindows();
    const before = windows.begin(['192.0.2.1']);
    windows.begin(['192.0.2.7'])();
    const window = windows.open();
    const during = windows.begin(['192.0.2.2']);
    before();
    during();
    windows.close(window);
    windows.begin(['192.0.2.3'])();
    expect(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.7'].map((text) => window.isTainted(text))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
