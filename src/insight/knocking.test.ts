// Denied addresses in columns, next to a plain model of them.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { knownAddresses, rowOf } from '../../testkit/insight/known-addresses.ts';
import { TimeSlice } from '../concurrency/slices.ts';
import { canonicalEntry } from './canonical.ts';
import { noRow } from './key-rows.ts';
import { addTo, Knocking, type Unstored } from './knocking.ts';
import { deniedInDay } from './knocking-page.ts';

const noon = 1_763_640_000;
const address = fc.constantFrom('192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::1');
const entry = fc.constantFrom('192.0.2.1', '192.0.2.0/24', '2001:db8::/32', null);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('count' as const), address, entry, hits: fc.integer({ min: 1, max: 9 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const), address }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('touch' as const), entry: fc.constant('192.0.2.0/24') }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('store' as const), addresses: fc.nat(3), entries: fc.boolean() }),
  },
);

interface Known {
  readonly entry: string | null;
  readonly total: number;
  readonly firstHit: number;
  readonly lastHit: number;
}

/** In the order of the last requests. */
class Model {
  readonly known = new Map<string, Known>();
  readonly stored = new Set<string>();
  readonly changed = new Map<string, Map<string, Unstored>>();
  readonly entries = new Map<string, Unstored>();
  readonly gone = new Set<string>();

  count(text: string, hits: number, by: string | null, at: number): void {
    const { total = 0, firstHit = at, lastHit = at } = this.known.get(text) ?? {};
    this.known.delete(text);
    this.known.set(text, { entry: by, total: total + hits, firstHit, lastHit: Math.max(lastHit, at) });
    // Known to the database still: forgotten again before it is stored, it is gone again.
    if (this.gone.delete(text)) this.stored.add(text);
    const entries = this.changed.get(text) ?? new Map<string, Unstored>();
    this.changed.set(text, entries);
    if (by !== null) addTo(entries, by, { hits, firstHit: at, lastHit: at });
  }

  forget(text: string): void {
    for (const [by, more] of this.changed.get(text) ?? []) addTo(this.entries, by, more);
    this.changed.delete(text);
    if (this.stored.has(text) && this.known.delete(text)) this.gone.add(text);
    this.known.delete(text);
    this.stored.delete(text);
  }
}

it('remembers, forgets and stores what a plain model does', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.integer({ min: -5, max: 60 }))), (steps) => {
      const [knocking, model] = [new Knocking(), new Model()];
      let at = noon;
      for (const [now, later] of steps) {
        at += later;
        if (now.kind === 'count') {
          const before = model.known.get(now.address)?.lastHit ?? null;
          const around = now.entry === null ? null : { entry: now.entry };
          expect(knocking.count(rowOf(knocking, now.address), now.hits, around, at)).toBe(before);
          model.count(now.address, now.hits, now.entry, at);
        } else if (now.kind === 'forget') {
          const row = knocking.find(canonicalEntry(now.address).words);
          if (row !== noRow) knocking.forget(row);
          model.forget(now.address);
        } else if (now.kind === 'touch') {
          knocking.touch(now.entry, at);
          addTo(model.entries, now.entry, { hits: 0, firstHit: at, lastHit: at });
        } else {
          const waiting = knocking.waiting();
          const rows = waiting.rows.slice(0, now.addresses);
          knocking.noteStored({ rows, ...(now.entries && { entries: waiting.entries, gone: waiting.gone }) });
          for (const text of rows.map((row) => knocking.textOf(row))) {
            model.stored.add(text);
            model.changed.delete(text);
          }
          if (now.entries) model.entries.clear();
          if (now.entries) model.gone.clear();
        }
        const { rows, entries, gone } = knocking.waiting();
        expect(knownAddresses(knocking).map(({ row, ...one }) => one)).toEqual(
          [...model.known].map(([text, one]) => ({ address: text, ...one })),
        );
        expect(new Map(rows.map((row) => [knocking.textOf(row), knocking.unstoredIn(row)]))).toEqual(model.changed);
        expect(new Map(entries)).toEqual(model.entries);
        const waiting = [...model.entries, ...[...model.changed.values()].flatMap((one) => [...one])];
        for (const one of ['192.0.2.1', '192.0.2.0/24', '2001:db8::/32']) {
          const hits = waiting.reduce((sum, [by, more]) => sum + (by === one ? more.hits : 0), 0);
          expect(knocking.unstoredOf(new Set([one])).get(one) ?? 0).toBe(hits);
        }
        expect(new Set(gone)).toEqual(model.gone);
        expect(knocking.unstored).toBe(rows.length + entries.length + gone.length);
        for (const { address: text, entry: by, row, total } of knownAddresses(knocking)) {
          expect(knocking.hours.sum(row)).toBe(total);
          expect(knocking.networkOf(row)).toBe(by === text ? null : by);
          for (const one of ['192.0.2.1', '192.0.2.0/24']) expect(knocking.deniedBy(one)(row)).toBe(by === one);
        }
      }
    }),
  );
});

