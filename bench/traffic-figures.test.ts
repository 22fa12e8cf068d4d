import { describe, expect, it } from 'vitest';
import type { Tally } from '../testkit/load/traffic-accounting.ts';
import { reached } from './figures.ts';
import { figuresOf } from './traffic-figures.ts';
import type { PhaseName, PhaseResult, PhaseSide } from './traffic-phases.ts';

function side(pause: number, failed = 0): PhaseSide {
  const tally: Tally = {
    sent: 100,
    failed,
    causes: {},
    firstFailures: [],
    p50: 1,
    p99: pause / 2,
    longest: pause * 2,
    slowest: [],
    pause: { ms: pause, afterMs: 0 },
  };
  const own = { p99: 0, longest: 0.4, longestAfterMs: 0 };
  const load = { keepAlive: tally, fresh: tally, all: tally, durationMs: 1_000, reconnects: 0, own };
  return { load, workMs: 1 };
}

const round = (phase: PhaseName, service: PhaseSide, raw: PhaseSide): PhaseResult => ({
  phase,
  service,
  raw,
  starts: [0],
});

describe('the figures of the traffic', () => {
  const results = [
    round('quiet', side(9), side(1)),
    round('sync', side(10), side(10)),
    round('sync', side(90), side(10)),
    round('sync', side(12), side(10, 1)),
  ];
  const figures = figuresOf(results, 1_000, true);
  const figure = (name: string) => figures.find((one) => one.name === `traffic during ${name}`);

  it('compare the medians of the rounds, and apply 100 ms to every round', () => {
    expect(figure('sync, keep-alive: longest pause')).toMatchObject({ value: 12, floor: 10, goal: 1.3 });
    expect(figure('sync, keep-alive: longest pause, at most 100 ms')).toMatchObject({ value: 90, floor: null });
    const wait = figure('sync, new connections: longest wait, at most 100 ms')!;
    expect([wait.value, reached(wait)]).toEqual([180, false]);
    expect(figure('sync, new connections: p99')).toMatchObject({ value: 6, floor: 5, goal: null });
  });

  it('have no goal for the control', () => {
    expect(figure('quiet, keep-alive: longest pause')).toMatchObject({ value: 9, floor: 1, goal: null });
    expect(figures.some(({ name }) => name.includes('quiet') && name.includes('100 ms'))).toBe(false);
  });

  it('count failures of the service, and report those of the raw commands separately', () => {
    expect(figures[0]).toMatchObject({ value: 0, goal: 0, note: 'raw commands: 1' });
    const [failed] = figuresOf([round('import', side(1, 3), side(1))], 1_000, false);
    expect([failed?.value, reached(failed!)]).toEqual([3, false]);
  });

  it('say how long the sync took that has to remove entries', () => {
    const took = (workMs: number) => ({ ...side(1), workMs });
    const repairOf = (entries: number) =>
      figuresOf([round('unexpected', took(20_100), took(1_500))], entries, true).find(({ name }) =>
        name.startsWith(`sync that removes ${entries} `),
      )!;
    expect(repairOf(1_000_000)).toMatchObject({ value: 20_100, floor: 1_500, goal: 20_000 });
    expect(reached(repairOf(1_000_000))).toBe(false);
    expect(repairOf(1_000).goal).toBeNull();
  });

  it('have no goal of 100 ms where deletes are slow', () => {
    expect(figuresOf(results, 1_000, false).some(({ name }) => name.includes('at most'))).toBe(false);
  });
});
