// Medians, percentiles and the table. These machines are noisy: figures are compared within one run, pair by pair.

export interface Figure {
  readonly name: string;
  /** What the service took. */
  readonly value: number;
  /** What the raw commands and fsyncs of the same work took, in the same run; null: there is no floor. */
  readonly floor: number | null;
  readonly unit: 'ms' | '/s' | 'MB' | 'failed';
  /** The ratio (or, without a floor, the value) that is wanted at most; at least for rates. Null: only told. */
  readonly goal: number | null;
  readonly note?: string;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** The share of the goal: value over floor, or floor over value for rates, so that smaller is better either way. */
export function ratioOf(figure: Figure): number | null {
  if (figure.floor === null) return null;
  return figure.unit === '/s' ? figure.floor / figure.value : figure.value / figure.floor;
}

export function reached(figure: Figure): boolean | null {
  if (figure.goal === null) return null;
  return (ratioOf(figure) ?? figure.value) <= figure.goal;
}

export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const ratio = ratioOf(figure);
    const met = reached(figure);
    return [
      figure.name,
      `${rounded(figure.value)} ${figure.unit}`,
      figure.floor === null ? '' : `${rounded(figure.floor)} ${figure.unit}`,
      ratio === null ? '' : ratio.toFixed(2),
      figure.goal === null ? '' : String(figure.goal),
      met === null ? '' : met ? 'reached' : 'NOT reached',
    ];
  });
  const head = ['figure', 'service', 'floor', 'ratio', 'goal', ''];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  ');
  return `${[line(head), ...rows.map(line)].join('\n')}\n`;
}

function rounded(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
