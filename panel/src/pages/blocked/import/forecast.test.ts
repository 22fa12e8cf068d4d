import { expect, it } from 'vitest';
import { forecastWords } from './forecast.tsx';
import { nothingYet } from './transfer.ts';

it.each([
  [{ added: 1 }, '1 address would be new.'],
  [
    { added: 17_114, updated: 83_129 },
    '17,114 addresses would be new. 83,129 are blocked already: all take the list’s reason, source or a later end.',
  ],
  [{ unchanged: 1 }, '0 addresses would be new. 1 is blocked already: it stays as it is.'],
  [
    { added: 2, updated: 1, unchanged: 3, rejectedTotal: 1 },
    '2 addresses would be new. 4 are blocked already: 1 of them would take the list’s reason, source or a later end. 1 line would be rejected.',
  ],
  [
    { added: 300, room: { total: 100, limit: 350 } },
    '300 addresses would be new. The blocked set would have 400 entries, 50 more than its maximum (PROXY_MANAGER_MAX_ENTRIES): the import would stop before its end.',
  ],
  [{ added: 250, room: { total: 100, limit: 350 } }, '250 addresses would be new.'],
])('%j: %s', (facts, words) => {
  expect(forecastWords({ ...nothingYet, ...facts })).toBe(words);
});
