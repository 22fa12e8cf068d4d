import { rm } from 'node:fs/promises';
import type { Fault } from '../fault.ts';

/** Somebody cleans up the folder of temporary files. Only a reload makes the socket anew, which the service has to see to. */
export const masterSocketMissing: Fault = {
  name: 'master-socket-missing',
  holds: 'master-socket',
  excuses: {},
  async strike({ service: { paths } }) {
    await rm(paths.masterSocket, { force: true });
    return { detail: paths.masterSocket, heal: async () => undefined };
  },
};
