import { rm } from 'node:fs/promises';
import type { Fault } from '../fault.ts';

/** The socket is deleted, as by a clean-up of temporary files. The service has to reload, which creates it again. */
export const masterSocketMissing: Fault = {
  name: 'master-socket-missing',
  holds: 'master-socket',
  excuses: {},
  async strike({ service: { paths } }) {
    await rm(paths.masterSocket, { force: true });
    return { detail: paths.masterSocket, heal: async () => undefined };
  },
};
