import { takeAllConnections } from '../../testkit/broken-master-socket.ts';
import type { Fault } from '../fault.ts';

/** Ten silent connections: the master accepts no eleventh. */
export const masterSocketTaken: Fault = {
  name: 'master-socket-taken',
  holds: 'master-socket',
  excuses: {},
  async strike({ service }) {
    return { detail: 'ten connections', heal: await takeAllConnections(service) };
  },
};
