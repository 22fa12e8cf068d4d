import { median } from '../testkit/load/percentile.ts';
import type { Tally } from '../testkit/load/traffic-accounting.ts';
import { atAMillion } from './bench.ts';
import type { Figure } from './figures.ts';
import type { PhaseName, PhaseResult, PhaseSide } from './traffic-phases.ts';

const pauseRatio = 1.3;
const pauseMs = 100;
/** For a sync that has to remove a million entries. */
const repairMs = 20_000;

const classes = [
  { name: 'keep-alive', of: (side: PhaseSide): Tally => side.load.keepAlive },
  { name: 'new connections', of: (side: PhaseSide): Tally => side.load.fresh },
] as const;

/** @param within100 the goal of 100 ms applies to this version (3.0) */
export function figuresOf(results: readonly PhaseResult[], entries: number, within100: boolean): Figure[] {
  const figures: Figure[] = [];
  for (const { name, of } of classes) {
    const sum = (side: 'service' | 'raw'): number => results.reduce((all, one) => all + of(one[side]).failed, 0);
    const sent = results.reduce((all, one) => all + of(one.service).sent, 0);
    figures.push({
      name: `traffic, ${name}: failed requests of ${sent}`,
      value: sum('service'),
      floor: null,
      unit: 'failed',
      goal: 0,
      note: `raw commands: ${sum('raw')}`,
    });
  }
  for (const phase of new Set(results.map((one) => one.phase))) {
    const rounds = results.filter((one) => one.phase === phase);
    if (phase === 'unexpected') figures.push(repair(rounds, entries));
    for (const { name, of } of classes) figures.push(...ofPhase(phase, name, rounds, of, within100));
  }
  return figures;
}

function repair(rounds: readonly PhaseResult[], entries: number): Figure {
  const took = (side: 'service' | 'raw'): number => median(rounds.map((round) => round[side].workMs));
  return {
    name: `sync that removes ${entries} unexpected entries, under load`,
    value: took('service'),
    floor: took('raw'),
    unit: 'ms',
    goal: atAMillion(entries, repairMs),
    goalOf: 'value',
    note: 'floor: a raw replace and a listing',
  };
}

/** Ratios compare medians of rounds; the 100 ms apply to each round. */
function ofPhase(
  phase: PhaseName,
  name: string,
  rounds: readonly PhaseResult[],
  of: (side: PhaseSide) => Tally,
  within100: boolean,
): Figure[] {
  const control = phase === 'quiet';
  const note = ownNote(rounds);
  const figures: Figure[] = [];
  const row = (what: string, value: number, floor: number | null, goal: number | null): void => {
    figures.push({ name: `traffic during ${phase}, ${name}: ${what}`, value, floor, unit: 'ms', goal, note });
  };
  // The pause of HAProxy, and of one client: a proxy with several threads goes on while one is busy.
  const kinds: [string, (tally: Tally) => number | null][] = [
    ['longest pause', (tally) => tally.pause.ms],
    ['longest wait', (tally) => tally.longest],
  ];
  const values = (side: 'service' | 'raw', read: (tally: Tally) => number | null): number[] =>
    rounds.map((round) => read(of(round[side])) ?? Number.POSITIVE_INFINITY);
  for (const [what, read] of kinds) {
    row(what, median(values('service', read)), median(values('raw', read)), control ? null : pauseRatio);
    if (within100 && !control)
      row(`${what}, at most ${pauseMs} ms`, Math.max(...values('service', read)), null, pauseMs);
  }
  const p99 = (tally: Tally): number | null => tally.p99;
  row('p99', median(values('service', p99)), median(values('raw', p99)), null);
  return figures;
}

/** The part of a pause that the load generator may have caused. */
function ownNote(rounds: readonly PhaseResult[]): string {
  const late = (side: 'service' | 'raw'): string =>
    Math.max(...rounds.map((one) => one[side].load.own.longest)).toFixed(1);
  return `the generator itself was late by at most ${late('service')} and ${late('raw')} ms`;
}
