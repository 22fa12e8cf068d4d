import { expect, it } from 'vitest';
import type { Key } from '../api/keys.ts';
import { KeyExpiryWatch } from './key-expiry-watch.ts';

const day = 86_400_000;
const start = Date.parse('2026-11-20T12:00:00Z');
const iso = (days: number) => new Date(start + days * day).toISOString();

function kit(
  keys: readonly (Pick<Key, 'name' | 'expires_at'> & { readonly revoked_at?: string })[],
  notices: Partial<Record<string, readonly string[]>> = {},
) {
  let now = start;
  const emitted: string[] = [];
  const watch = new KeyExpiryWatch({
    keys: {
      list: async () =>
        keys.map((key) => ({
          ...{ scopes: ['read'], created_at: iso(0), revoked_at: null, source: null, last_used_at: null },
          ...key,
        })),
    },
    reported: async (type) => notices[type] ?? [],
    emit: (type, data) => {
      const { name, days_left: left } = data as { name: string; days_left?: number };
      emitted.push(`${type} ${name}${left === undefined ? '' : ` ${left}`}`);
    },
    log: { warn: () => undefined },
    now: () => new Date(now),
  });
  return async (days: number) => {
    now = start + days * day;
    await watch.check();
    return emitted.splice(0);
  };
}

it('reports a key 14 and 3 days before it expires, and when it has expired, each once', async () => {
  const at = kit([
    { name: 'script', expires_at: iso(90) },
    { name: 'panel', expires_at: null },
    { name: 'old', expires_at: iso(90), revoked_at: iso(1) },
    { name: 'short', expires_at: iso(2.9) },
  ]);
  const seen = [];
  for (const days of [75, 76.5, 80, 87.5, 89, 90, 91]) seen.push(await at(days));
  expect(seen).toEqual([[], ['key.expiring script 13'], [], ['key.expiring script 2'], [], ['key.expired script'], []]);
});

it('does not report again at a start what expired long ago', async () => {
  expect(await kit([{ name: 'script', expires_at: iso(10) }])(12)).toEqual([]);
  expect(await kit([{ name: 'script', expires_at: iso(10) }])(10.5)).toEqual(['key.expired script']);
});

it('reports what expired while the service was down, if the end was announced, and nothing that a notice says', async () => {
  const keys = [
    { name: 'script', expires_at: iso(10) },
    { name: 'backup', expires_at: iso(10) },
  ];
  expect(await kit(keys, { 'key.expiring': ['script'], 'key.expired': ['backup'] })(12)).toEqual([
    'key.expired script',
  ]);
  expect(await kit(keys, { 'key.expiring': ['script', 'backup'] })(9)).toEqual([]);
});
