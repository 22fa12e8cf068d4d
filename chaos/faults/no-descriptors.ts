import { forbidOpening } from '../../testkit/file-limit.ts';
import type { Fault } from '../fault.ts';

/** The service can open nothing more: no file, no connection, in neither direction. */
export const noDescriptors: Fault = {
  name: 'no-descriptors',
  // A new connection cannot be accepted; the map file cannot be rewritten.
  excuses: { api: true, storage: true },
  async strike({ service: { pid } }) {
    return { detail: `service ${pid}`, heal: await forbidOpening(pid) };
  },
};
