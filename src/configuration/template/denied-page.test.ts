import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sampleInput } from '../../../testkit/configuration/template-samples.ts';
import type { InsightMode } from '../../domain/insight-mode.ts';
import { countClient } from './counting-rules.ts';
import { asLogFormat, currentDeniedPage, type DeniedPage, deniedPageLimit } from './denied-page.ts';
import { ensureFiles } from './sites-map.ts';
import { Template } from './template.ts';

let folder: string;
let path: string;
let live: string | null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-page-'));
  path = join(folder, 'page.html');
  live = null;
});
afterEach(() => rm(folder, { recursive: true }));

const current = () =>
  currentDeniedPage({ path, base: join(folder, 'denied.html'), liveText: () => Promise.resolve(live) });

test('without a page the built-in one is used, and its absence is no warning', async () => {
  const page = await currentDeniedPage({ path: null, base: join(folder, 'denied.html'), liveText: async () => null });
  expect(page).toEqual({ file: null, counted: null, refusal: null });
});

test('a page gets a name of its content, and each % is doubled', async () => {
  await writeFile(path, '50% {{reference}} {{ other }}\n');
  const { file, refusal } = await current();
  expect(refusal).toBeNull();
  expect(file?.path).toMatch(/\/denied\.[0-9a-f]{16}\.html$/);
  expect(file?.content).toBe('50%% %[unique-id] {{ other }}\n');
});

test.each<[string, string | Buffer, string]>([
  ['an empty page', ' \n', 'is empty'],
  ['a page that is too large', 'x'.repeat(deniedPageLimit + 1), 'has more than 15,000 bytes'],
  ['a page that is far too large', 'x'.repeat(10_000_000), 'has more than 15,000 bytes'],
  ['a page with too many references', '{{ reference }}'.repeat(301), 'has 15,050 bytes with its references'],
  ['a page with too many %', '%'.repeat(8_001), 'has 16,002 bytes with each % doubled'],
  ['bytes that are no text', Buffer.from([0x61, 0xff]), 'is not UTF-8 text'],
  ['a NUL', 'a\0b', 'contains a NUL character'],
])('%s is refused with the reason', (_what, content, why) => {
  expect(asLogFormat(Buffer.from(content))).toEqual({ why: expect.stringContaining(why) });
});

test('the same page with a counter differs in nothing else, and has a name of its own', async () => {
  await writeFile(path, '%[src_inc_gpc0(pm_denied),iif(,)]');
  const { file, counted } = await current();
  expect(counted?.content).toBe(`${countClient}${file?.content}`);
  expect(counted?.path).not.toBe(file?.path);
  expect(file?.content).toBe('%%[src_inc_gpc0(pm_denied),iif(,)]');
});

test.each([
  ['off', 'on'],
  ['on', 'off'],
] as const)('the last good page stays when counting changes from %s to %s', async (before, after) => {
  await writeFile(path, '100% good');
  const good = await current();
  const render = async (deniedPage: DeniedPage, insight: InsightMode) =>
    await Template.builtIn().render({ ...sampleInput, deniedPage, insight });
  const live1 = await render(good, before);
  await ensureFiles(live1.files.filter(({ path }) => path.startsWith(folder)));
  live = live1.text;
  await writeFile(path, '');
  const page = await current();
  const { text, files } = await render(page, after);
  const used = after === 'on' ? good.counted! : good.file!;
  expect(text).toContain(`lf-file ${used.path} `);
  expect(files).toContainEqual(used);
});

test('a page that becomes unusable is refused with the reason, and the last good one stays', async () => {
  await writeFile(path, 'good 1');
  const { file } = await current();
  await ensureFiles([file!]);
  live = `http-error status 403 lf-file ${file!.path}\n`;
  const refused = async () => {
    const page = await current();
    expect(page.file).toEqual(file);
    expect(page.refusal).toContain(`the denied page ${path} `);
    expect(page.refusal).toContain('; the last good one stays in use');
    const { files, warnings, text } = await Template.builtIn().render({ ...sampleInput, deniedPage: page });
    expect(files).toContainEqual(file);
    expect(text).toContain(`lf-file ${file!.path} `);
    expect(warnings).toEqual([page.refusal]);
    return page.refusal;
  };
  await writeFile(path, '');
  expect(await refused()).toContain('is empty');
  await unlink(path);
  expect(await refused()).toContain('cannot be read: ENOENT');
  await mkdir(path);
  expect(await refused()).toMatch(/is not a file|EISDIR/);
  await rm(path, { recursive: true });
  spawnSync('mkfifo', [path]);
  expect(await refused()).toContain('is not a file');
  await unlink(path);
  await writeFile(path, 'good 2');
  expect((await current()).file?.content).toBe('good 2');
});

test('a last good page whose file was edited is not used', async () => {
  await writeFile(path, 'good');
  const { file } = await current();
  live = `lf-file ${file!.path}\n`;
  await writeFile(file!.path, 'edited %[env(SECRET)]');
  await writeFile(path, '');
  expect(await current()).toEqual({
    file: null,
    counted: null,
    refusal: expect.stringContaining('the built-in page is used'),
  });
});
