import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureServerStateFile, keepServerState } from './server-state.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-state-'));
  path = join(folder, 'servers.state');
});
afterEach(() => rm(folder, { recursive: true }));

test('a valid reply is saved as the server state, and any other keeps the previous one', async () => {
  const answer = '1\n# be_id be_name srv_id srv_name\n3 site_a 1 s1_b:80\n\n';
  expect(await keepServerState(path, answer)).toBe(true);
  for (const wrong of ['', '\n', 'Unknown command', answer.slice(0, -1), answer.slice(2)]) {
    expect(await keepServerState(path, wrong)).toBe(false);
  }
  await ensureServerStateFile(path);
  expect(await readFile(path, 'utf8')).toBe(answer);
});

test('a missing server state file is created without servers', async () => {
  await ensureServerStateFile(path);
  expect(await readFile(path, 'utf8')).toMatch(/^1\n# /);
});
