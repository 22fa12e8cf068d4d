import { expect, test } from 'vitest';
import { sizeGroups, widerThan } from './map-sizes.ts';

test('every size is in one group, and groups without entries are left out', () => {
  const sizes = Array.from({ length: 32 }, (_, at) => ({ prefix: at + 1, entries: 2 ** at }));
  const groups = sizeGroups({ sizes });
  expect(groups.reduce((sum, { entries }) => sum + entries, 0)).toBe(2 ** 32 - 1);
  expect(groups.map(({ label }) => label)).toEqual([
    ...['/1–/7', '/8–/11', '/12–/15', '/16–/19', '/20–/23', '/24', '/25–/27', '/28–/29', '/30–/31', '/32'],
  ]);
  expect(sizeGroups({ sizes: [sizes[31]!, { prefix: 24, entries: 3 }] })).toEqual([
    { label: '/24', entries: 3 },
    { label: '/32', entries: 2 ** 31 },
  ]);
});

test('counts the networks wider than a /20', () => {
  const sizes = [19, 20, 21].map((prefix) => ({ prefix, entries: prefix }));
  expect(widerThan({ sizes }, 20)).toBe(19);
});
