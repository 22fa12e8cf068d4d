import { expect, it } from 'vitest';
import { silentLog } from '../../../testkit/silent-log.ts';
import type { ReloadOutcome } from '../../haproxy/process/reloader.ts';
import { type AttachedCheck, AttachedReload } from './attached-reload.ts';

const confirmed: ReloadOutcome = {
  confirmed: true,
  workerBefore: 11,
  workerAfter: 12,
  processes: null,
  by: 'signal',
} as ReloadOutcome;
const unconfirmed = (detail: string, workerAfter: number | null): ReloadOutcome => {
  return { confirmed: false, reason: 'unconfirmed', detail, workerBefore: 11, workerAfter, output: '' };
};

it.each([
  [
    'an unconfirmed reload names the log of HAProxy when no new worker appeared',
    unconfirmed('no new worker was seen', null),
    true,
  ],
  [
    'an unconfirmed reload does not name the log of HAProxy when systemd rejected the request',
    unconfirmed('systemctl reload x: Access denied', 11),
    false,
  ],
])('%s', async (_what, outcome, isNamed) => {
  const reload = new AttachedReload({
    ports: { writeMaps: async () => undefined, reloadProxy: async () => outcome, verifyWorkers: async () => [] },
    check: async () => ({ verdict: 'valid', output: '' }),
    mayReload: true,
    log: silentLog,
  });
  const detail: unknown = await reload.run({ id: '1', reasons: [] }).catch((error: Error) => error.message);
  expect(detail).toContain(outcome.confirmed ? '' : outcome.detail);
  expect(String(detail).includes('journalctl')).toBe(isNamed);
});

it.each<[string, AttachedCheck]>([
  ["of which HAProxy's check names one", { verdict: 'invalid', output: 'c-a.pem' }],
  ['that only HAProxy itself may check', { verdict: 'unknown', unreadable: 'it may not', alerts: [] }],
])('certificates %s are replaced before the reload', async (_what, refused) => {
  const steps: string[] = [];
  const reload = new AttachedReload({
    ports: {
      writeMaps: async () => undefined,
      reloadProxy: async () => {
        steps.push('reload');
        return confirmed;
      },
      verifyWorkers: async () => [],
    },
    check: async () => {
      steps.push('check');
      return refused.verdict === 'unknown' || !steps.includes('replace c-a.pem')
        ? refused
        : { verdict: 'valid', output: '' };
    },
    substitute: async (output) => steps.push(`replace ${output}`) < 3,
    mayReload: true,
    log: silentLog,
  });
  await reload.run({ id: '1', reasons: [] });
  const output = refused.verdict === 'invalid' ? 'c-a.pem' : null;
  const again = refused.verdict === 'invalid' ? [] : [`replace ${output}`];
  expect(steps).toEqual(['check', `replace ${output}`, 'check', ...again, 'reload']);
});
