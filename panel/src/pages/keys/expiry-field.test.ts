import { expect, it } from 'vitest';
import { readExpiry } from './expiry-field.tsx';

const now = Date.parse('2026-11-21T20:00:00Z');

it('reads the expiry of a key', () => {
  expect(readExpiry({ choice: 'never', day: '2020-01-01' }, now)).toEqual({ ok: true, expiresAt: null });
  expect(readExpiry({ choice: '30', day: '' }, now)).toEqual({ ok: true, expiresAt: '2026-12-21T20:00:00.000Z' });
  const last = readExpiry({ choice: 'day', day: '2026-12-24' }, now);
  expect(last).toEqual({ ok: true, expiresAt: new Date('2026-12-24T23:59:59').toISOString() });
});

it.each(['', '2026-02-31x', '2026-11-20'])('rejects %j as the last day', (day) => {
  expect(readExpiry({ choice: 'day', day }, now).ok).toBe(false);
});
