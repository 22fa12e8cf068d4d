import { expect, it } from 'vitest';
import { silentLog } from '../../../testkit/silent-log.ts';
import type { ReloadOutcome } from '../../haproxy/process/reloader.ts';
import { AttachedReload } from './attached-reload.ts';

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
