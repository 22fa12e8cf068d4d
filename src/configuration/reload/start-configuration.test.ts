import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ReloadFixture, reloadFixture } from '../../../testkit/configuration/safe-reload.ts';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Log } from '../../telemetry/log.ts';
import { sha256 } from '../backups/backup-files.ts';
import { contentAddressed } from '../template/sites-map.ts';
import { LiveFile } from './live-file.ts';
import { ensureStartConfiguration } from './start-configuration.ts';

let fixture: ReloadFixture;
let logged: string[];
let render: () => Promise<{ text: string; sha256: string; files: []; warnings: [] }>;
beforeEach(() => {
  logged = [];
  render = async () => ({ text: 'rendered\n', sha256: sha256('rendered\n'), files: [], warnings: [] });
});
afterEach(() => fixture.stop());

const at = (name: string): string => join(fixture.folder, name);
const start = async () => {
  const say = (message: string): void => void logged.push(message);
  const log: Log = { info: say, warn: say, error: say };
  const live = new LiveFile(at('proxy.cfg'));
  const { backups, origin } = fixture;
  return await ensureStartConfiguration({ live, origin, backups, proxyBin: at('proxy'), mapFiles: [], render, log });
};

describe('before HAProxy is started', () => {
  it('a missing configuration is rendered from the template', async () => {
    fixture = await reloadFixture(null);
    expect(await start()).toEqual({ usable: true, source: 'template' });
    expect(await fixture.live()).toBe('rendered\n');
    expect(logged).toEqual(['Configuration validation passed']);
  });

  it('an existing configuration is kept, whatever the template would render', async () => {
    fixture = await reloadFixture('of an operator\n');
    expect(await start()).toEqual({ usable: true, source: 'live' });
    expect(await fixture.live()).toBe('of an operator\n');
  });

  it('a refused configuration is backed up and replaced by the last known good', async () => {
    fixture = await reloadFixture('bad\n');
    await fixture.backups.markKnownGood('good\n', []);
    expect(await start()).toEqual({ usable: true, source: 'known-good' });
    expect(await fixture.live()).toBe('good\n');
    const { sets } = await fixture.backups.list();
    expect((await fixture.backups.read(sets[0]!.id)).configText).toBe('bad\n');
    expect(logged).toEqual([
      'Configuration validation failed',
      'Backup created',
      'Configuration validation passed',
      'Backup restored',
    ]);
  });

  it('the missing sites map of a good configuration is restored', async () => {
    fixture = await reloadFixture(null);
    const map = contentAddressed(at('sites.map'), 'a b\n');
    // This test's proxy refuses a configuration that names a missing file.
    await writeFile(
      at('proxy'),
      `#!/bin/sh\nfor file; do :; done\ntest -f "$(cat "$file")" || exit 1\necho "Configuration file is valid"\n`,
    );
    await writeFile(at('proxy.cfg'), map.path);
    await fixture.backups.markKnownGood(map.path, [map]);
    expect(await start()).toEqual({ usable: true, source: 'live' });
    expect(logged).toEqual([]);
  });

  it('a damaged last known good is ignored, and the template is rendered', async () => {
    fixture = await reloadFixture('bad\n');
    await fixture.backups.markKnownGood('good\n', []);
    await rm(at('backups/last-known-good/proxy.cfg'));
    expect(await start()).toEqual({ usable: true, source: 'template' });
    expect(await fixture.live()).toBe('rendered\n');
    expect(logged).toContain('The last known good configuration cannot be read');
  });

  it('a foreign configuration that HAProxy refuses is never replaced by the template', async () => {
    fixture = await reloadFixture(null);
    await writeFile(at('proxy.cfg'), 'bad\n');
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await start()).toEqual({ usable: false, output: expect.stringContaining("unknown keyword 'bad'") });
    }
    expect(await fixture.live()).toBe('bad\n');
    expect((await fixture.backups.list()).sets).toMatchObject([{ written_by: 'other' }]);
  });

  it('the output of HAProxy is reported and the file kept if no configuration is accepted', async () => {
    fixture = await reloadFixture('bad\n');
    render = () => Promise.reject(new ServiceError(codes.TemplateRefused, 'render', 'no such variable'));
    expect(await start()).toEqual({ usable: false, output: expect.stringContaining("unknown keyword 'bad'") });
    expect(await fixture.live()).toBe('bad\n');
  });

  it('an unreadable database is not reported as an error of the template', async () => {
    fixture = await reloadFixture(null);
    render = () => Promise.reject(new ServiceError(codes.DatabaseUnusable, 'store', 'locked'));
    await expect(start()).rejects.toMatchObject({ code: codes.DatabaseUnusable });
  });
});
