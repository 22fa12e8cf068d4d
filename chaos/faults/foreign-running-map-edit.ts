import { eventually } from '../../testkit/conditions.ts';
import type { Fault } from '../fault.ts';

export const foreignRunningMapEdit: Fault = {
  name: 'foreign-running-map-edit',
  excuses: { enforcement: true },
  async strike(stack, random) {
    const { service } = stack;
    const map = service.paths.blockedMap;
    const entries = (await service.runningMap()).map((line) => line.split(' ')[0] ?? '');
    const some = entries.length === 0 ? '127.54.1.1' : random.pick(entries);
    const stray = `127.54.1.${random.integer(1, 200)}`;
    const [how, commands] = random.pick<readonly [string, readonly string[]]>([
      ['removed', [`@1 del map ${map} ${some}`]],
      ['added', [`@1 add map ${map} ${stray} 1`]],
      ['cleared', [`@1 clear map ${map}`]],
      ['duplicate', [`@1 add map ${map} ${some} 1`]],
      ['set to 0', [`@1 set map ${map} ${some} 0`]],
      ['swapped', [`@1 del map ${map} ${some}`, `@1 add map ${map} ${stray} 1`]],
    ]);
    await service.raw(...commands);
    return {
      detail: `${how}: ${commands.join('; ')}`,
      async heal() {
        // The comparison of every thirty seconds finds a change that keeps the count, and so does a sync.
        if (how !== 'set to 0' && how !== 'swapped') return;
        await eventually('a sync is answered', async () => {
          await stack.relaunch();
          return (await service.call('POST', '/api/blocked-ips/sync')).status === 200;
        });
      },
    };
  },
};
