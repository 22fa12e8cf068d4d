import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fault, Stack } from '../fault.ts';

/** The secret of private keys is lost, and put back: certificates are served meanwhile, and none is issued twice. */
export const secretGone: Fault = {
  name: 'secret-gone',
  excuses: { api: true },
  async strike(stack) {
    const secret = join(stack.service.paths.stateDir, 'secret');
    await die(stack);
    await rename(secret, `${secret}.lost`);
    await stack.relaunch();
    return {
      detail: 'the service runs without its secret',
      async heal() {
        await die(stack);
        await rename(`${secret}.lost`, secret);
        await stack.relaunch();
      },
    };
  },
};

async function die({ service }: Stack): Promise<void> {
  service.kill('SIGKILL');
  await service.ended();
}
