// The phases as rows of the bench's table.
import type { Figure } from './figures.ts';
import type { Tally } from './traffic-accounting.ts';
import type { PhaseResult, PhaseSide } from './traffic-phases.ts';

const pauseRatio = 1.3;
const pauseMs = 100;

const classes = [
  { name: 'keep-alive', of: (side: PhaseSide): Tally => side.load.keepAlive },
  { name: 'new connections', of: (side: PhaseSide): Tally => side.load.fresh },
] as const;

/** @param within100 the goal of 100 ms holds on this version (3.0) */
export function figuresOf(results: readonly PhaseResult[], within100: boolean): Figure[] {
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
  for (const { phase, service, raw } of results) {
    for (const { name, of } of classes) {
      const [own, floor] = [of(service), of(raw)];
      const row = (what: string, value: number, beside: number | null, goal: number | null, note?: string): void => {
        const told = note === undefined ? {} : { note };
        figures.push({
          name: `traffic during ${phase}, ${name}: ${what}`,
          value,
          floor: beside,
          unit: 'ms',
          goal,
          ...told,
        });
      };
      // Nobody was answered; and what one client met: a proxy with several threads goes on while one of them is busy.
      const pauses = [
        ['longest pause', own.pause.ms, floor.pause.ms],
        ['longest wait', own.longest ?? Number.NaN, floor.longest],
      ] as const;
      const control = phase === 'quiet';
      for (const [what, value, beside] of pauses) {
        row(what, value, beside, control ? null : pauseRatio, ownNote(service, raw));
        if (within100 && !control) row(`${what}, at most ${pauseMs} ms`, value, null, pauseMs);
      }
      row('p99', own.p99 ?? Number.NaN, floor.p99, null);
    }
  }
  return figures;
}

/** What of a pause may be the load generator's own. */
function ownNote(service: PhaseSide, raw: PhaseSide): string {
  return `the generator itself was late by at most ${service.load.own.longest.toFixed(1)} and ${raw.load.own.longest.toFixed(1)} ms`;
}
