import { eventually } from '../../testkit/conditions.ts';
import type { Fault } from '../fault.ts';
import { upstreamEntries } from '../upstreams.ts';

/** A network that is believed, or no longer believed, without the service. */
export const foreignUpstreamEdit: Fault = {
  name: 'foreign-upstream-edit',
  excuses: { enforcement: true },
  async strike(stack, random) {
    const { service } = stack;
    const map = service.paths.upstreamsMap;
    const [network, value] = random.pick(upstreamEntries).split(' ') as [string, string];
    const other = value === '2' ? '6' : '2';
    const foreign = `127.61.${random.integer(0, 250)}.0/24`;
    const [how, commands] = random.pick<readonly [string, readonly string[]]>([
      ['removed', [`@1 del map ${map} ${network}`]],
      ['added', [`@1 add map ${map} ${foreign} 2`]],
      ['cleared', [`@1 clear map ${map}`]],
      ['duplicate', [`@1 add map ${map} ${network} ${other}`]],
      ['set to another value', [`@1 set map ${map} ${network} ${other}`]],
      ['swapped', [`@1 del map ${map} ${network}`, `@1 add map ${map} ${foreign} ${value}`]],
    ]);
    await service.raw(...commands);
    return {
      detail: `${how}: ${commands.join('; ')}`,
      async heal() {
        // The comparison of every thirty seconds finds a change that keeps the count, and so does a sync.
        if (how !== 'set to another value' && how !== 'swapped') return;
        await eventually('a sync is answered', async () => {
          await stack.relaunch();
          return (await service.call('POST', '/api/blocked-ips/sync')).status === 200;
        });
      },
    };
  },
};
