// No request through HAProxy fails, whatever the service does meanwhile.
import { expect, it } from 'vitest';
import { measureTraffic } from '../bench/traffic.ts';
import { phaseNames, usual } from '../bench/traffic-phases.ts';
import { slowedTime } from '../testkit/clock.ts';
import { describeOnNewestProxy, longTests } from '../testkit/proxies.ts';

describeOnNewestProxy('traffic through HAProxy', ({ bin }) => {
  it('fails no request during blocks, an import, a sync, reloads and a removal', async () => {
    const { phases, figures } = await measureTraffic({
      ...usual,
      bin,
      // Deadlines are not tested here, and a busy machine may miss them.
      environment: slowedTime,
      entries: 3_000,
      reloads: longTests ? 2 : 1,
      rounds: 1,
      quietMs: 300,
      blocksMs: 500,
      tailMs: 300,
      // Denser than the bench's: only a request just sent notices a connection that is cut between requests.
      load: { ...usual.load, timeoutMs: 60_000, keepAlive: { perSecond: longTests ? 500 : 300, connections: 10 } },
    });
    expect(phases.map(({ phase }) => phase)).toEqual(phaseNames);
    for (const { phase, service, raw, starts } of phases) {
      expect(starts.length, phase).toBeGreaterThan(0);
      for (const { load } of [service, raw]) {
        expect({ phase, ...load.all.causes, first: load.all.firstFailures }).toEqual({ phase, first: [] });
        expect(load.keepAlive.sent, phase).toBeGreaterThan(50);
        expect(load.fresh.sent, phase).toBeGreaterThan(25);
      }
    }
    expect(figures.filter(({ unit }) => unit === 'failed').map(({ value }) => value)).toEqual([0, 0]);
  });
});
