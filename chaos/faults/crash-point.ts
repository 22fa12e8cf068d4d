// The service is started again so that it dies at one of its crash points, when the program gets there.
import { type CrashPoint, crashPoints, crashVariable } from '../../src/faults/crash-point.ts';
import { operationTo } from '../../testkit/crash-scenarios.ts';
import type { Fault, Stack, Struck } from '../fault.ts';
import type { Random } from '../random.ts';

/** Those that a program of blocks, big changes, syncs, reloads and trust comes by. */
const reachable: readonly CrashPoint[] = crashPoints.filter(
  (point) => !['first start', 'start of the proxy', 'start with a big change', 'replace'].includes(operationTo[point]),
);
const passesAtMost = 4;

export const crashPointFault: Fault = {
  name: 'crash-point',
  excuses: { api: true },
  async strike(stack: Stack, random: Random): Promise<Struck> {
    const armed = `${random.pick(reachable)}:${random.integer(1, passesAtMost)}`;
    await die(stack);
    let when = 'armed';
    try {
      await stack.relaunch({ [crashVariable]: armed });
    } catch (error) {
      // Some points are passed at start already; and beside another fault (its log moved away) it refuses to start.
      // Whatever it was, it must start when all is healed.
      await die(stack);
      when = `did not get through its start: ${(error as Error).message.slice(0, 300)}`;
    }
    return {
      detail: `${crashVariable}=${armed}, ${when}`,
      async heal() {
        // One that did not get there is still armed.
        await die(stack);
        await stack.relaunch();
      },
    };
  },
};

async function die({ service }: Stack): Promise<void> {
  service.kill('SIGKILL');
  await service.ended();
}
