import { expect, it } from 'vitest';
import { faultsOf, filterOf, noFilter } from './audit-filter.tsx';

it.each([
  [{ address: '203.0.113' }, 'address'],
  [{ key: 'a b' }, 'key'],
  [{ since: '2026-11-22 12:00', until: '2026-11-22 11:00' }, 'until'],
  [{ since: '2026-11-22' }, 'since'],
  [{ until: '2:05 PM' }, 'until'],
])('reports an error for %j instead of ignoring the field', (draft, field) => {
  expect(Object.keys(faultsOf({ ...noFilter, ...draft }))).toEqual([field]);
});

it('converts a valid draft to a filter', () => {
  const draft = { ...noFilter, address: ' 203.0.113.7 ', key: '_settings', since: '2026-11-22 11:00' };
  expect(faultsOf(draft)).toEqual({});
  expect(filterOf(draft)).toMatchObject({ ip_address: '203.0.113.7', key: '_settings', since: expect.any(String) });
});
