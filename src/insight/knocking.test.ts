// Denied addresses in columns, next to a plain model of them.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addTo, Knocking, type Unstored } from './knocking.ts';

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
          expect(knocking.count(now.address, now.hits, around, at)).toBe(before);
          model.count(now.address, now.hits, now.entry, at);
        } else if (now.kind === 'forget') {
          knocking.forget(now.address);
          model.forget(now.address);
        } else if (now.kind === 'touch') {
          knocking.touch(now.entry, at);
          addTo(model.entries, now.entry, { hits: 0, firstHit: at, lastHit: at });
        } else {
          const waiting = knocking.waiting();
          const addresses = waiting.addresses.slice(0, now.addresses);
          knocking.noteStored({ addresses, ...(now.entries && { entries: waiting.entries, gone: waiting.gone }) });
          for (const text of addresses) {
            model.stored.add(text);
            model.changed.delete(text);
          }
          if (now.entries) model.entries.clear();
          if (now.entries) model.gone.clear();
        }
        const { addresses, entries, gone } = knocking.waiting();
        expect([...knocking.all()].map(({ row, ...one }) => one)).toEqual(
          [...model.known].map(([text, one]) => ({ address: text, ...one })),
        );
        expect(new Map(addresses.map((text) => [text, knocking.unstoredIn(text)]))).toEqual(model.changed);
        expect(new Map(entries)).toEqual(model.entries);
        expect(new Set(gone)).toEqual(model.gone);
        expect(knocking.unstored).toBe(addresses.length + entries.length + gone.length);
        for (const { address: text, row, total } of knocking.all()) {
          expect(knocking.lastHitOf(text)).toBe(model.known.get(text)!.lastHit);
          expect(knocking.hours.sum(row)).toBe(total);
        }
      }
    }),
  );
});

it('that is denied again and forgotten again, before anything is stored, is gone for the database too', () => {
  const knocking = new Knocking();
  const text = '192.0.2.9';
  knocking.count(text, 1, null, noon);
  knocking.noteStored({ addresses: [text] });
  knocking.forget(text);
  knocking.count(text, 1, null, noon + 1);
  expect(knocking.waiting()).toMatchObject({ addresses: [text], gone: [] });
  knocking.forget(text);
  expect(knocking.waiting()).toMatchObject({ addresses: [], gone: [text] });
});

it('takes more addresses than it had room for', () => {
  const knocking = new Knocking(10);
  const addresses = Array.from({ length: 5_000 }, (_, n) => `10.0.${n >> 8}.${n & 255}`);
  for (const [n, address] of addresses.entries()) knocking.count(address, n + 1, null, noon + n);
  const all = [...knocking.all()].map(({ address, total, row }) => [address, total, knocking.hours.sum(row)]);
  expect(all).toEqual(addresses.map((address, n) => [address, n + 1, n + 1]));
});
