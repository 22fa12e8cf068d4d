import { describe, expect, it } from 'vitest';
import { lastingForeigners } from './lasting-foreigners.ts';

/** A machine on which, look by look, these processes listen, and the master (7) has these children. */
function machine(looks: readonly { readonly listening: readonly number[]; readonly children?: readonly number[] }[]) {
  const paused: number[] = [];
  const at = () => looks[Math.min(paused.length, looks.length - 1)]!;
  return {
    paused,
    foreign: async (pids: readonly number[]) =>
      at()
        .listening.filter((pid) => !pids.includes(pid))
        .map((pid) => `port 80 (process ${pid})`),
    given: {
      children: async (pid: number) => (pid === 7 ? [...(at().children ?? [])] : []),
      pause: async (ms: number) => paused.push(ms),
    },
  };
}
const ours = { pids: [7, 8], masterPid: 7 };

describe('who listens beside us', () => {
  it('is nobody where only the known workers do, and nobody is waited for', async () => {
    const { foreign, given, paused } = machine([{ listening: [8] }]);
    expect(await lastingForeigners(ours, foreign, given)).toEqual([]);
    expect(paused).toEqual([]);
  });

  it('is not the worker that a reload has just made: the master’s child is ours before it is listed', async () => {
    const { foreign, given, paused } = machine([{ listening: [8, 9] }, { listening: [8, 9], children: [8, 9] }]);
    expect(await lastingForeigners(ours, foreign, given)).toEqual([]);
    expect(paused).toEqual([100]);
  });

  it('is not a child that the master forks only after the first looks, nor one that is gone by then', async () => {
    const late = machine([
      { listening: [9] },
      { listening: [9] },
      { listening: [9] },
      { listening: [9], children: [9] },
    ]);
    expect(await lastingForeigners(ours, late.foreign, late.given)).toEqual([]);
    expect(late.paused).toEqual([100, 100, 100]);
    const gone = machine([{ listening: [9] }, { listening: [9] }, { listening: [] }]);
    expect(await lastingForeigners(ours, gone.foreign, gone.given)).toEqual([]);
    expect(gone.paused).toEqual([100, 100]);
  });

  it('is whoever is still there after 300 ms and no child of the master', async () => {
    const { foreign, given, paused } = machine([{ listening: [8, 9, 66], children: [8, 9] }]);
    expect(await lastingForeigners(ours, foreign, given)).toEqual(['port 80 (process 66)']);
    expect(paused).toHaveLength(3);
  });

  it('is told at once where no master is there that could be making a worker', async () => {
    const { foreign, given, paused } = machine([{ listening: [66] }]);
    expect(await lastingForeigners({ pids: [], masterPid: null }, foreign, given)).toEqual(['port 80 (process 66)']);
    expect(paused).toEqual([]);
  });
});
