import { describe, expect, it } from 'vitest';
import { noFacts } from '../../../testkit/no-facts.ts';
import type { Processes } from '../../haproxy/process/workers.ts';
import { WorkerRegistry } from './worker-registry.ts';

const processesOf = (...workers: { pid: number; startTime: number }[]): Processes => {
  const [current, ...draining] = workers.map((worker) => ({ ...worker, version: '2.6.12' }));
  return {
    master: { pid: 1, reloads: 0, failed: 0, version: '2.6.12', uptimeSeconds: 9 },
    current: current === undefined ? [] : [current],
    currentAnswered: current !== undefined,
    draining,
    starting: [],
  };
};

describe('the registry of workers', () => {
  it('reports each worker that is gone, because its pid may be reused', () => {
    const gone: number[] = [];
    const registry = new WorkerRegistry({ now: () => new Date(), emit: noFacts });
    registry.onForgotten((pid) => gone.push(pid));
    registry.observe(processesOf({ pid: 10, startTime: 1 }, { pid: 11, startTime: 1 }, { pid: 12, startTime: 1 }));
    registry.observe(processesOf({ pid: 10, startTime: 1 }, { pid: 12, startTime: 1 }));
    expect(gone).toEqual([11]);
    registry.forget(12);
    expect(gone).toEqual([11, 12]);
    registry.observe(processesOf({ pid: 10, startTime: 2 }));
    expect(gone).toEqual([11, 12, 10]);
    registry.clear();
    expect(gone).toEqual([11, 12, 10, 10]);
  });
});
