import { expect, it } from 'vitest';
import { eventWords } from './event-words.ts';

const head = { id: 'a-1', at: '2026-11-21T20:00:00Z' };
const drift = (seen: number) =>
  eventWords({ ...head, type: 'drift.seen', data: { map: 'blocked', worker: 7, expected: 3, seen } });

it('reports the numbers of a map with missing entries', () => {
  expect(drift(2).words).toBe('Worker 7 has 2 of 3 entries in the map of blocked addresses');
});

it('reports wrong entries when only their number is right', () => {
  expect(drift(3).words).toBe(
    'Worker 7 has the expected number of entries in the map of blocked addresses, but some are wrong',
  );
});

it('warns about a block that not every worker has', () => {
  const data = { ip_address: '203.0.113.7', by: 'ops', reason: 'ssh', runtime_map_updated: false } as const;
  const expires_at = '2026-11-21T21:00:00Z';
  expect(eventWords({ ...head, type: 'entry.blocked', data: { ...data, expires_at } })).toEqual({
    tone: 'warn',
    words: '203.0.113.7 blocked by ops for 1\u00a0h: ssh; not verified in every worker yet',
  });
});

it.each([
  ['database: it cannot be written: disk full', 'Database down: nothing can be changed'],
  ['no worker of HAProxy is running', 'HAProxy is down'],
  ['another reason', 'HAProxy or the database is down'],
])('names what is down for the reason "%s"', (reason, words) => {
  expect(eventWords({ ...head, type: 'health.changed', data: { status: 'down', reasons: [reason] } })).toEqual({
    tone: 'bad',
    words: `${words}: ${reason}`,
  });
});
