import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withoutKeys } from './buffered-lines.ts';
import { ManagerLog } from './log.ts';

const key = (mark = 'pm_') => `${mark}${randomBytes(32).toString('base64url')}`;

test('an API key in a log line is masked in both forms of the log', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pm-log-'));
  const [text, json] = [join(folder, 'text'), join(folder, 'json')];
  const log = new ManagerLog(text, json);
  const strayed = Array.from({ length: 50 }, () => key());
  for (const one of strayed) {
    log.info('Request answered', { path: `/api/keys/${one}`, cause: `there is no ${one}, see "${one}"`, list: [one] });
    log.warn(`${one} is wrong`, { key: one });
  }
  log.flush();
  for (const path of [text, json]) {
    const written = await readFile(path, 'utf8');
    for (const one of strayed) expect(written).not.toContain(one.slice(3, 20));
    expect(written).toContain('/api/keys/pm_********');
    expect(written.trim().split('\n')).toHaveLength(100);
  }
  await rm(folder, { recursive: true });
});

test('text that only begins like an API key is not masked', () => {
  for (const text of ['pm_stats', 'a pm_', `pm_${'x'.repeat(80)}`]) expect(withoutKeys(text)).toBe(text);
});

test('the token of a session in a log line is masked', () => {
  expect(withoutKeys(`/api/keys/${key('pms_')}?a=${key()}`)).toBe('/api/keys/pms_********?a=pm_********');
});
