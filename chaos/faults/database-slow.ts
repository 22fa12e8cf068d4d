import { failCalls } from '../../testkit/failing-calls.ts';
import type { Fault } from '../fault.ts';

export const databaseSlow: Fault = {
  name: 'database-slow',
  excuses: {},
  async strike({ service: { pid } }, random) {
    const ms = random.pick([20, 50, 100]);
    const slow = await failCalls(pid, { calls: 'fdatasync,fsync', how: `delay_exit=${ms * 1_000}` });
    return { detail: `service ${pid}: ${ms} ms for each sync`, heal: () => slow.end() };
  },
};
