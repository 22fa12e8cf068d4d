import { eventually } from '../../testkit/conditions.ts';
import type { RealService } from '../../testkit/real-service.ts';
import { base, bystander } from '../addresses.ts';
import type { Fault, Stack } from '../fault.ts';
import { visitFrontEnd } from '../visited-front-end.ts';
import { operatorOf } from './operator-of.ts';
import { servesAgain } from './proxy-processes.ts';

const visitors = 3;
/** Includes another fault that stops the service. */
const namedWithinMs = 25_000;

/**
 * HAProxy is restarted without `-S`, and later with it. Meanwhile it denies what the map file held, health names the
 * socket, and no answer claims that a worker has a change.
 */
export const socketRemoved: Fault = {
  name: 'socket-removed',
  holds: ['operator', 'master-socket'],
  // For both restarts; in between this fault checks traffic itself.
  excuses: { traffic: true },
  async strike(stack) {
    const { service } = stack;
    const operator = operatorOf(stack);
    const before = await heldIn(service);
    await operator.restart({ withSocket: false });
    try {
      await expectDenied(stack, before);
      await eventually(
        'health names the master socket',
        async () => {
          const { body } = await service.health();
          return (
            body['status'] !== 'ok' && (body['reasons'] as string[]).some((one) => one.startsWith('master socket:'))
          );
        },
        namedWithinMs,
      );
    } catch (error) {
      await operator.restart({ withSocket: true });
      throw error;
    }
    return {
      detail: `HAProxy runs without -S, ${before.length} entries in the map file`,
      heal: () => operator.restart({ withSocket: true }),
      over: () => servesAgain(stack, []),
    };
  },
};

/** Entries in the map file before the restart and after the visit were loaded. */
async function expectDenied(stack: Stack, before: readonly string[]): Promise<void> {
  const [service, frontEnds] = [stack.service, operatorOf(stack).frontEnds];
  await eventually('the front ends serve', async () => (await service.visit(bystander)) === 200);
  const some = before.filter((ip) => base.includes(ip)).slice(0, visitors);
  for (const ip of some) {
    for (const frontEnd of frontEnds) {
      const seen = await visitFrontEnd(service, frontEnd, ip);
      if (seen !== 403 && (await heldIn(service)).includes(ip)) {
        throw new Error(
          `${ip} is in the map file, and saw ${seen} at ${frontEnd.name} of a HAProxy without a master socket`,
        );
      }
    }
  }
}

async function heldIn(service: RealService): Promise<string[]> {
  return (await service.fileEntries()).map((line) => line.split(' ')[0] ?? '');
}
