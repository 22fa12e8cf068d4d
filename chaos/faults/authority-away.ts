import { type FrontFault, problem } from '../../testkit/acme/front.ts';
import type { Fault } from '../fault.ts';

const outages: readonly (readonly [string, FrontFault])[] = [
  ['cut', 'cut'],
  ['503', problem(503, 'serverInternal', 'the authority is down')],
  ['garbled', { status: 200, body: '<html>maintenance</html>' }],
  ['429', problem(429, 'rateLimited', 'too many requests', '5')],
];

/** No request is answered, or the replies to single ones are lost after they were carried out. */
export const authorityAway: Fault = {
  name: 'authority-away',
  excuses: {},
  async strike({ authority }, random) {
    if (authority === null) return null;
    const { front } = authority;
    const lost = random.pick(['createOrder', 'answerChallenge', 'finalize', 'certificate'] as const);
    const [what, outage] = random.pick([...outages, ['lost', null] as const]);
    if (outage === null) front.failNext(lost, 'lost');
    else front.outage = outage;
    return {
      detail: outage === null ? `the next reply to ${lost} is lost` : `each request: ${what}`,
      async heal() {
        front.outage = null;
      },
    };
  },
};
