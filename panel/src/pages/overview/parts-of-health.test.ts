import { expect, it } from 'vitest';
import type { Health } from '../../api/types.ts';
import { byHand, partsOf } from './parts-of-health.ts';

const health = (socket: 'ok' | 'down') =>
  ({
    database: { status: 'ok' },
    map_file: { status: 'ok', entries: 3 },
    master_socket: { status: socket, reason: socket === 'ok' ? null : 'no answer' },
    runtime_map: { expected: 3, seen: socket === 'ok' ? 3 : null, big_change: null },
    workers: { current: { pid: 7, whole: true, reason: null }, draining: [{ pid: 6, whole: true, reason: null }] },
  }) as unknown as Health;

it('tells what did not answer in time as not known, with its reason', () => {
  const why = 'not checked (timed out after 3.0 s)';
  const unknown = { status: 'unknown' as const, reason: why, since: null, entries: 3 };
  const parts = partsOf({ ...health('ok'), database: unknown, map_file: unknown, master_socket: unknown });
  const seen = parts.slice(0, 3).map(({ tone, words }) => ({ tone, words }));
  expect(seen).toEqual(Array(3).fill({ tone: 'unknown', words: `Not known: ${why}.` }));
});

it('tells of a worker that cannot be asked now what was last known, and not as good', () => {
  expect(partsOf(health('ok')).every(({ tone }) => tone === 'good')).toBe(true);
  const workers = partsOf(health('down')).filter(({ name }) => /worker/i.test(name));
  expect(workers.map(({ tone }) => tone)).toEqual(['unknown', 'unknown']);
  expect(workers[0]?.words).toBe('Not known now. Last: it was seen to hold every entry.');
});

it('does not take a number for a proof: as many entries as there should be are no good news of a worker that differs', () => {
  const { workers, ...rest } = health('ok');
  const seen = partsOf({ ...rest, workers: { ...workers, current: { ...workers.current, whole: false } } } as Health);
  expect(seen.find(({ name }) => name === 'Running proxy')).toMatchObject({
    tone: 'unknown',
    words: expect.stringContaining('as many as it should, 3 entries'),
  });
});

it('advises to start no second proxy where the service supervises it, and cannot start it', () => {
  const down = { ...health('down'), reasons: ['supervision: 127.0.0.1:80 is held by nginx (pid 12)'] } as Health;
  expect(byHand(down)).toContain('started by itself');
  expect(byHand(down)).not.toContain('systemctl');
  expect(byHand({ ...down, reasons: ['master socket: no answer'] })).not.toContain('systemctl start');
});
