import { describe, expect, it } from 'vitest';
import { settled } from '../../../testkit/conditions.ts';
import { noFacts } from '../../../testkit/no-facts.ts';
import { stopTime } from '../../../testkit/stop-time.ts';
import { type Passing, WorkerRegistry } from '../../blocking/compare/worker-registry.ts';
import { mapNames } from '../../blocking/mirrored-map.ts';
import { processStartTime } from '../../system/processes.ts';
import { verifyWorkers } from './worker-comparison.ts';

// Needs living processes: this one drains, and its parent is the current worker.
const [drainingPid, currentPid] = [process.pid, process.ppid];

async function bookOfTwo(): Promise<WorkerRegistry> {
  const registry = new WorkerRegistry({ now: () => new Date(), emit: noFacts });
  const worker = async (pid: number) => ({ pid, startTime: await processStartTime(pid), version: '2.6.12' });
  const master = { pid: 1, reloads: 1, failed: 0, version: '2.6.12', uptimeSeconds: 9 };
  const [current, draining] = [[await worker(currentPid)], [await worker(drainingPid)]];
  registry.observe({ master, current, currentAnswered: true, draining, starting: [] });
  for (const pid of [currentPid, drainingPid]) for (const map of mapNames) registry.markInSync(pid, map);
  return registry;
}

/** `found`: the result of each comparison of the worker. */
function looksAt(registry: WorkerRegistry, pid: number, found: readonly ('whole' | 'gone' | Passing | null)[]) {
  const asked: boolean[] = [];
  return {
    asked,
    reconciler: {
      checkThroughReload: async (compareAll: boolean) => {
        const now = found[Math.min(asked.push(compareAll), found.length) - 1];
        if (now === 'gone') registry.forget(pid);
        else if (now === 'whole') registry.markInSync(pid, 'blocked');
        else registry.markSuspect(pid, 'blocked', 'cut-short: not reachable', now);
      },
    },
  };
}

describe('the workers after a reload', () => {
  it.each(['gone', 'whole'] as const)(
    'cause no warning for a draining one that could not be queried while it exited, once it is %s',
    async (end) => {
      const registry = await bookOfTwo();
      const { reconciler, asked } = looksAt(registry, drainingPid, [...Array<Passing>(15).fill('unverified'), end]);
      using time = stopTime();
      const verified = verifyWorkers({ reconciler, registry });
      for (let looks = 0; looks < 15; looks += 1) {
        await settled();
        await time.pass(100);
      }
      expect(await verified).toEqual([]);
      expect(asked).toEqual([true, ...Array(15).fill(false)]);
    },
  );

  it('cause a warning with the reason if one stays unreachable', async () => {
    const registry = await bookOfTwo();
    const { reconciler } = looksAt(registry, drainingPid, ['unverified']);
    const warning = `draining worker ${drainingPid} was not verified to be in sync: cut-short: not reachable`;
    expect(await verifyWorkers({ reconciler, registry }, 150)).toEqual([warning]);
  });

  it.each([
    ['a draining one that differs', drainingPid, null],
    ['a draining one that is being repaired', drainingPid, 'pending'],
    ['the current one, whatever it is', currentPid, 'unverified'],
  ] as const)('cause a warning at once for %s', async (_what, pid, passing) => {
    const registry = await bookOfTwo();
    const { reconciler, asked } = looksAt(registry, pid, [passing]);
    expect(await verifyWorkers({ reconciler, registry })).toHaveLength(1);
    expect(asked).toEqual([true]);
  });
});
