import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { checkConfiguration } from './binary.ts';
import { childEnvironment } from './child-environment.ts';
import { readProxyVersion } from './proxy-version.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-'));
  vi.stubEnv('PROXY_MANAGER_API_KEY', 'the-key-0123456789');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

test('child processes get none of the settings, and not the API key', async () => {
  const bin = join(folder, 'proxy');
  const seen = join(folder, 'seen');
  await writeFile(
    bin,
    `#!/bin/sh\npwd >> ${seen}-cwd\nenv >> ${seen}\n[ "$1" = -v ] && echo 'HAProxy version 3.0.11 2025/01/01'\necho 'Configuration file is valid'\n`,
  );
  await chmod(bin, 0o755);
  await readProxyVersion(bin);
  await checkConfiguration(bin, join(folder, 'proxy.cfg'));
  const environment = await readFile(seen, 'utf8');
  expect(environment.match(/^PATH=/gm)).toHaveLength(2);
  expect(environment).not.toContain('PROXY_MANAGER_');
  expect(environment).not.toContain('the-key');
  expect(await readFile(`${seen}-cwd`, 'utf8')).toBe('/\n/\n');
});

test('child processes get the other environment variables', () => {
  expect(childEnvironment({ PATH: '/bin', TZ: 'UTC', PROXY_MANAGER_PREFIX: '/x' })).toEqual({
    PATH: '/bin',
    TZ: 'UTC',
  });
});
