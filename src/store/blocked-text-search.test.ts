import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entry, NOON, nothing, StoreFolder, scattered } from '../../testkit/store/store-folder.ts';
import { type BlockedChange, BlockedIpsStore, type PageRequest } from './blocked-ips-store.ts';

const said = (text: string, reason: string | null, blockedBy: string | undefined, at?: string): BlockedChange => ({
  op: 'add',
  entry: entry(text),
  reason,
  blockedBy,
  expiry: at === undefined ? { kind: 'permanent' } : { kind: 'at', at },
});

describe('a search in reasons and sources', () => {
  const folder = new StoreFolder();
  let store: BlockedIpsStore;

  beforeAll(async () => {
    store = new BlockedIpsStore(await folder.open());
    const changes = [
      said('9.9.9.9', 'Port scan', 'fail2ban'),
      said('10.0.0.0/8', '100% SPAM_bot', 'anna', '2026-11-20T12:00:00.001Z'),
      said('10.0.0.1', null, 'Fail2Ban'),
      said('10.0.0.2', 'C:\\scan', 'ops', '2026-11-20T12:00:00.000Z'),
      said('100.0.0.1', 'von Übeltätern', undefined),
      said('2001:db8::1', 'АТАКА', 'ops'),
      said('2001:db8::2', null, undefined),
    ];
    await store.applyGroup(changes, NOON, nothing);
  });
  afterAll(() => folder.remove());

  const page = async (request: Partial<PageRequest>) => {
    const { items, total } = await store.page({ limit: 100, now: NOON, ...request });
    return { texts: items.map((row) => row.ip_address), total };
  };

  it.each([
    ['a part of the reason', 'scan', ['9.9.9.9', '10.0.0.2']],
    ['the source, whatever its case', 'FAIL2', ['9.9.9.9', '10.0.0.1']],
    ['other letters, whatever their case', 'übeltät', ['100.0.0.1']],
    ['another script', 'атака', ['2001:db8::1']],
    ['a percent sign as it is', '0%', ['10.0.0.0/8']],
    ['an underscore as it is', 'm_b', ['10.0.0.0/8']],
    ['a backslash as it is', ':\\S', ['10.0.0.2']],
    ['nothing for a wildcard', 'p%n', []],
    ['nothing for an address', '9.9.9', []],
  ])('finds %s', async (_, text, texts) => {
    expect(await page({ text })).toEqual({ texts, total: texts.length });
  });

  it('returns pages with the total of all, without expired entries', async () => {
    const first = await store.page({ limit: 1, now: NOON, text: 'a' });
    expect([first.items.length, first.total]).toEqual([1, 4]);
    const rest = await store.page({ limit: 9, now: NOON, text: 'a', cursor: first.nextCursor });
    expect(rest.items.map((row) => row.ip_address)).toEqual(['10.0.0.0/8', '10.0.0.1', '10.0.0.2']);
    expect([rest.nextCursor, rest.total]).toEqual([null, 4]);
    expect(await page({ text: 's', expiringOnly: true })).toEqual({ texts: ['10.0.0.0/8'], total: 1 });
  });

  it('lists a row that an operator inserted only after a sync has adopted it', async () => {
    const database = await folder.open();
    await database.write
      .insertInto('blocked_ips')
      .values({ ip_address: '5.5.5.5', blocked_at: NOON.toISOString(), reason: 'by hand', blocked_by: null } as never)
      .execute();
    expect(await page({ text: 'by hand' })).toEqual({ texts: [], total: 0 });
    await store.adoptUnkeyedRows(null, 10, NOON);
    expect(await page({ text: 'by hand' })).toEqual({ texts: ['5.5.5.5'], total: 1 });
  });
});

describe('a search among many entries', () => {
  const folder = new StoreFolder();
  let store: BlockedIpsStore;

  beforeAll(async () => {
    store = new BlockedIpsStore(await folder.open());
    const texts = [...new Set(Array.from({ length: 24_000 }, (_, n) => scattered(n).text))];
    const changes = texts.map((text, n) =>
      said(text, n % 2 === 0 ? 'often Ä' : 'else a', undefined, n % 3 === 0 ? '2027-01-01T00:00:00.000Z' : undefined),
    );
    await store.applyGroup(changes, NOON, nothing);
  });
  afterAll(() => folder.remove());

  const texts = async (request: Partial<PageRequest>): Promise<string[]> => {
    const { items } = await store.page({ limit: 30_000, now: NOON, ...request });
    return items.map((row) => row.ip_address);
  };

  it.each([
    ['all', {}],
    ['temporary blocks', { expiringOnly: true }],
    ['a beginning that thousands share', { q: '1' }],
    ['a beginning of temporary blocks', { q: '1', expiringOnly: true }],
    ['a beginning of few', { q: '10' }],
    ['a network', { q: '10.0.0.0/8' }],
    ['a text of thousands', { text: 'OFTEN' }],
    ['a text of thousands in other letters', { text: 'ä' }],
    ['a text of temporary blocks', { text: 'often', expiringOnly: true }],
  ] as const)('returns the same far page of %s by offset as page by page', async (_, query) => {
    const all = await texts(query);
    expect(all.length).toBeGreaterThan(50);
    for (const offset of [1, all.length >> 1, all.length - 2, all.length, all.length + 20_000]) {
      const page = await store.page({ limit: 3, now: NOON, ...query, offset });
      expect(page.items.map((row) => row.ip_address)).toEqual(all.slice(offset, offset + 3));
      expect([page.total, page.nextCursor === null]).toEqual([all.length, offset + 3 >= all.length]);
    }
    const first = await store.page({ limit: 2, now: NOON, ...query });
    expect(await texts({ ...query, cursor: first.nextCursor, offset: 7, limit: 4 })).toEqual(all.slice(9, 13));
  });

  it('ends when its client disconnects', async () => {
    const gone = new AbortController();
    const page = store.page({ limit: 1, now: NOON, text: 'nowhere', signal: gone.signal });
    gone.abort(new Error('gone'));
    await expect(page).rejects.toThrow('gone');
  });

  it('lets other work run after each slice, however many searches run at once', async () => {
    let turns = 0;
    let looking = true;
    const tick = (): void => {
      turns += 1;
      if (looking) setImmediate(tick);
    };
    setImmediate(tick);
    await Promise.all([1, 2, 3].map(() => store.page({ limit: 1, now: NOON, text: 'nowhere' })));
    looking = false;
    // Four slices each, with a turn after each but the last.
    expect(turns).toBeGreaterThanOrEqual(3 * 3);
  });
});
