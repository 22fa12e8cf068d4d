import { failCalls } from '../../testkit/failing-calls.ts';
import type { Fault } from '../fault.ts';

/** As after a disk error, when the kernel remounts the disk read-only. */
export const readOnly: Fault = {
  name: 'read-only',
  excuses: { storage: true },
  async strike({ service: { pid } }) {
    const calls = 'pwrite64,rename,renameat,renameat2,unlink,unlinkat,ftruncate,mkdir,symlink,fchmod,fchown';
    const failing = await failCalls(pid, { calls, how: 'error=EROFS' });
    return { detail: `service ${pid}: EROFS for ${calls}`, heal: () => failing.end() };
  },
};
