// Restarts the service so that it dies at a crash point.
import { type CrashPoint, crashPoints, crashVariable } from '../../src/faults/crash-point.ts';
import { operationTo } from '../../testkit/crash-scenarios.ts';
import type { Fault, Stack, Struck } from '../fault.ts';
import type { Random } from '../random.ts';

const ofCertificates: readonly string[] = ['order', 'replace'];
const unreachable: readonly string[] = ['first start', 'start of HAProxy', 'start with a bulk change'];

/** Reached by blocks, bulk changes, syncs, reloads and trust, and by orders of certificates. */
const reachable = crashPoints.filter((point) => !unreachable.includes(operationTo[point]));
const withoutCertificates = reachable.filter((point) => !ofCertificates.includes(operationTo[point]));
const passesAtMost = 4;

export const crashPointFault: Fault = {
  name: 'crash-point',
  excuses: { api: true },
  async strike(stack: Stack, random: Random): Promise<Struck> {
    const armed = `${random.pick<CrashPoint>(stack.authority === null ? withoutCertificates : reachable)}:${random.integer(1, passesAtMost)}`;
    await die(stack);
    let when = 'armed';
    try {
      await stack.relaunch({ [crashVariable]: armed });
    } catch (error) {
      // Some points are passed at start, and beside another fault the start may fail. It must start after the heal.
      await die(stack);
      when = `did not get through its start: ${(error as Error).message.slice(0, 300)}`;
    }
    return {
      detail: `${crashVariable}=${armed}, ${when}`,
      async heal() {
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
