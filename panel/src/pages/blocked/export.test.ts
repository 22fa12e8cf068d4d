import { expect, it } from 'vitest';
import type { BlockedIp } from '../../api/types.ts';
import { linesOf } from './export.ts';
import { readPreview } from './import/preview.ts';

const entry: BlockedIp = {
  ip_address: '192.0.2.1',
  reason: 'scan, "loud"',
  blocked_by: 'ops',
  blocked_at: '2026-11-22T12:00:00.000Z',
  expires_at: '2036-11-22T12:00:00.000Z',
};

it('exports all fields as CSV that an import reads back', async () => {
  const text = `ip_address,reason,expires_at,blocked_by,blocked_at\n${linesOf([entry], 'csv')}`;
  const { entries, bad } = await readPreview(new Blob([text]), () => undefined, new AbortController().signal);
  expect(bad).toEqual([]);
  expect(entries[0]?.entry).toEqual({
    ip: entry.ip_address,
    reason: entry.reason,
    blockedBy: 'ops',
    expiry: { at: entry.expires_at },
  });
});

it('exports a permanent block as permanent: an empty expiry would keep that of an entry', async () => {
  const text = `ip_address,reason,expires_at,blocked_by,blocked_at\n${linesOf([{ ...entry, expires_at: null }], 'csv')}`;
  const { entries } = await readPreview(new Blob([text]), () => undefined, new AbortController().signal);
  expect(entries[0]?.entry.expiry).toEqual({ at: null });
});

it('exports plain addresses and JSON', () => {
  expect(linesOf([entry, entry], 'txt')).toBe('192.0.2.1\n192.0.2.1\n');
  expect(JSON.parse(`[${linesOf([entry, entry], 'json')}]`)).toEqual([entry, entry]);
});
