import { expect, it } from 'vitest';
import { forecastWords } from './forecast.tsx';
import { emptyTally } from './transfer.ts';

it.each([
  [{ added: 1 }, '1 new entry.'],
  [
    { added: 17_114, updated: 83_129 },
    '17,114 new entries. 83,129 already blocked: 83,129 updated with the list’s reason, “Blocked by” or later expiry.',
  ],
  [{ unchanged: 1 }, '0 new entries. 1 already blocked: 1 unchanged.'],
  [
    { added: 2, updated: 1, unchanged: 3, rejectedTotal: 1 },
    '2 new entries. 4 already blocked: 1 updated with the list’s reason, “Blocked by” or later expiry, 3 unchanged. 1 line rejected.',
  ],
  [
    { added: 300, room: { total: 100, limit: 350 } },
    '300 new entries. The blocked set would have 400 entries, 50 more than the limit (PROXY_MANAGER_MAX_ENTRIES). The import would stop early.',
  ],
  [{ added: 250, room: { total: 100, limit: 350 } }, '250 new entries.'],
])('describes %j as: %s', (facts, words) => {
  expect(forecastWords({ ...emptyTally, ...facts })).toBe(words);
});
