import { expect, test } from 'vitest';
import type { KnockingAddress } from '../../../api/types.ts';
import { hitsOf } from './hits-of.ts';

const address = (hits: number, first: string, last: string, spark: number[]): KnockingAddress => ({
  ip_address: '192.0.2.1',
  entry: '192.0.2.0/24',
  source: 'drop',
  hits,
  total: hits * 10,
  first_hit: first,
  last_hit: last,
  spark,
});

test('adds up the clients of an entry, hour by hour from the current one back', () => {
  const some = [
    address(7, '2026-11-20T10:00:00.000Z', '2026-11-20T12:00:00.000Z', [1, 2, 4]),
    address(5, '2026-11-19T10:00:00.000Z', '2026-11-20T11:00:00.000Z', [5]),
  ];
  expect(hitsOf(some)).toEqual({
    hits: 12,
    total: 120,
    first: '2026-11-19T10:00:00.000Z',
    last: '2026-11-20T12:00:00.000Z',
    spark: [1, 2, 9],
  });
});

test('has no time of a hit where there is none', () => {
  expect(hitsOf([])).toEqual({ hits: 0, total: 0, first: null, last: null, spark: [] });
});
