import { describe, expect, it } from 'vitest';
import type { Processes } from '../../haproxy/process/workers.ts';
import { WorkerBook } from './worker-book.ts';

const processesOf = (...workers: { pid: number; startTime: number }[]): Processes => {
  const [current, ...draining] = workers.map((worker) => ({ ...worker, version: '2.6.12' }));
  return {
    master: { pid: 1, reloads: 0, failed: 0, version: '2.6.12' },
    current: current === undefined ? [] : [current],
    currentAnswered: current !== undefined,
    draining,
    starting: [],
  };
};

describe('the book of workers', () => {
  it('tells of each that is gone, whoever noticed: another may get its pid', () => {
    const gone: number[] = [];
    const book = new WorkerBook(
      () => new Date(),
      (pid) => gone.push(pid),
    );
    book.observe(processesOf({ pid: 10, startTime: 1 }, { pid: 11, startTime: 1 }, { pid: 12, startTime: 1 }));
    book.observe(processesOf({ pid: 10, startTime: 1 }, { pid: 12, startTime: 1 }));
    expect(gone).toEqual([11]);
    book.forget(12);
    expect(gone).toEqual([11, 12]);
    book.observe(processesOf({ pid: 10, startTime: 2 }));
    expect(gone).toEqual([11, 12, 10]);
    book.clear();
    expect(gone).toEqual([11, 12, 10, 10]);
  });
});
