import { existsSync } from 'node:fs';
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
    return {
      detail: await started(stack),
      async heal() {
        await die(stack);
        // Beside another fault the start below may fail, and all of this is repeated.
        if (existsSync(`${secret}.lost`)) await rename(`${secret}.lost`, secret);
        await stack.relaunch();
      },
    };
  },
};

/** Another fault may stop the start, but never that the secret is put back. */
async function started(stack: Stack): Promise<string> {
  try {
    await stack.relaunch();
    return 'the service runs without its secret';
  } catch (error) {
    return `the service did not start without its secret: ${String(error)}`;
  }
}

async function die({ service }: Stack): Promise<void> {
  service.kill('SIGKILL');
  await service.ended();
}
