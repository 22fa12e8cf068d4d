import { rm } from 'node:fs/promises';
import type { Fault } from '../fault.ts';

/** As after a clean-up of temporary files. The service must reload, which creates it again. */
export const masterSocketMissing: Fault = {
  name: 'master-socket-missing',
  holds: 'master-socket',
  excuses: {},
  async strike({ service: { paths } }) {
    await rm(paths.masterSocket, { force: true });
    return { detail: paths.masterSocket, heal: async () => undefined };
  },
};
