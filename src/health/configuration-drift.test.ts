import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLog } from '../../testkit/silent-log.ts';
import { stopTime } from '../../testkit/stop-time.ts';
import { sha256 } from '../configuration/backups/backup-files.ts';
import { LiveFile } from '../configuration/reload/live-file.ts';
import { LiveOrigin } from '../configuration/reload/live-origin.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { ConfigurationDrift } from './configuration-drift.ts';

let folder: string;
let origin: LiveOrigin;
let drift: ConfigurationDrift;
let rendered: string | Error;
let logged: string[];
let renders: number;
let reloads: { underWay: boolean; last: { id: string } | null };
const at = (name: string): string => join(folder, name);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-drift-'));
  origin = new LiveOrigin(at('live-configuration'));
  rendered = 'bind :80\n';
  renders = 0;
  logged = [];
  reloads = { underWay: false, last: null };
  await writeFile(at('proxy.cfg'), 'bind :80\n');
  await origin.confirmed('bind :80\n', null);
  drift = service();
});
afterEach(() => rm(folder, { recursive: true }));

const service = () =>
  new ConfigurationDrift({
    live: new LiveFile(at('proxy.cfg')),
    origin,
    inputs: [at('template')],
    reloads,
    log: { ...silentLog, error: (message) => void logged.push(message) },
    async render() {
      renders += 1;
      if (rendered instanceof Error) throw rendered;
      return { text: rendered, sha256: sha256(rendered), files: [], warnings: [] };
    },
  });

test('is rendered again only when one of its inputs has changed', async () => {
  const none = { status: 'none', live: 'rendered', backup: null, added: 0, removed: 0, reason: null };
  expect([await drift.report(), await drift.report()]).toEqual([none, none]);
  expect(renders).toBe(1);
  await writeFile(at('template'), 'new');
  await drift.report();
  reloads.last = { id: 'r1' };
  await drift.report();
  expect(renders).toBe(3);
  await writeFile(at('proxy.cfg'), 'bind :80\n# by hand\n');
  expect(await drift.report()).toMatchObject({ status: 'drift', live: 'other', added: 0, removed: 1 });
  await origin.confirmed('bind :80\n# by hand\n', 'b1');
  expect(await drift.report()).toMatchObject({ status: 'drift', live: 'restored', backup: 'b1' });
});

test('a setting that changed while the service was away shows at its start', async () => {
  rendered = 'bind :80\nbind [::]:80\n';
  expect(await drift.report()).toMatchObject({ status: 'drift', live: 'rendered', added: 1, removed: 0 });
});

test('a failed render is unknown, with its reason and the origin of the live file', async () => {
  rendered = new ServiceError(codes.TemplateRefused, 'render', 'line 3');
  const found = await drift.report();
  expect(found).toMatchObject({ status: 'unknown', live: 'rendered', added: null });
  expect(found.reason).toContain('line 3');
  await rm(at('proxy.cfg'));
  expect(await drift.report()).toMatchObject({ status: 'unknown', live: null });
});

test('the previous result is reported during a reload', async () => {
  reloads.underWay = true;
  expect(await drift.report()).toMatchObject({ status: 'unknown', reason: 'a reload is under way' });
  reloads.underWay = false;
  await drift.report();
  reloads.underWay = true;
  rendered = 'with a site\n';
  await writeFile(at('template'), 'newer');
  expect(await drift.report()).toMatchObject({ status: 'none' });
});

test('a temporary failure is checked again', async () => {
  rendered = new ServiceError(codes.DatabaseUnusable, 'read sites', 'the database is locked');
  expect(await drift.report()).toMatchObject({ status: 'unknown', live: 'rendered' });
  rendered = 'bind :80\n';
  expect(await drift.report()).toMatchObject({ status: 'none' });
  expect(logged).toEqual([]);
});

test('a refusal is reported for a minute without another render', async () => {
  using time = stopTime();
  rendered = new ServiceError(codes.TemplateRefused, 'render', 'rendering did not finish within 12 s');
  const refused = await drift.report();
  rendered = 'bind :80\n';
  expect([await drift.report(), renders]).toEqual([refused, 1]);
  time.standStill(60_000);
  expect(await drift.report()).toMatchObject({ status: 'none' });
});

test('a defect is unknown with its reason, and logged once while it stays', async () => {
  rendered = Object.assign(new Error('Worker initialization failure: EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' });
  for (let turn = 0; turn < 3; turn += 1) {
    expect(await drift.report()).toMatchObject({ status: 'unknown', live: 'rendered', reason: rendered.message });
  }
  expect(logged).toHaveLength(1);
  rendered = 'bind :80\n';
  expect(await drift.report()).toMatchObject({ status: 'none' });
});

test('an inaccessible live file is unknown, and not logged as a defect', async () => {
  await rm(at('proxy.cfg'));
  await mkdir(at('proxy.cfg'));
  expect(await drift.report()).toMatchObject({ status: 'unknown', reason: expect.stringContaining('EISDIR') });
  expect(logged).toEqual([]);
});
