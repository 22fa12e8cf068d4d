import { afterEach, describe, expect, it } from 'vitest';
import { untilPasses } from '../../testkit/conditions.ts';
import { silentLog } from '../../testkit/silent-log.ts';
import type { Health as HealthReport } from '../api/health.ts';
import type { LogFields } from '../telemetry/log.ts';
import { HealthWatch } from './health-watch.ts';

type Report = Pick<HealthReport, 'status' | 'reasons'>;
const watches: HealthWatch[] = [];
afterEach(async () => {
  for (const watch of watches.splice(0)) await watch.stop();
});

function watching(reports: (Report | Error)[], everyMs = 1) {
  const seenEvents: unknown[] = [];
  const warned: (LogFields | undefined)[] = [];
  const looks: string[] = [];
  const watch = new HealthWatch({
    probe: async (how) => {
      looks.push(how);
      const report = reports.length > 1 ? reports.shift()! : reports[0]!;
      if (report instanceof Error) throw report;
      return report;
    },
    emit: (type, data) => void seenEvents.push([type, data]),
    log: { ...silentLog, warn: (_message, fields) => void warned.push(fields) },
    everyMs,
  });
  watches.push(watch);
  watch.start();
  return { watch, seenEvents, warned, looks };
}

const ok: Report = { status: 'ok', reasons: [] };
const lacks = (count: number): Report => ({ status: 'degraded', reasons: [`it holds ${count} entries`] });

describe('a change of the health', () => {
  it('is emitted once with its previous status, and not again when only numbers change', async () => {
    const { seenEvents, looks } = watching([ok, ok, lacks(1), lacks(2), lacks(3), ok]);
    await untilPasses(() => expect(seenEvents).toHaveLength(3));
    expect(seenEvents).toEqual([
      ['health.changed', { status: 'ok', was: null, reasons: [] }],
      ['health.changed', { status: 'degraded', was: 'ok', reasons: ['it holds 1 entries'] }],
      ['health.changed', { status: 'ok', was: 'degraded', reasons: [] }],
    ]);
    // Only the first probe of each half minute writes to the database.
    expect(looks.slice(0, 4)).toEqual(['probe', 'ping', 'ping', 'ping']);
  });

  it('is noticed soon after something happened, before the next regular probe', async () => {
    const { watch, seenEvents } = watching([ok, { status: 'down', reasons: ['no worker'] }], 3_600_000);
    await untilPasses(() => expect(seenEvents).toHaveLength(1));
    watch.kick();
    watch.kick();
    await untilPasses(() => expect(seenEvents).toHaveLength(2));
  });

  it('is still watched after a probe failed', async () => {
    const { seenEvents, warned } = watching([new Error('no descriptors'), ok]);
    await untilPasses(() => expect(seenEvents).toHaveLength(1));
    expect(warned).toEqual([{ cause: 'no descriptors' }]);
  });
});
