import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { block, blockedTexts, entry, NOON, nothing, StoreFolder, scattered } from '../../testkit/store/store-folder.ts';
import { BlockedIpsStore, type PageRequest } from './blocked-ips-store.ts';

describe('a page of the list', () => {
  const folder = new StoreFolder();
  let store: BlockedIpsStore;

  beforeAll(async () => {
    store = new BlockedIpsStore(await folder.open());
    await block(store, '10.0.0.0/8', '10.1.0.0/16', '10.1.2.3', '9.9.9.9', '100.0.0.1', '2001:db8::1', '2001:db8::/32');
    await block(store, '10.1.2.10', '10.1.2.19');
    const ending = (text: string, at: string) =>
      ({ op: 'add', entry: entry(text), expiry: { kind: 'at', at } }) as const;
    const changes = [ending('10.1.2.4', '2026-11-20T12:00:00.001Z'), ending('10.1.2.5', '2026-11-20T12:00:00.000Z')];
    await store.applyGroup(changes, NOON, nothing);
  });
  afterAll(() => folder.remove());

  const page = async (request: Partial<PageRequest>) => {
    const { items, nextCursor, total } = await store.page({ limit: 100, now: NOON, ...request });
    return { texts: items.map((row) => row.ip_address), nextCursor, total };
  };
  const all = [
    '9.9.9.9',
    '10.0.0.0/8',
    '10.1.0.0/16',
    '10.1.2.3',
    '10.1.2.4',
    '10.1.2.5',
    '10.1.2.10',
    '10.1.2.19',
    '100.0.0.1',
    '2001:db8::/32',
    '2001:db8::1',
  ];

  it('is in the order of addresses, with complete rows', async () => {
    expect(await page({})).toEqual({ texts: all, nextCursor: null, total: 11 });
    const { items } = await store.page({ limit: 1, now: NOON });
    const at = NOON.toISOString();
    expect(items).toEqual([
      { ip_address: '9.9.9.9', reason: null, blocked_by: null, blocked_at: at, expires_at: null },
    ]);
  });

  it.each([
    ['an address: it and what contains it', '10.1.2.3', ['10.0.0.0/8', '10.1.0.0/16', '10.1.2.3']],
    ['an address that has no row', '10.9.9.9', ['10.0.0.0/8']],
    ['an address that others begin with', '10.1.2.1', ['10.0.0.0/8', '10.1.0.0/16', '10.1.2.10', '10.1.2.19']],
    ['a part of an address: what begins so, and what is around all of it', '10.2', ['10.0.0.0/8']],
    ['a part with its dot', '10.1.2.', ['10.0.0.0/8', '10.1.0.0/16', ...all.slice(3, 8)]],
    ['a part of an IPv6 address', '2001:db8:7', ['2001:db8::/32']],
    ['the first part of an IPv6 address', '2001', ['2001:db8::/32', '2001:db8::1']],
    ['a network: what contains it, it, and what it contains', '10.1.0.0/16', all.slice(1, 8)],
    ['a network without a row', '10.1.2.0/24', all.slice(1, 8)],
    ['IPv6 in another spelling', '2001:DB8:0::1', ['2001:db8::/32', '2001:db8::1']],
    ['the beginning of a text', '10', all.slice(1, 9)],
    ['the beginning of an IPv6 text in capitals', ' 2001:D', ['2001:db8::/32', '2001:db8::1']],
    ['nothing that is there', 'x', []],
    ['a wildcard, which is none', '%', []],
  ])('finds %s', async (_, q, texts) => {
    expect(await page({ q })).toEqual({ texts, nextCursor: null, total: texts.length });
    const paged: string[] = [];
    for (let cursor: string | null = null; ; ) {
      const next = await page({ q, limit: 2, cursor });
      expect(next.total).toBe(texts.length);
      paged.push(...next.texts);
      cursor = next.nextCursor;
      if (cursor === null) break;
    }
    expect(paged).toEqual(texts);
    for (let offset = 0; offset <= texts.length; offset += 1) {
      const far = await page({ q, limit: 2, offset });
      expect([far.texts, far.total]).toEqual([texts.slice(offset, offset + 2), texts.length]);
    }
  });

  it.each([
    ['of all', undefined, ['10.1.2.4']],
    ['of a network', '10.1.0.0/16', ['10.1.2.4']],
    ['of a text', '10.1.2.', ['10.1.2.4']],
    ['of a text that begins none', '9', []],
  ])('lists temporary blocks that have not expired, %s', async (_, q, texts) => {
    expect(await page({ q, expiringOnly: true })).toEqual({ texts, nextCursor: null, total: texts.length });
  });

  it.each(['x', 'AAAA', '!', Buffer.alloc(18).toString('base64url'), `${Buffer.alloc(18, 1).toString('base64url')}=`])(
    'refuses the cursor %j',
    async (cursor) => {
      await expect(page({ cursor })).rejects.toMatchObject({ name: 'InvalidCursor' });
    },
  );
});

it('finds thousands of addresses with the same beginning page by page, in order', async () => {
  const folder = new StoreFolder();
  const store = new BlockedIpsStore(await folder.open());
  await block(store, ...new Set(Array.from({ length: 25_000 }, (_, n) => scattered(n).text)));
  const expected = (await blockedTexts(store)).filter((text) => text.startsWith('1'));
  expect(expected.length).toBeGreaterThan(5000);
  const found: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const { items, nextCursor, total } = await store.page({ limit: 1000, q: '1', cursor, now: NOON });
    expect(total).toBe(expected.length);
    found.push(...items.map((row) => row.ip_address));
    cursor = nextCursor;
    if (cursor === null) break;
  }
  expect(found).toEqual(expected);
  await folder.remove();
});
