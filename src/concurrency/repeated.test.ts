import { expect, it } from 'vitest';
import { eventually } from '../../testkit/conditions.ts';
import { Repeated } from './repeated.ts';

it('runs again after a failure, which is reported once until the work succeeds, and not after it was stopped', async () => {
  const fails = new Set([2, 3, 5]);
  const reported: number[] = [];
  let runs = 0;
  const repeated = new Repeated({
    work: async () => {
      runs += 1;
      if (fails.has(runs)) throw new Error(`run ${runs}`);
    },
    everyMs: 1,
    failed: () => void reported.push(runs),
  });
  repeated.start();
  repeated.start();
  await eventually('six runs', () => runs >= 6);
  await repeated.stop();
  const before = runs;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(runs).toBe(before);
  expect(reported).toEqual([2, 5]);
});
