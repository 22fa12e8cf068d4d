import { failCalls } from '../../testkit/failing-calls.ts';
import type { Fault } from '../fault.ts';

/** Not `write`, which also wakes the service's threads. */
const calls = ['pwrite64', 'fdatasync', 'fsync', 'fdatasync,fsync', 'rename', 'ftruncate', 'pwrite64,fdatasync,rename'];
const errors = ['ENOSPC', 'EIO', 'EDQUOT'];

/** Once, from the n-th on, or every so often. */
export const failingWrite: Fault = {
  name: 'failing-write',
  excuses: { storage: true },
  async strike({ service: { pid } }, random) {
    const [which, error] = [random.pick(calls), random.pick(errors)];
    const nth = random.integer(1, 12);
    const when = random.pick([`${nth}`, `${nth}+`, `${nth}+${random.integer(2, 5)}`]);
    const failing = await failCalls(pid, { calls: which, how: `error=${error}`, when });
    return { detail: `service ${pid}: ${error} for ${which}, when ${when}`, heal: () => failing.end() };
  },
};
