import { fillDisk, isDisk, makeRoom } from '../../testkit/own-disk.ts';
import type { Fault } from '../fault.ts';

/** Nothing or a few bytes are left. Needs a stack on its own disk. */
export const diskFull: Fault = {
  name: 'disk-full',
  excuses: { storage: true },
  async strike({ service: { paths } }, random) {
    const leave = random.pick([0, 0, 4_096, 65_536]);
    if (!(await isDisk(paths.prefix))) return null;
    const ballast = await fillDisk(paths.prefix, leave);
    return { detail: `${ballast} bytes of ballast, ${leave} left`, heal: () => makeRoom(paths.prefix) };
  },
};
