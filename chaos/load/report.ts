import type { Tally } from '../../testkit/load/traffic-accounting.ts';
import type { LoadResult } from './run.ts';
import { type Watched, watched } from './sampler.ts';
import type { Trend } from './trend.ts';

const listedWrongs = 20;

export function passed({ clients, faults }: Pick<LoadResult, 'clients' | 'faults'>): boolean {
  return clients.wrongTotal === 0 && faults.length === 0;
}

export function reportOf(result: LoadResult): string {
  const { clients, traffic, faults } = result;
  const rate = Math.round(clients.done / clients.seconds);
  const lines = [
    `${clients.done} requests in ${clients.seconds.toFixed(0)} s, ${rate} a second; ${clients.wrongTotal} wrong, ${clients.unjudged} that an overlapping PUT left open, ${clients.late} not seen in every worker before the deadline`,
    '',
    ...columns([
      ['operation', 'count', 'p50 ms', 'p99 ms', 'longest ms', 'sent at s'],
      ...clients.operations.map((one) => [
        one.operation,
        String(one.count),
        one.p50.toFixed(1),
        one.p99.toFixed(1),
        one.longest.toFixed(1),
        one.longestAtSeconds.toFixed(0),
      ]),
    ]),
    '',
    trafficLine('kept connections', traffic.keepAlive),
    trafficLine('new connections', traffic.fresh),
    '',
    ...figureLines(result),
  ];
  for (const { operation, seconds, what } of clients.wrongs.slice(0, listedWrongs)) {
    lines.push(`WRONG at ${seconds.toFixed(1)} s, ${operation}: ${what}`);
  }
  lines.push(...faults.map((fault) => `WRONG: ${fault}`), passed(result) ? 'passed' : 'FAILED');
  return `${lines.join('\n')}\n`;
}

function trafficLine(what: string, tally: Tally): string {
  const ms = (value: number | null): string => (value === null ? '-' : value.toFixed(1));
  return `traffic on ${what}: ${tally.sent} requests, ${tally.failed} failed, p50 ${ms(tally.p50)} ms, p99 ${ms(tally.p99)} ms, longest ${ms(tally.longest)} ms`;
}

function figureLines({ samples, trends }: LoadResult): string[] {
  const rows = (Object.keys(watched) as Watched[]).map((name) => {
    const values = samples[name].map(({ value }) => value);
    const least = values.length === 0 ? Number.NaN : Math.min(...values);
    const most = values.length === 0 ? Number.NaN : Math.max(...values);
    const { name: text, unit } = watched[name];
    return [`${text}${unit === '' ? '' : `, ${unit}`}`, number(least), number(most), ...trendCells(trends[name])];
  });
  return columns([['each second', 'least', 'most', 'second minute', 'last minute', 'per minute'], ...rows]);
}

function trendCells(trend: Trend | undefined): string[] {
  return trend === undefined ? ['', '', ''] : [number(trend.early), number(trend.late), number(trend.perMinute)];
}

function number(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
}
