import { takeAllConnections } from '../../testkit/broken-master-socket.ts';
import type { Fault } from '../fault.ts';

/** Ten strangers are connected and say nothing: the master serves no eleventh. */
export const masterSocketTaken: Fault = {
  name: 'master-socket-taken',
  holds: 'master-socket',
  excuses: {},
  async strike({ service }) {
    return { detail: 'ten connections', heal: await takeAllConnections(service) };
  },
};