it('that is denied again and forgotten again, before anything is stored, is gone for the database too', () => {
  const knocking = new Knocking();
  const text = '192.0.2.9';
  const count = (at: number) => {
    const row = rowOf(knocking, text);
    knocking.count(row, 1, null, at);
    return row;
  };
  const first = count(noon);
  knocking.noteStored({ rows: [first] });
  knocking.forget(first);
  const again = count(noon + 1);
  expect(knocking.waiting()).toMatchObject({ rows: [again], gone: [] });
  knocking.forget(again);
  expect(knocking.waiting()).toMatchObject({ rows: [], gone: [text] });
});

it('takes more addresses than it had room for', () => {
  const knocking = new Knocking(10);
  const addresses = Array.from({ length: 5_000 }, (_, n) => `10.0.${n >> 8}.${n & 255}`);
  for (const [n, address] of addresses.entries()) knocking.count(rowOf(knocking, address), n + 1, null, noon + n);
  const all = knownAddresses(knocking).map(({ address, total, row }) => [address, total, knocking.hours.sum(row)]);
  expect(all).toEqual(addresses.map((address, n) => [address, n + 1, n + 1]));
});

it('shows no address that was only read, and leaves it gone for the database', async () => {
  const knocking = new Knocking(2);
  const [one, other] = ['192.0.2.1', '192.0.2.2'].map((text) => rowOf(knocking, text)) as [number, number];
  knocking.count(one, 1, null, noon);
  knocking.noteStored({ rows: [one] });
  knocking.forget(one);
  const again = rowOf(knocking, '192.0.2.1');
  expect(knownAddresses(knocking)).toEqual([]);
  expect([knocking.lastHitOf(again), knocking.lastHitOf(noRow), knocking.size]).toEqual([undefined, undefined, 2]);
  expect(knocking.waiting()).toMatchObject({ rows: [], gone: ['192.0.2.1'] });
  const forgotten: number[] = [];
  rowOf(knocking, '192.0.2.3');
  await knocking.trim(TimeSlice.ofItems(), (row) => forgotten.push(row));
  expect(forgotten).toEqual([other]);
  expect(knocking.waiting().gone).toEqual(['192.0.2.1']);
});

it('a row of a forgotten address has nothing of it', () => {
  const knocking = new Knocking();
  const row = rowOf(knocking, '192.0.2.1');
  knocking.counters.set(row, [1, 5]);
  knocking.count(row, 5, { entry: '192.0.2.0/24' }, noon);
  knocking.forget(row);
  expect(knocking.lastHitOf(row)).toBeUndefined();
  expect(rowOf(knocking, '2001:db8::1')).toBe(row);
  expect(knocking.counters.get(row)).toBeUndefined();
  knocking.count(row, 2, null, noon + 1);
  expect(knownAddresses(knocking)).toEqual([
    { address: '2001:db8::1', entry: null, total: 2, firstHit: noon + 1, lastHit: noon + 1, row },
  ]);
  expect(knocking.hours.sum(row)).toBe(2);
});

it('reports no address that was forgotten meanwhile, nor the one in its row, with its hits', async () => {
  const knocking = new Knocking();
  const [one, other] = ['192.0.2.1', '192.0.2.2'].map((text) => rowOf(knocking, text)) as [number, number];
  knocking.count(one, 1, null, noon);
  knocking.count(other, 2, null, noon);
  const seen: string[] = [];
  await deniedInDay(knocking, noon + 20, (address) => {
    seen.push(address);
    knocking.forget(other);
    expect(rowOf(knocking, '192.0.2.3')).toBe(other);
    knocking.count(other, 3, null, noon + 10);
  });
  expect(seen).toEqual(['192.0.2.1']);
});
