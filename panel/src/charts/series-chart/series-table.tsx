import { count } from '../../parts/figures.ts';
import { type ChartData, spanAt } from '../series.ts';
import { stepText } from '../times.ts';
import classes from './chart.module.css';

interface SeriesTableProps {
  readonly data: ChartData;
  readonly title: string;
  readonly unit: string;
}

/** The same figures as the picture, newest first. */
export function SeriesTable({
  data: { times, stepSeconds, lines, gaps, marks, previous },
  title,
  unit,
}: SeriesTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className={classes.scroll} aria-label={`${title} as a table`} tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {lines.map(({ label }) => (
              <th key={label} scope="col">
                {label} ({unit})
              </th>
            ))}
            {previous !== undefined && (
              <th scope="col">
                {previous.label} ({unit})
              </th>
            )}
            <th scope="col">Notes</th>
          </tr>
        </thead>
        <tbody>
          {times
            .map((from, at) => ({ from, at }))
            .toReversed()
            .map(({ from, at }) => {
              const gap = spanAt(gaps, from, from + stepSeconds);
              const notes = [
                ...(gap === null ? [] : [`Gap: ${gap.cause}`]),
                ...marks.filter((mark) => mark.at >= from && mark.at < from + stepSeconds).map(({ text }) => text),
              ];
              return (
                <tr key={from}>
                  <td>{stepText(from, stepSeconds)}</td>
                  {lines.map(({ label, values }) => (
                    <td key={label}>{count(values[at] ?? null)}</td>
                  ))}
                  {previous !== undefined && <td>{count(previous.values[at] ?? null)}</td>}
                  <td>{notes.join('. ')}</td>
                </tr>
              );
            })}
        </tbody>
      </table>
    </section>
  );
}
