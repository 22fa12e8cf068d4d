// Promises 1, 4, 5, 7 and 10: the service crashes at each crash point, alone or with its proxy, and is started again.
// `npm test` runs a point of some operations on one version, `npm run test:long` all on each.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CrashPoint, crashPoints } from '../src/faults/crash-point.ts';
import { operationTo } from '../testkit/crash-scenarios.ts';
import { CrashStack } from '../testkit/crash-stack.ts';
import { describeOnOneProxy, longTests } from '../testkit/proxies.ts';

const sample: ReadonlySet<CrashPoint> = new Set<CrashPoint>([
  'group.lines-durable',
  'bulk.slice-committed',
  'reload.sites-stored',
]);

describeOnOneProxy('a death of the service', ({ bin, major }) => {
  let stack: CrashStack;
  beforeAll(async () => {
    stack = await CrashStack.start(bin);
  });
  afterAll(() => stack?.stop());

  const chosen = crashPoints.filter((point) => longTests || sample.has(point));
  const points = chosen.filter((point) => !['first start', 'order', 'replace'].includes(operationTo[point]));
  const ways = points.flatMap((point, index) =>
    [false, true]
      .filter((withProxy) => longTests || withProxy === (index % 2 === 0))
      .map((withProxy) => ({ point, withProxy, how: withProxy ? 'with its proxy' : 'alone' })),
  );
  it.each(ways)('at $point, $how: keeps what was acknowledged, and leaves nothing half done', async (way) => {
    await stack.dieAt(way.point, operationTo[way.point], way);
  });

  // From 2.9 on deletes are fast, and nothing is replaced. In parts: map-replacement.test.ts.
  if (major > 2 || !longTests) {
    it('at the last crash point is repaired by the next start', async () => {
      await stack.recover();
    });
    return;
  }
  // Its first start repairs the last crash point.
  it('at each step of replacing a map is repaired by the next start', async () => {
    const steps = chosen.filter((point) => operationTo[point] === 'replace');
    await stack.dieReplacing(steps, { withProxy: false });
    await stack.dieReplacing(steps, { withProxy: true });
  });
});

describe('the list of crash points', () => {
  it('has each name only once', () => {
    expect(crashPoints).toHaveLength(new Set(crashPoints).size);
  });

  it('has points of as many operations in its sample as it names', () => {
    expect(new Set([...sample].map((point) => operationTo[point])).size).toBe(sample.size);
  });
});
