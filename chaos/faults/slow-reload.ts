import { readFile } from 'node:fs/promises';
import { kill } from 'node:process';
import type { Fault } from '../fault.ts';
import { send } from '../signals.ts';

/** The master is stopped in the middle of a reload. */
export const slowReload: Fault = {
  name: 'slow-reload',
  excuses: {},
  async strike({ service: { paths } }, random) {
    const master = Number((await readFile(paths.pidFile, 'utf8')).trim());
    kill(master, 'SIGUSR2');
    const ms = random.integer(0, 40);
    await new Promise((resolve) => setTimeout(resolve, ms));
    kill(master, 'SIGSTOP');
    return {
      detail: `master ${master}, stopped ${ms} ms into a reload`,
      heal: async () => send(master, 'SIGCONT'),
    };
  },
};
