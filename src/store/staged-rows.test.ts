import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entry, line, StoreFolder, scattered, storesOf } from '../../testkit/store/store-folder.ts';
import { parseIp, sortKey } from '../domain/ip.ts';
import { presentAmong } from './blocked-keys.ts';
import { BulkStore } from './bulk-store.ts';
import type { Database } from './open-database.ts';
import { StagedBlocks } from './staged-blocks.ts';
import { StagedMerge } from './staged-merge.ts';
import { MOST_ROWS, sortStaged } from './staged-order.ts';
import { compareKeys, KEY_BYTES, type StagedRow, StagedRows } from './staged-rows.ts';

/** Both sides of IPv4's position among IPv6, and networks with the same first address. */
const texts = [
  '::1',
  '::fffe:1.2.3.4',
  '1.2.3.4',
  '1.2.3.0/24',
  '1.2.0.0/16',
  '0.0.0.0/1',
  '128.0.0.0/1',
  '255.255.255.255',
  '::1:0:0:0',
  '2001:db8::',
  '2001:db8::/32',
  '2001:db8::/127',
  '2001:db8::1',
  '2001:db8:0:0:8000::',
  'ff02::1',
];
const at = '2026-11-20T13:00:00.000Z';
const rowOf = fc.record({ text: fc.constantFrom(...texts), form: fc.nat({ max: 6 }) });
const toRow = ({ text, form }: { text: string; form: number }): StagedRow => {
  const of = { op: 'add', entry: entry(text) } as const;
  const rows: StagedRow[] = [
    line(text),
    { op: 'remove', entry: of.entry },
    { ...of, expiry: { kind: 'permanent' } },
    { ...of, expiry: { kind: 'at', at } },
    { ...of, reason: null, expiry: { kind: 'later-of', until: at } },
    { ...of, reason: 'scan', expiry: { kind: 'keep' } },
    { ...of, blockedBy: 'ann', expiry: { kind: 'permanent' } },
  ];
  return rows[form]!;
};
const shown = (rows: StagedRows): unknown[] =>
  Array.from({ length: rows.length }, (_, index) =>
    rows.isRemoval(index) ? { text: rows.text(index) } : rows.addition(index),
  );
const wanted = (rows: readonly StagedRow[]): unknown[] => {
  const last = new Map(rows.map((row) => [row.entry.text, row]));
  return [...last.values()]
    .sort((a, b) => sortKey(a.entry).compare(sortKey(b.entry)))
    .map((row) =>
      row.op === 'remove'
        ? { text: row.entry.text }
        : {
            op: 'add',
            entry: { text: row.entry.text },
            reason: row.reason,
            blockedBy: row.blockedBy,
            expiry: row.expiry,
          },
    );
};

describe('rows of one call', () => {
  it('are sorted by address, each once, with the values of its last row', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(rowOf, { maxLength: 40 }), async (made) => {
        const rows = made.map(toRow);
        const staged = await sortStaged(rows);
        expect(shown(staged)).toEqual(wanted(rows));
        const { keys, kinds } = staged;
        const stored = { keys, kinds: Buffer.from(kinds), details_json: staged.detailsJson() };
        expect(shown(StagedRows.fromStored(stored))).toEqual(wanted(rows));
        const half = staged.length >> 1;
        expect([...shown(staged.slice(0, half)), ...shown(staged.slice(half))]).toEqual(wanted(rows));
        expect(shown(StagedRows.fromStored({ ...stored, details_json: staged.slice(0).detailsJson() }))).toEqual(
          wanted(rows),
        );
      }),
    );
  });

  it('are limited to the number that a row number can distinguish', async () => {
    const many = Array.from({ length: MOST_ROWS }, (_, n) => line(`255.${n % 2}.${n >> 8}.${n & 255}`));
    const staged = await sortStaged(many.reverse());
    expect(staged.length).toBe(MOST_ROWS);
    for (let index = 1; index < staged.length; index++) {
      if (compareKeys(staged.keys, (index - 1) * KEY_BYTES, staged.keys, index * KEY_BYTES) >= 0) expect.fail();
    }
    await expect(sortStaged([...many, line('::1')])).rejects.toThrow(RangeError);
  });

  it('let other work run while they are sorted and written', async () => {
    const folder = new StoreFolder();
    const database = await folder.open();
    const { bulk } = storesOf(database);
    const id = await bulk.begin({ replace: true });
    const rows = Array.from(
      { length: 16_384 },
      (_, n): StagedRow => ({ op: 'add', entry: scattered(n), reason: 'scan', expiry: { kind: 'permanent' } }),
    );
    let breaths = 0;
    const count = () => {
      breaths++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const staged = await bulk.sorted(rows);
    const sorting = breaths;
    await bulk.stageSorted(id, staged);
    clearImmediate(timer);
    expect(sorting).toBeGreaterThanOrEqual(7);
    expect(breaths - sorting).toBeGreaterThanOrEqual(7);
    await folder.remove();
  });
});

