// Machines are noisy: figures are compared within one run, pair by pair, by medians.

type Unit = 'ms' | '/s' | 'MB' | 'bytes' | 'x' | 'failed' | '';

export interface Figure {
  readonly name: string;
  /** Of the service. */
  readonly value: number;
  /** Raw commands and fsyncs of the same work, in the same run; null: none. */
  readonly floor: number | null;
  /** `x`: a ratio. Empty: a count. */
  readonly unit: Unit;
  /** Maximum of the ratio (or, without a floor, of the value); null: none. */
  readonly goal: number | null;
  /** The goal applies to the value although there is a floor. */
  readonly goalOf?: 'value';
  /** What the floor is, unless the name says it. */
  readonly note?: string;
}

/** The other rows go on. */
export interface FailedRow {
  readonly row: string;
  readonly failed: string;
}

/** Inverted for rates, so that smaller is better. */
export function ratioOf(figure: Figure): number | null {
  if (figure.floor === null) return null;
  return figure.unit === '/s' ? figure.floor / figure.value : figure.value / figure.floor;
}

/** False for NaN too. */
export function reached(figure: Figure): boolean | null {
  if (figure.goal === null) return null;
  const measured = figure.goalOf === 'value' ? figure.value : (ratioOf(figure) ?? figure.value);
  return measured <= figure.goal;
}

export function table(results: readonly (Figure | FailedRow)[]): string {
  const rows = results.filter((result) => 'unit' in result).map(cellsOf);
  const head = ['figure', 'service', 'floor', 'ratio', 'goal', ''];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  ');
  const failures = results.filter((result) => 'failed' in result).map(({ row, failed }) => `${row}: FAILED: ${failed}`);
  return `${[line(head), ...rows.map(line), ...failures].map((text) => text.trimEnd()).join('\n')}\n`;
}

/** Unrounded. */
export function asData(results: readonly (Figure | FailedRow)[]): object[] {
  return results.map((result) => {
    if ('failed' in result) return result;
    const { name, value, floor, unit, goal, note } = result;
    const judged = { ratio: ratioOf(result), goal, reached: reached(result) };
    return { name, unit, service: value, floor, ...judged, ...(note === undefined ? {} : { note }) };
  });
}

function cellsOf(figure: Figure): string[] {
  const ratio = ratioOf(figure);
  const met = reached(figure);
  const shown = (value: number): string => `${rounded(value)} ${figure.unit}`.trimEnd();
  return [
    figure.note === undefined ? figure.name : `${figure.name} (${figure.note})`,
    shown(figure.value),
    figure.floor === null ? '' : shown(figure.floor),
    ratio === null ? '' : ratio.toFixed(2),
    goalText(figure),
    met === null ? '' : met ? 'reached' : 'NOT reached',
  ];
}

function goalText({ goal, goalOf, floor, unit }: Figure): string {
  if (goal === null) return '';
  return goalOf === 'value' || floor === null ? `${goal} ${unit}`.trimEnd() : String(goal);
}

function rounded(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
