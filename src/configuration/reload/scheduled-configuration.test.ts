import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { confirmed, type ReloadFixture, refused, reloadFixture } from '../../../testkit/configuration/safe-reload.ts';
import { silentLog } from '../../../testkit/silent-log.ts';
import { Candidate, LiveFile } from './live-file.ts';
import { scheduledConfiguration } from './scheduled-configuration.ts';

let fixture: ReloadFixture;
let path: string;
beforeEach(async () => {
  fixture = await reloadFixture('old\n');
  await fixture.backups.markKnownGood('old\n', []);
  path = join(fixture.folder, 'proxy.cfg');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await fixture.stop();
});

const scheduled = () =>
  scheduledConfiguration({
    ...fixture,
    live: new LiveFile(path),
    fileBases: [join(fixture.folder, 'sites.map')],
    log: silentLog,
  });
const asked = { id: 'r1', reasons: ['asked'] };

/** An unconfirmed reload with a failed rollback: the new text is live. */
async function leaveHalfApplied(): Promise<void> {
  const { deploy } = Candidate.prototype;
  fixture.does.reload = async () => refused();
  vi.spyOn(Candidate.prototype, 'deploy')
    .mockImplementationOnce(deploy)
    .mockRejectedValueOnce(new Error('EROFS: read-only file system'));
  await expect(fixture.safeReload.run(asked)).rejects.toMatchObject({ members: { restored: false } });
  expect([await fixture.live(), fixture.marker.interrupted]).toEqual(['new\n', 'rendered']);
  fixture.does.reload = async () => confirmed(1, 2);
}

it('a scheduled reload uses the live configuration, of any origin', async () => {
  expect(await scheduled()).toEqual({ configText: 'old\n', files: [] });
  await writeFile(path, 'edited\n');
  expect(await scheduled()).toEqual({ configText: 'edited\n', files: [] });
});

it('a scheduled reload without a live file uses the last known good configuration', async () => {
  await rm(path);
  expect(await scheduled()).toMatchObject({ configText: 'old\n' });
});

it('a scheduled reload after a half-applied change renders what the database holds', async () => {
  await leaveHalfApplied();
  expect(await scheduled()).toBeNull();
});

it('a scheduled reload keeps a manual repair, even after a half-applied change', async () => {
  await leaveHalfApplied();
  await writeFile(path, 'repaired\n');
  const restore = await scheduled();
  expect(restore).toEqual({ configText: 'repaired\n', files: [] });
  await fixture.safeReload.run({ ...asked, ...(restore ? { restore } : {}) });
  expect([await fixture.live(), fixture.marker.interrupted]).toEqual(['repaired\n', null]);
});

it('a scheduled reload uses a restored backup if the change that was to replace it failed', async () => {
  await fixture.safeReload.run({ ...asked, restore: { configText: 'of a backup\n', files: [], backup: 'b1' } });
  await fixture.marker.set({ id: 'r', reasons: [] });
  await fixture.marker.find();
  await fixture.origin.beforeSwitch('new\n', 'of a backup\n', null);
  expect(await scheduled()).toEqual({ configText: 'of a backup\n', files: [] });
  // The new text is recorded as ours.
  await writeFile(path, 'new\n');
  expect(await scheduled()).toBeNull();
});
