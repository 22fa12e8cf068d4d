import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reloadUnit } from './reload-triggers.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-unit-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A replacement for systemctl. */
async function program(script: string): Promise<string> {
  const path = join(folder, `systemctl-${Math.random()}`);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

describe('a reload by a systemd unit', () => {
  it('systemctl gets the unit, no password prompt, and no setting of the service', async () => {
    process.env['PROXY_MANAGER_TEST_SECRET'] = 'secret';
    const said = join(folder, 'said');
    const systemctl = await program(`echo "$@ $PROXY_MANAGER_TEST_SECRET" > ${said}`);
    expect(await reloadUnit('haproxy.service', 60_000, systemctl)).toEqual({ kind: 'done' });
    expect(await readFile(said, 'utf8')).toBe('--no-ask-password reload -- haproxy.service \n');
    delete process.env['PROXY_MANAGER_TEST_SECRET'];
  });

  it.each([
    ['failed', 'Job for haproxy.service failed.'],
    ['denied', 'Failed to reload x.service: Unit x.service not found.'],
    ['denied', 'haproxy.service is not active, cannot reload.'],
    ['denied', 'System has not been booted with systemd as init system (PID 1). Can\u2019t operate.'],
  ] as const)('is %s with the message of systemctl: %s', async (kind, words) => {
    const systemctl = await program(`printf '%s\\n' '${words}' >&2; exit 1`);
    const answer = await reloadUnit('haproxy.service', 60_000, systemctl);
    expect(answer).toEqual({ kind, detail: `systemctl reload haproxy.service: ${words}` });
  });

  it('a failed unit reload keeps the cause and drops the line that names other commands', async () => {
    const output = 'Job for haproxy.service failed.\nSee "journalctl -xeu haproxy.service" for details.';
    const systemctl = await program(`printf '%s\n' '${output}' >&2; exit 1`);
    expect(await reloadUnit('haproxy.service', 60_000, systemctl)).toEqual({
      kind: 'failed',
      detail: 'systemctl reload haproxy.service: Job for haproxy.service failed.',
    });
  });

  it.each([
    'Failed to reload haproxy.service: Access denied',
    'Failed to reload haproxy.service: Interactive authentication required.\nSee system logs for details.',
  ])('a denied unit reload names the missing polkit rule: %s', async (words) => {
    const systemctl = await program(`printf '%s\n' '${words}' >&2; exit 1`);
    expect(await reloadUnit('haproxy.service', 60_000, systemctl)).toEqual({
      kind: 'denied',
      detail: expect.stringContaining('polkit rule that "proxy-manager attach --reload-by systemd:haproxy.service"'),
    });
  });

  it('a unit reload that does not end in time has an unknown outcome', async () => {
    const answer = await reloadUnit('haproxy.service', 100, await program('exec sleep 600'));
    expect(answer).toMatchObject({ kind: 'unknown', detail: expect.stringContaining('did not end within') });
  });

  it('a unit reload without systemctl is denied', async () => {
    const answer = await reloadUnit('haproxy.service', 60_000, join(folder, 'none'));
    expect(answer).toMatchObject({ kind: 'denied', detail: expect.stringContaining('cannot be run') });
  });
});
