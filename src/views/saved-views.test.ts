import { afterEach, beforeEach, expect, it } from 'vitest';
import { StoreFolder } from '../../testkit/store/store-folder.ts';
import type { Database } from '../store/open-database.ts';
import { ViewsStore } from '../store/views-store.ts';
import { SavedViews } from './saved-views.ts';

const caller = { keyName: 'ops', source: '127.0.0.1', requestId: 'r1', receivedAt: 0 };

let folder: StoreFolder;
let database: Database;
let now: Date;
let views: SavedViews;
const done: unknown[] = [];
beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  now = new Date('2026-11-20T12:00:00.000Z');
  done.length = 0;
  views = new SavedViews({ store: new ViewsStore(database), emit: (_, data) => done.push(data), now: () => now });
});
afterEach(() => folder.remove());

const view = (name: string, query = 'sort=blocked_at') => ({ name, page: '/blocked', query });

it('creates, changes and removes a view, each with its audit row', async () => {
  const at = now.toISOString();
  const created = { ...view('dead'), created_by: 'ops', created_at: at, updated_at: at };
  expect(await views.put(view('dead'), caller)).toEqual({ created: true, view: created });
  now = new Date('2026-11-20T13:00:00.000Z');
  const changed = { ...created, query: 'family=ipv6', updated_at: now.toISOString() };
  const other = { ...caller, keyName: 'alice' };
  expect(await views.put(view('dead', 'family=ipv6'), other)).toEqual({ created: false, view: changed });
  expect(await views.get('dead')).toEqual(changed);
  expect(await views.remove('dead', caller)).toEqual({ name: 'dead' });
  expect(await views.list()).toEqual([]);
  const rows = await database.read.selectFrom('audit').select(['operation', 'key_name', 'target']).execute();
  expect(rows).toEqual([
    { operation: 'set_view', key_name: 'ops', target: 'dead' },
    { operation: 'set_view', key_name: 'alice', target: 'dead' },
    { operation: 'remove_view', key_name: 'ops', target: 'dead' },
  ]);
  expect(done).toHaveLength(3);
});

it('answers 1100 for a view that does not exist, and writes no audit row', async () => {
  await expect(views.get('none')).rejects.toMatchObject({ code: 1100 });
  await expect(views.remove('none', caller)).rejects.toMatchObject({ code: 1100 });
  expect(await database.read.selectFrom('audit').selectAll().execute()).toEqual([]);
});

it('rejects the 101st view with 409, and still changes an existing one', async () => {
  for (let index = 0; index < 100; index++) await views.put(view(`v${index}`), caller);
  await expect(views.put(view('one-more'), caller)).rejects.toMatchObject({
    code: 409,
    message: expect.stringContaining('100 saved views'),
  });
  expect((await views.put(view('v7', ''), caller)).created).toBe(false);
  expect(await views.list()).toHaveLength(100);
});
