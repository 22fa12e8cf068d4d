import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../../testkit/free-port.ts';
import type { Fault, Stack } from '../fault.ts';

const launcher = join(import.meta.dirname, '../../bin/proxy-manager');
const patienceMs = 30_000;

/** By mistake a second service is started on the same files: it refuses, and says why. */
export const secondService: Fault = {
  name: 'second-service',
  excuses: {},
  // Beside a dead service it would be the only one, and rightly start.
  alone: true,
  async strike(stack) {
    const first = stack.service.pid;
    const { code, said } = await startSecond(stack);
    if (code === 0 || code === null) throw new Error(`a second service was not refused (${code}): ${said}`);
    if (!/another|already|lock/i.test(said)) throw new Error(`a second service says nothing clear: ${said}`);
    return { detail: `refused beside ${first}: ${said.slice(0, 200)}`, heal: async () => undefined };
  },
};

async function startSecond({ service, bin }: Stack): Promise<{ code: number | null; said: string }> {
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
      PROXY_MANAGER_SUPERVISE: 'true',
    },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const late = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(late);
  return { code, said };
}
