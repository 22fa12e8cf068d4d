import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../testkit/free-port.ts';
import { processorTime } from '../../testkit/load/process-figures.ts';
import type { Fault, Stack } from '../fault.ts';

const launcher = join(import.meta.dirname, '../../bin/proxy-manager');
/** It loads the service first, 2 s of processor time: some 20 s with a load of 20 on two cores. */
const patienceMs = 90_000;

/** It must refuse to start on the same files, and say why. */
export const secondService: Fault = {
  name: 'second-service',
  excuses: {},
  // Beside a dead service it would rightly start.
  alone: true,
  async strike(stack) {
    const first = stack.service.pid;
    const { code, said, late } = await startSecond(stack);
    if (late !== null)
      throw new Error(`a second service had not ended after ${patienceMs / 1000} s (${late}): ${said}`);
    if (code === 0 || code === null) throw new Error(`a second service was not refused (${code}): ${said}`);
    if (!/another|already|lock/i.test(said)) throw new Error(`a second service says nothing clear: ${said}`);
    return { detail: `refused beside ${first}: ${said.slice(0, 200)}`, heal: async () => undefined };
  },
};

interface Ended {
  readonly code: number | null;
  readonly said: string;
  /** Its state after the time limit; null: it ended. */
  readonly late: string | null;
}

async function startSecond({ service, bin, environment, operator }: Stack): Promise<Ended> {
  const child = spawn(launcher, ['serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: `${process.env.PATH}:/usr/sbin`,
      PROXY_MANAGER_NODE: process.execPath,
      PROXY_MANAGER_PREFIX: service.paths.prefix,
      PROXY_MANAGER_LISTEN: `127.0.0.1:${await freePort()}`,
      PROXY_MANAGER_HTTP_BIND: `127.0.0.1:${service.proxyPort}`,
      PROXY_MANAGER_API_KEY: service.key,
      PROXY_MANAGER_PROXY_BIN: bin,
      PROXY_MANAGER_SUPERVISE: String(operator === null),
      ...environment,
    },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  let late: string | null = null;
  const patience = setTimeout(() => {
    if (child.pid !== undefined && child.exitCode === null) late = processState(child.pid);
    child.kill('SIGKILL');
  }, patienceMs);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(patience);
  return { code, said, late };
}

/** Distinguishes waiting from having no processor. */
function processState(pid: number): string {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const state = /^State:\s+(.+)$/m.exec(status)?.[1];
  const waitsIn = readFileSync(`/proc/${pid}/wchan`, 'latin1');
  return `${state}, waits in ${waitsIn}, ${processorTime(pid)} ms of processor time`;
}
