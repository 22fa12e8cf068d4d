import { forbidOpening } from '../../testkit/file-limit.ts';
import type { Fault } from '../fault.ts';

/** The service cannot open files, or connections in either direction. */
export const noDescriptors: Fault = {
  name: 'no-descriptors',
  excuses: { api: true, storage: true },
  async strike({ service: { pid } }) {
    return { detail: `service ${pid}`, heal: await forbidOpening(pid) };
  },
};
