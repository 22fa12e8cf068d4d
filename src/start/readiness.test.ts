import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../testkit/conditions.ts';
import { missingForNotifySocket, openNotifySocket } from '../../testkit/notify-socket.ts';
import type { Log } from '../telemetry/log.ts';
import { notifyReady } from './readiness.ts';

const PATH = String(process.env['PATH']);
const missing = missingForNotifySocket();
const url = 'http://127.0.0.1:7080';

describe('a service that is ready', () => {
  let folder: string;
  let errors: unknown[][];
  let log: Log;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pm-notify-'));
    errors = [];
    log = { info: () => undefined, warn: () => undefined, error: (...line) => void errors.push(line) };
  });
  afterEach(() => rm(folder, { recursive: true }));

  it.skipIf(missing !== null)(`notifies systemd with its address (${missing ?? 'systemd-notify'})`, async () => {
    const socket = await openNotifySocket(join(folder, 'notify'));
    try {
      await notifyReady(url, log, { PATH, NOTIFY_SOCKET: socket.path });
      expect(errors).toEqual([]);
      await eventually('all has come', () => socket.lines().includes('BARRIER=1'));
      expect(socket.lines()).toEqual(['READY=1', `STATUS=The API listens on ${url}`, 'BARRIER=1']);
    } finally {
      await socket.close();
    }
  });

  it('runs nothing without a notification socket', async () => {
    await notifyReady(url, log, { PATH: '/no/such/folder' });
    await notifyReady(url, log, { PATH: '/no/such/folder', NOTIFY_SOCKET: '' });
    expect(errors).toEqual([]);
  });

  it('continues, and logs why, if systemd cannot be notified', async () => {
    await notifyReady(url, log, { PATH: '/no/such/folder', NOTIFY_SOCKET: join(folder, 'notify') });
    expect(errors).toEqual([
      [
        'systemd could not be notified that the service is ready',
        { cause: expect.stringContaining('systemd-notify cannot be run') },
      ],
    ]);
  });

  it.skipIf(missing !== null)('logs the message of a failed systemd-notify', async () => {
    await notifyReady(url, log, { PATH, NOTIFY_SOCKET: join(folder, 'missing') });
    expect(errors).toEqual([
      [expect.anything(), { cause: expect.stringMatching(/systemd-notify ended with 1: .*No such file/) }],
    ]);
  });
});
