import { misbehaviours, SocketInterposer } from '../../testkit/socket-interposer.ts';
import type { Fault } from '../fault.ts';

/** HAProxy works, but its replies are late, cut, wrong or missing. */
export const masterSocketMisbehaving: Fault = {
  name: 'master-socket-misbehaving',
  holds: 'master-socket',
  excuses: {},
  async strike({ service: { paths } }, random) {
    const [how, nth] = [random.pick(misbehaviours), random.pick([1, 1, 2, 3, 7])];
    const interposer = await SocketInterposer.at(paths.masterSocket);
    interposer.misbehave(how, nth);
    return { detail: `${how}, every ${nth}. reply`, heal: () => interposer.release() };
  },
};
