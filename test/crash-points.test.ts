// Promises 1, 4, 5, 7 and 10 at every step: the service dies at each of its crash points, alone or with its proxy, and
// is started again. In `npm test` each point is died at once, on one of the versions; `npm run chaos:crash-points` does
// all of it on both, alone and with the proxy.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { crashPoints } from '../src/faults/crash-point.ts';
import { operationTo } from '../testkit/crash-scenarios.ts';
import { CrashStack } from '../testkit/crash-stack.ts';
import { describeOnProductProxies } from '../testkit/proxies.ts';

// Several starts each, on a machine that may be busy with much else.
vi.setConfig({ testTimeout: 120_000 });

const everything = process.env['CHAOS_CRASH_POINTS'] === 'all';

describeOnProductProxies('a death of the service', ({ bin, major }) => {
  let stack: CrashStack;
  beforeAll(async () => {
    stack = await CrashStack.start(bin);
  });
  afterAll(() => stack?.stop());

  const points = crashPoints.filter((point) => !['first start', 'replace'].includes(operationTo[point]));
  const ways = points.flatMap((point, index) =>
    [false, true]
      .filter((withProxy) => everything || ((index + major) % 2 === 0 && withProxy === ((index >> 1) % 2 === 0)))
      .map((withProxy) => ({ point, withProxy, how: withProxy ? 'with its proxy' : 'alone' })),
  );
  it.each(ways)('at $point, $how: nothing acknowledged is undone, nothing is left half done', async (way) => {
    await stack.dieAt(way.point, operationTo[way.point], way);
  });

  it('at the last of them is made up for as well', async () => {
    await stack.recover();
  });

  // From 2.9 on a delete costs what a lookup does, and nothing is replaced.
  if (major > 2) return;
  it('at each step of replacing a map', async () => {
    const steps = crashPoints.filter((point) => operationTo[point] === 'replace');
    await stack.dieReplacing(steps, { withProxy: false });
    if (everything) await stack.dieReplacing(steps, { withProxy: true });
  });
});

describe('the list of crash points', () => {
  it('has each name once', () => {
    expect(crashPoints).toHaveLength(new Set(crashPoints).size);
  });
});
