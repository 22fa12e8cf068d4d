import { afterEach, beforeEach, expect, it } from 'vitest';
import { entry, line, NOON, nothing, StoreFolder, storesOf } from '../../testkit/store/store-folder.ts';
import type { ClaimStep } from './claim-steps.ts';
import type { Database } from './open-database.ts';
import { UNDO_KEPT, UndoRecords } from './undo-records.ts';

let folder: StoreFolder;
let database: Database;
let records: UndoRecords;
beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  records = new UndoRecords(database.write);
});
afterEach(() => folder.remove());

const said = { reason: 'list', blocked_by: 'ann', claimed_at: NOON.toISOString(), expires_at: null };
const steps = (count: number): ClaimStep[] =>
  Array.from({ length: count }, (_, n) => ({ ip_address: `${n}`, source: 1, before: null, after: said }));
const begin = (id: number, at = NOON) =>
  database.write
    .transaction()
    .execute((transaction) =>
      transaction.getExecutor().provideConnection((connection) => records.begin(connection, id, at.toISOString())),
    );
async function read(id: number): Promise<ClaimStep[]> {
  const all: ClaimStep[] = [];
  for await (const block of records.read(id)) all.push(...block);
  return all;
}

it('gives every step back, in blocks', async () => {
  await begin(1);
  const mixed: ClaimStep[] = [
    { ip_address: '192.0.2.1', source: 2, before: said, after: { ...said, expires_at: NOON.toISOString() } },
    { ip_address: '192.0.2.2', source: 1, before: { ...said, reason: null, blocked_by: null }, after: null },
  ];
  await records.add(database.write, 1, mixed);
  await records.add(database.write, 1, steps(3));
  expect(await read(1)).toEqual([...mixed, ...steps(3)]);
  expect(await records.find(1)).toEqual({ claims: 5, complete: true });
  expect(await records.find(2)).toBeNull();
});

it('keeps nothing of a change of too many claims', async () => {
  await begin(1);
  await records.add(database.write, 1, steps(UNDO_KEPT.claimsOfOne));
  expect(await records.find(1)).toMatchObject({ complete: true });
  await records.add(database.write, 1, steps(1));
  expect(await records.find(1)).toMatchObject({ complete: false });
  await database.write
    .transaction()
    .execute(async (transaction) => expect(await records.isOpen(transaction, 1)).toBe(false));
  await records.forget(database.write, NOON);
  expect(await read(1)).toEqual([]);
  expect(await records.find(1)).toMatchObject({ complete: false });
});

it('forgets the oldest, by age and by number', async () => {
  const later = new Date(NOON.getTime() + UNDO_KEPT.days * 86_400_000);
  for (const [id, at] of [
    [1, NOON],
    [2, later],
  ] as const) {
    await begin(id, at);
    await records.add(database.write, id, steps(2));
  }
  await records.forget(database.write, later);
  expect(await read(1)).toHaveLength(2);
  await records.forget(database.write, new Date(later.getTime() + 1));
  expect([await records.find(1), await read(1)]).toEqual([null, []]);
  for (let id = 3; id < UNDO_KEPT.changes + 3; id++) await begin(id, later);
  await records.forget(database.write, later);
  expect([await records.find(2), await read(2)]).toEqual([null, []]);
  expect(await records.find(3)).not.toBeNull();
});

it('records what a bulk change does, also after a crash between its slices', async () => {
  const { store, bulk } = storesOf(database);
  await store.applyGroup([{ op: 'add', entry: entry('192.0.2.9'), expiry: { kind: 'permanent' } }], NOON, nothing);
  const id = await bulk.begin({ replace: true, requestedBy: 'ann' });
  await bulk.stage(id, ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(line));
  let row = 0;
  const note = { operation: 'replace', keyName: 'ann', source: 'unix', requestId: 'r' };
  const written = (id: number): void => {
    row = id;
  };
  await bulk.markReady([id], { note, written });
  await bulk.applySlice(id, 1, NOON, nothing);
  expect(await records.isBeingApplied(row)).toBe(true);
  const crashed = folder.crashed();
  const opened = await crashed.open();
  const again = storesOf(opened).bulk;
  for (let done = false; !done; ) ({ done } = await again.applySlice(id, 1, NOON, nothing));
  records = new UndoRecords(opened.write);
  expect(await records.isBeingApplied(row)).toBe(false);
  expect(
    (await read(row)).map(({ ip_address, before, after }) => [ip_address, before === null, after === null]),
  ).toEqual([
    ['192.0.2.1', true, false],
    ['192.0.2.2', true, false],
    ['192.0.2.3', true, false],
    ['192.0.2.9', false, true],
  ]);
  await crashed.remove();
});
