import { describe, expect, it } from 'vitest';
import { untilPasses } from '../../testkit/conditions.ts';
import { endedOperation } from '../../testkit/ended-operation.ts';
import type { EndedOperation } from '../api/ended-operation.ts';
import type { AuditEntry } from '../store/audit-store.ts';
import { AuditRecorder } from './audit-recorder.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');

function recorder(options: { readonly gatherMs?: number } = {}) {
  const appended: AuditEntry[][] = [];
  const errors: string[] = [];
  const failing = { now: false };
  const clock = { now: NOW };
  const store = {
    append: async (entries: readonly AuditEntry[]) => {
      if (failing.now) throw new Error('disk full');
      appended.push([...entries]);
    },
    page: async () => ({ items: [], nextCursor: null }),
    forgetOld: async () => 0,
  };
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (message: string) => void errors.push(message),
  };
  const made = new AuditRecorder({ store, log, now: () => clock.now, gatherMs: options.gatherMs ?? 60_000 });
  return { recorder: made, appended, errors, failing, clock, outcomes: () => appended.flat() };
}

const ended = (more: Parameters<typeof endedOperation>[1] = {}): EndedOperation =>
  endedOperation('block', { at: NOW, status: 201, ...more });

describe('an outcome in the audit log', () => {
  it('is added to the rows that the change wrote, or is a row of its own if it wrote none', async () => {
    const { recorder: audit, outcomes } = recorder();
    audit.ended(ended({ rows: [7, 8], outcome: { runtimeMapUpdated: true } }));
    audit.ended(ended({ note: { operation: 'reload' } }));
    await audit.flush();
    expect(outcomes()).toMatchObject([
      { id: 7, outcome: { status: 201, runtimeMapUpdated: true } },
      { id: 8, outcome: { status: 201 } },
      { note: { operation: 'reload' }, at: NOW.toISOString() },
    ]);
  });

  it('is written with others, shortly after the operation and before any read', async () => {
    const { recorder: audit, appended } = recorder({ gatherMs: 5 });
    for (let n = 0; n < 3; n += 1) audit.ended(ended());
    expect(appended).toEqual([]);
    await untilPasses(() => expect(appended.map((entries) => entries.length)).toEqual([3]));
    audit.ended(ended());
    await audit.page({ limit: 1 });
    expect(appended).toHaveLength(2);
  });

  it('waits while the database cannot be written, and logs that once', async () => {
    const { recorder: audit, outcomes, errors, failing } = recorder();
    failing.now = true;
    audit.ended(ended({ rows: [1] }));
    await audit.flush();
    audit.ended(ended({ rows: [2] }));
    await audit.flush();
    expect(errors).toEqual(['Outcomes could not be written to the audit log; retrying']);
    failing.now = false;
    await audit.flush();
    expect(outcomes()).toMatchObject([{ id: 1 }, { id: 2 }]);
    await audit.stop();
    expect(outcomes()).toHaveLength(2);
  });

  it('is dropped beyond a limit, the oldest first, and the number is logged', async () => {
    const { recorder: audit, outcomes, errors, failing } = recorder();
    failing.now = true;
    for (let id = 1; id <= 20_005; id += 1) audit.ended(ended({ rows: [id] }));
    await audit.flush();
    failing.now = false;
    await audit.flush();
    expect(outcomes()).toHaveLength(20_000);
    expect(outcomes()[0]).toMatchObject({ id: 6 });
    expect(errors.at(-1)).toBe('Outcomes lost: the audit log could not be written in time');
  });

  it('has a row for each of sixty refusals per key and minute, and counts the rest', async () => {
    const { recorder: audit, outcomes, clock } = recorder();
    for (let n = 0; n < 100; n += 1) audit.ended(ended({ status: 403 }));
    audit.ended(ended({ status: 403, note: { keyName: 'another' } }));
    audit.ended(ended({ status: 201 }));
    // A change that was made and then failed is never left out.
    audit.ended(ended({ status: 503, rows: [9] }));
    await audit.flush();
    expect(outcomes()).toHaveLength(63);
    clock.now = new Date(NOW.getTime() + 60_000);
    audit.ended(ended({ status: 403 }));
    await audit.flush();
    expect(outcomes().slice(63)).toMatchObject([
      { note: { operation: 'refusals', keyName: 'ops', source: null, details: { untold: 40 } } },
      { note: { operation: 'block' }, outcome: { status: 403 } },
    ]);
  });

  it('has the number of refusals of a key that is never refused again, after their minute and at the end', async () => {
    const { recorder: audit, outcomes, clock } = recorder();
    const refused = (times: number, keyName: string) => {
      for (let n = 0; n < times; n += 1) audit.ended(ended({ status: 403, note: { keyName } }));
    };
    refused(70, 'ops');
    clock.now = new Date(NOW.getTime() + 60_000);
    refused(65, 'late');
    audit.start();
    await audit.flush();
    const numbers = () =>
      outcomes().flatMap((entry) => ('note' in entry && entry.note.operation === 'refusals' ? entry : []));
    expect(numbers()).toMatchObject([{ note: { keyName: 'ops', details: { untold: 10 } } }]);
    await audit.stop();
    expect(numbers().slice(1)).toMatchObject([{ note: { keyName: 'late', details: { untold: 5 } } }]);
  });

  it('loses no number if very many keys are refused within a minute', async () => {
    const { recorder: audit, outcomes } = recorder();
    for (let n = 0; n < 61; n += 1) audit.ended(ended({ status: 403 }));
    for (let n = 0; n < 1_000; n += 1) audit.ended(ended({ status: 403, note: { keyName: `key-${n}` } }));
    await audit.flush();
    expect(outcomes().filter((entry) => 'note' in entry && entry.note.operation === 'refusals')).toMatchObject([
      { note: { keyName: 'ops', details: { untold: 1 } } },
    ]);
  });
});
