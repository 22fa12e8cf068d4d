import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnEachProxy } from '../../../testkit/proxies.ts';
import { ConfigurationCheckError, checkConfiguration } from './binary.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-'));
});
afterAll(() => rm(folder, { recursive: true }));

const good =
  'defaults\n  mode http\n  timeout client 5s\n  timeout server 5s\n  timeout connect 5s\nlisten l\n  bind 127.0.0.1:1\n';

async function configuration(text: string): Promise<string> {
  const file = join(folder, `${Math.random()}.cfg`);
  await writeFile(file, text);
  return file;
}

async function program(text: string): Promise<string> {
  const file = join(folder, `${Math.random()}.sh`);
  await writeFile(file, `#!/bin/sh\n${text}\n`);
  await chmod(file, 0o755);
  return file;
}

describeOnEachProxy('-c', (proxy) => {
  it('finds a valid configuration valid', async () => {
    expect(await checkConfiguration(proxy.bin, await configuration(good))).toMatchObject({ valid: true });
  });

  it('names the line of an error in a configuration', async () => {
    const check = await checkConfiguration(proxy.bin, await configuration(`${good}  bogus line\n`));
    expect(check.valid).toBe(false);
    expect(check.output).toMatch(/cfg:8\] : unknown keyword 'bogus'/);
  });

  it('finds a configuration without a listener, and a missing one, invalid', async () => {
    expect((await checkConfiguration(proxy.bin, await configuration('global\n'))).valid).toBe(false);
    expect((await checkConfiguration(proxy.bin, '/no/such/file.cfg')).valid).toBe(false);
  });
});

it('a configuration check with exit code 0 but without the message of HAProxy is invalid', async () => {
  expect((await checkConfiguration(await program('exit 0'), '/x')).valid).toBe(false);
});

it('a configuration check with the message of HAProxy but another exit code is invalid', async () => {
  const bin = await program('echo Configuration file is valid; exit 1');
  expect((await checkConfiguration(bin, '/x')).valid).toBe(false);
});

it('the output of a configuration check is limited, and the verdict at its end is found', async () => {
  const bin = await program('head -c 3000000 /dev/zero | tr "\\0" w >&2; echo Configuration file is valid');
  const check = await checkConfiguration(bin, '/x');
  expect(check.valid).toBe(true);
  expect(check.output.length).toBeLessThanOrEqual(64 * 1024);
});

it('a configuration check that does not end fails without a verdict', async () => {
  const bin = await program('echo Configuration file is valid; exec sleep 600');
  await expect(checkConfiguration(bin, '/x', { timeLimitMs: 200 })).rejects.toThrow(/did not end within 0.2 s/);
});

it('a configuration check fails when HAProxy cannot be run or is killed', async () => {
  const missing = checkConfiguration('/no/such/haproxy', '/x');
  await expect(missing).rejects.toThrow(ConfigurationCheckError);
  await expect(missing).rejects.toThrow('there is no such program (PROXY_MANAGER_PROXY_BIN names it)');
  await expect(checkConfiguration(await program('kill -9 $$'), '/x')).rejects.toThrow(/SIGKILL/);
});
