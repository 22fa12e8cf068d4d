import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../testkit/blocking.ts';
import { eventually } from '../../testkit/conditions.ts';
import { DnsHook } from './dns-hook.ts';

const call = { verb: 'deploy_challenge' as const, domain: 'shop.example', token: 'T', value: 'V$(id);' };
const environment = {
  PATH: process.env['PATH'],
  DNS_HOOK_TOKEN: 'its own',
  PROXY_MANAGER_API_KEY: 'secret',
  OTHER_SECRET: 'x',
};

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

async function hook(script: string, limitMs = 20_000): Promise<DnsHook> {
  const path = join(folder.path, 'hook');
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  return new DnsHook({ path, environment, limitMs });
}

it('a hook gets its words as they are, and of the environment only what is its own', async () => {
  const out = join(folder.path, 'out');
  await (await hook(`printf '%s|' "$@" > ${out}; env >> ${out}`)).run(call);
  const seen = await readFile(out, 'utf8');
  expect(seen).toMatch(/^deploy_challenge\|shop\.example\|T\|V\$\(id\);\|/);
  expect(seen).toContain('DNS_HOOK_TOKEN=its own');
  expect(seen).not.toMatch(/secret|OTHER_/);
});

it('a hook that fails is named, with the end of what it printed, in one line', async () => {
  const printed = 'echo early; printf "zone\\n\\033[31mrefused\\n" >&2; exit 3';
  await expect((await hook(printed)).run(call)).rejects.toThrow(
    /hook deploy_challenge shop\.example exited with 3; it printed: .*zone \[31mrefused$/,
  );
  const long = await hook('head -c 10000000 /dev/zero | tr "\\0" x; echo; echo the end; exit 1');
  const error = await long.run(call).catch((thrown: Error) => thrown);
  expect((error as Error).message).toMatch(/x the end$/);
  expect((error as Error).message.length).toBeLessThan(1_300);
});

it('a hook that does not end is killed, with what it started', async () => {
  const pids = join(folder.path, 'pids');
  const hanging = await hook(`sleep 1000 & echo $! > ${pids}; wait`, 500);
  await expect(hanging.run(call)).rejects.toThrow('did not end within 0.5 s and was killed');
  const pid = Number(await readFile(pids, 'utf8'));
  await eventually('the child is gone', async () => {
    // A process that init has not reaped yet has ended too.
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
    return stat.includes(') Z');
  });
});

it('a hook that cannot be run is named', async () => {
  const missing = new DnsHook({ path: join(folder.path, 'missing'), environment });
  await expect(missing.run(call)).rejects.toThrow(/missing deploy_challenge shop\.example cannot be run: .*ENOENT/);
});
