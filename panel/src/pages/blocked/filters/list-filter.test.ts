import { expect, test } from 'vitest';
import { allBlocked } from '../../../api/blocked-ips.ts';
import { isFiltered, noFilter, queryOf, readFilter, selectedBy, withoutEffect } from './list-filter.ts';

const all = { kind: 'all' } as const;

test.each([
  ['expiring', 'perhaps'],
  ['family', 'ipv5'],
  ['wider_than', '33'],
  ['wider_than', '1'],
  ['wider_than', '20.5'],
  ['blocked_since', 'yesterday'],
  ['not_hit_for', '1h'],
  ['not_hit_for', '401d'],
  ['hit_within', 'today'],
  ['hit_within', '401d'],
  ['sort', 'hits.now'],
  ['order', 'up'],
] as const)('drops %s=%s of the URL, and names it', (name, value) => {
  expect(readFilter({ ...noFilter, [name]: value })).toEqual({ filter: noFilter, invalid: [`${name}=${value}`] });
});

test('keeps what the API takes', () => {
  const url = {
    source: 'drop',
    expiring: 'yes',
    family: 'ipv6',
    wider_than: '48',
    blocked_since: '7d',
    not_hit_for: '90d',
    hit_within: '24h',
    sort: 'last_hit',
    order: 'desc',
  };
  expect(readFilter(url)).toEqual({ filter: url, invalid: [] });
  expect(readFilter({ ...noFilter, blocked_since: '2026-01-31T12:00:00Z' }).invalid).toEqual([]);
});

test('sends with a search only what the service takes with it', () => {
  const filter = { ...noFilter, source: 'drop', expiring: 'yes', sort: 'blocked_at', order: 'desc' };
  const search = { kind: 'address', q: '10.' } as const;
  expect(queryOf(filter, search)).toEqual({ ...allBlocked, q: '10.', expiring: true });
  expect(withoutEffect(filter, search)).toEqual(['source', 'sort', 'order']);
  expect(queryOf(filter, all)).toEqual({ ...allBlocked, ...filter, expiring: true });
});

test('sends with "never matched" only the source', () => {
  const filter = { ...noFilter, source: 'drop', not_hit_for: '90d', family: 'ipv4', sort: 'blocked_at' };
  expect(queryOf(filter, all)).toEqual({ ...allBlocked, source: 'drop', not_hit_for: '90d' });
  expect(withoutEffect(filter, all)).toEqual(['family', 'sort']);
});

test('knows which list one request can select', () => {
  expect(selectedBy(queryOf({ ...noFilter, source: 'drop', wider_than: '20', order: 'desc' }, all))).toEqual({
    source: 'drop',
    wider_than: 20,
  });
  expect(selectedBy(allBlocked)).toBeNull();
  // No request removes by this filter.
  expect(selectedBy(queryOf({ ...noFilter, source: 'drop', hit_within: '24h' }, all))).toBeNull();
  expect(selectedBy(queryOf({ ...noFilter, source: 'drop', expiring: 'yes' }, all))).toBeNull();
  expect(selectedBy(queryOf({ ...noFilter, family: 'ipv4' }, { kind: 'text', text: 'ssh' }))).toBeNull();
});

test('an order alone leaves nothing out', () => {
  expect(isFiltered({ ...allBlocked, sort: 'blocked_at', order: 'desc' })).toBe(false);
  expect(isFiltered({ ...allBlocked, expiring: true })).toBe(true);
});
