import { showProcesses } from '../../src/haproxy/process/workers.ts';
import { eventually, within } from '../../testkit/conditions.ts';
import { bystander } from '../addresses.ts';
import type { Stack } from '../fault.ts';

/** Longer than the engine allows. */
const patienceMs = 60_000;

/** Another master answers with another worker, and HAProxy serves. */
export async function servesAgain(stack: Stack, dead: readonly number[]): Promise<void> {
  await eventually(
    'a new master has a worker',
    async () => {
      const { master, current } = await showProcesses(stack.service.socket, within(1_000));
      return !dead.includes(master.pid) && current.length > 0 && current.every(({ pid }) => !dead.includes(pid));
    },
    patienceMs,
  );
  await serves(stack);
}

/** Several answers in a row: a worker outlives its killed master for a moment. */
async function serves(stack: Stack): Promise<void> {
  let inARow = 0;
  await eventually(
    'HAProxy serves',
    async () => {
      const status = await stack.service.visit(bystander).catch(() => 0);
      inARow = status === 200 ? inARow + 1 : 0;
      return inARow === 5;
    },
    patienceMs,
  );
}
