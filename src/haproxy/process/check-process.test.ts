import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath, kill, pid } from 'node:process';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../../testkit/conditions.ts';
import { describeOnEachProxy } from '../../../testkit/proxies.ts';
import { processAlive, processStartTime } from '../../system/processes.ts';
import { ConfigurationCheckError } from './binary.ts';
import { CheckProcess } from './check-process.ts';

let folder: string;
let checkProcess: CheckProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => {
  checkProcess = new CheckProcess();
});

async function file(text: string, mode = 0o644): Promise<string> {
  const path = join(folder, `${Math.random()}`);
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
}
const program = (text: string) => file(`#!/bin/sh\n${text}\n`, 0o755);
const valid = 'echo Configuration file is valid';
const check = (bin: string, limits = {}) => checkProcess.checkConfiguration(bin, ['/x.cfg'], limits);
/** The process that runs the program: the same for every check. */
const parentOf = async () => Number((await check(await program(`echo $PPID; ${valid}`))).output.split('\n')[0]);
async function gone(of: number): Promise<void> {
  const startTime = await processStartTime(of);
  await eventually(`${of} is gone`, async () => !(await processAlive(of, startTime)));
}

describeOnEachProxy('-c from the check process', ({ bin }) => {
  it('finds a valid configuration valid, and names what is wrong with another, with the same process', async () => {
    const front = 'defaults\n mode http\n timeout client 1s\nfrontend f\n bind 127.0.0.1:1\n http-request return\n';
    const [good, bad] = [await file(front), await file('frontend g\n bogus line\n')];
    for (let round = 0; round < 2; round += 1) {
      expect(await checkProcess.checkConfiguration(bin, [good])).toMatchObject({ valid: true });
      const refused = await checkProcess.checkConfiguration(bin, [good, bad]);
      expect(refused).toMatchObject({ valid: false, output: expect.stringMatching(/unknown keyword 'bogus'/) });
    }
  });
});

it('one process runs all checks, one after the other, at a lower priority', async () => {
  const parent = await parentOf();
  expect(parent).not.toBe(pid);
  const nice = Math.max(getPriority(), 10);
  const slow = await program(
    `mkdir ${folder}/one && sleep 0.1 && rmdir ${folder}/one && [ $(nice) = ${nice} ] && ${valid}`,
  );
  const checks = await Promise.all([1, 2, 3].map(() => check(slow)));
  expect(checks.map((one) => one.valid)).toEqual([true, true, true]);
  expect(await parentOf()).toBe(parent);
});

it('an exit code or a message alone is not valid, nor is what a program reads', async () => {
  expect(await check(await program('exit 0'))).toMatchObject({ valid: false });
  expect(await check(await program(`${valid}; exit 1`))).toMatchObject({ valid: false });
  expect(await check(await program(`cat; ${valid}`))).toMatchObject({ valid: true });
});

it('the verdict at the end of a long output is found, and the next check does not get it', async () => {
  const long = await check(await program(`head -c 300000 /dev/zero | tr '\\0' w; echo; ${valid}`));
  expect(long.valid).toBe(true);
  expect(long.output.length).toBeLessThanOrEqual(65_536);
  expect(await check(await program('echo other >&2'))).toEqual({ valid: false, output: 'other\n' });
});

it('a check that does not end fails, is killed, and does not keep the next one from an answer', async () => {
  const parent = await parentOf();
  await expect(check(await program(`${valid}; exec sleep 600`), { timeLimitMs: 200 })).rejects.toThrow(
    /did not end within 0.2 s/,
  );
  await gone(parent);
  expect(await check(await program(valid))).toMatchObject({ valid: true });
});

it('a check during which the process is killed fails', async () => {
  await expect(check(await program('echo begun; kill -9 $PPID; exec sleep 600'))).rejects.toThrow(
    /: the shell that runs it ended/,
  );
  expect(await check(await program(valid))).toMatchObject({ valid: true });
});

it('a process that was killed before is replaced', async () => {
  const parent = await parentOf();
  // Its end is not known yet when the next check begins.
  kill(parent, 'SIGKILL');
  expect(await parentOf()).not.toBe(parent);
  const once = join(folder, 'once');
  const first = await program(`if mkdir ${once}; then kill -9 $PPID; exec sleep 600; fi 2>/dev/null; ${valid}`);
  expect(await check(first)).toMatchObject({ valid: true });
});

it('fails when HAProxy cannot be run or dies of a signal', async () => {
  const missing = check('/no/such/haproxy');
  await expect(missing).rejects.toThrow(ConfigurationCheckError);
  await expect(missing).rejects.toThrow('there is no such program (PROXY_MANAGER_PROXY_BIN names it)');
  await expect(check(await file('not a program', 0o644))).rejects.toThrow(/cannot be run: .*[Pp]ermission/);
  await expect(check(await program('echo a library is missing; exit 127'))).rejects.toThrow(
    /cannot be run: a library is missing/,
  );
  await expect(check(await program('kill -9 $$'))).rejects.toThrow(/died of the signal 9/);
  await expect(checkProcess.checkConfiguration('/bin/true', ['/a\nb'])).rejects.toThrow(/a path has a line break/);
});

it('neither keeps the service from ending, nor stays when it ends', async () => {
  const code = `
    import { CheckProcess } from ${JSON.stringify(join(import.meta.dirname, 'check-process.ts'))};
    const { output } = await new CheckProcess().checkConfiguration(${JSON.stringify(await program('echo $PPID'))}, ['/x']);
    console.log(output.trim());
  `;
  const service = spawn(execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  service.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  expect(await once(service, 'close')).toEqual([0, null]);
  expect(Number(output)).toBeGreaterThan(1);
  await gone(Number(output));
});
