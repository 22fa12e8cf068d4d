import { expect, it } from 'vitest';
import type { Health } from '../../../api/types.ts';
import { manualFix, partsOf } from './parts-of-health.ts';

const health = (socket: 'ok' | 'down') =>
  ({
    database: { status: 'ok' },
    map_file: { status: 'ok', entries: 3 },
    master_socket: { status: socket, reason: socket === 'ok' ? null : 'no answer' },
    runtime_map: { expected: 3, seen: socket === 'ok' ? 3 : null, big_change: null },
    workers: { current: { pid: 7, whole: true, reason: null }, draining: [{ pid: 6, whole: true, reason: null }] },
  }) as unknown as Health;

it('shows a part that was not checked in time as unknown, with the reason', () => {
  const why = 'not checked (timed out after 3.0 s)';
  const unknown = { status: 'unknown' as const, reason: why, since: null, entries: 3 };
  const parts = partsOf({ ...health('ok'), database: unknown, map_file: unknown, master_socket: unknown });
  const seen = parts.slice(0, 3).map(({ tone, words }) => ({ tone, words }));
  expect(seen).toEqual(Array(3).fill({ tone: 'unknown', words: `Unknown: ${why}` }));
});

it('shows the last known state of a worker that cannot be checked, not as good', () => {
  expect(partsOf(health('ok')).every(({ tone }) => tone === 'good')).toBe(true);
  const workers = partsOf(health('down')).filter(({ name }) => /worker/i.test(name));
  expect(workers.map(({ tone }) => tone)).toEqual(['unknown', 'unknown']);
  expect(workers[0]?.words).toBe('Unknown. Last known: All entries verified');
});

it('does not show the right number of entries as good while the worker is out of sync', () => {
  const { workers, ...rest } = health('ok');
  const seen = partsOf({ ...rest, workers: { ...workers, current: { ...workers.current, whole: false } } } as Health);
  expect(seen.find(({ name }) => name === 'Running map')).toMatchObject({
    tone: 'unknown',
    words: expect.stringContaining('3 entries, as expected, but not verified'),
  });
});

it('does not advise to start a second HAProxy where the service supervises it', () => {
  const down = { ...health('down'), reasons: ['supervision: 127.0.0.1:80 is held by nginx (pid 12)'] } as Health;
  expect(manualFix(down)).toContain('starts automatically');
  expect(manualFix(down)).not.toContain('systemctl');
  expect(manualFix({ ...down, reasons: ['master socket: no answer'] })).not.toContain('systemctl start');
});

it('says that HAProxy keeps denying while the database is down, only if that was verified', () => {
  const without = (socket: 'ok' | 'down', whole = true): string => {
    const current = { pid: 7, whole, reason: null };
    const down = { ...health(socket), database: { status: 'down' }, workers: { current, draining: [] }, reasons: [] };
    return manualFix(down as unknown as Health);
  };
  expect(without('ok')).toContain('HAProxy keeps serving sites and denying blocked addresses');
  expect(without('ok', false)).not.toContain('denying');
  expect(without('down')).not.toContain('denying');
});

it('shows the front ends as unknown while it is not known what HAProxy has loaded', () => {
  const frontEnds = [{ name: 'web', has_rule: true, open: false }];
  const partWith = (changed_since_load: boolean | null) =>
    partsOf({ ...health('ok'), attached: { front_ends: frontEnds, changed_since_load } } as unknown as Health).at(-1);
  expect(partWith(false)).toMatchObject({ tone: 'good', words: '1 of 1 deny blocked addresses' });
  expect(partWith(null)).toMatchObject({ tone: 'unknown', words: expect.stringContaining('It is not known whether') });
});