it('finds which keys are among others', () => {
  const keysOf = (chosen: readonly string[]) =>
    Buffer.concat(chosen.map((text) => sortKey(entry(text))).sort((a, b) => a.compare(b)));
  fc.assert(
    fc.property(fc.subarray(texts), fc.subarray(texts), (some, others) => {
      const keys = keysOf(some);
      const present = presentAmong(keys, keysOf(others));
      const sorted = [...some].sort((a, b) => sortKey(entry(a)).compare(sortKey(entry(b))));
      expect([...present]).toEqual(sorted.map((text) => (others.includes(text) ? 1 : 0)));
    }),
  );
});

describe('the merge of staged rows', () => {
  let folder: StoreFolder;
  let database: Database;
  beforeEach(async () => {
    folder = new StoreFolder();
    database = await folder.open();
  });
  afterEach(() => folder.remove());

  it('returns every row once, however rows are read, put back or resumed', async () => {
    const step = fc.oneof(
      fc.record({ how: fc.constant('next'), limit: fc.integer({ min: 1, max: 6 }), back: fc.nat({ max: 3 }) }),
      fc.record({ how: fc.constant('upTo'), text: fc.constantFrom(...texts), back: fc.nat({ max: 3 }) }),
      fc.record({ how: fc.constant('again') }),
    );
    const blocks = new StagedBlocks(database.write);
    const property = fc.asyncProperty(
      fc.array(fc.array(rowOf, { maxLength: 8 }), { maxLength: 5 }),
      fc.array(step, { maxLength: 12 }),
      async (calls, steps) => {
        const bulk = new BulkStore(database);
        const id = await bulk.begin({ replace: false });
        const rows = calls.map((call) => call.map(toRow));
        for (const call of rows) await bulk.stage(id, call);
        const open = (after: Buffer | null) => StagedMerge.open(blocks, database.read, Number(id), after);
        const got: unknown[] = [];
        let position: Buffer | null = null;
        let merge = await open(null);
        for (const made of [...steps, { how: 'next' as const, limit: 1_000, back: 0 }]) {
          const before: Buffer | null = position;
          if (made.how === 'again') merge = await open(position);
          else {
            const { limit, text, back } = made as { limit?: number; text?: string; back: number };
            const last = text === undefined ? null : sortKey(entry(text));
            if (last !== null && before !== null && last.compare(before) < 0) continue;
            const taken = last === null ? await merge.next(limit!) : await merge.nextUpTo(last);
            const kept = Math.max(0, taken.length - back);
            if (kept > 0) position = Buffer.from(taken.key(kept - 1));
            if (kept < taken.length) merge.putBack(taken, kept, position ?? Buffer.alloc(0));
            else if (last !== null) position = last;
            got.push(...shown(taken.slice(0, kept)));
          }
          expect(merge.standsAfter(position)).toBe(true);
        }
        for (let rest = await merge.next(3); rest.length > 0; rest = await merge.next(3)) got.push(...shown(rest));
        expect(merge.isOver).toBe(true);
        expect(got).toEqual(wanted(rows.flat()));
        await bulk.discard(id);
      },
    );
    await fc.assert(property, { numRuns: 80 });
  });
});

it('an entry is restored from its sort key', () => {
  for (const text of texts) {
    const parsed = parseIp(text);
    if (!parsed.ok) throw new Error(parsed.why);
    const keys = sortKey(parsed.entry);
    expect(new StagedRows(keys, new Uint8Array(1), new Map()).text(0)).toBe(parsed.entry.text);
  }
});
