import { Fragment } from 'react';
import { count } from '../parts/figures.ts';
import { type ChartData, spanAt } from './series.ts';
import classes from './time-chart.module.css';
import { stepText } from './times.ts';

interface TipProps {
  readonly data: ChartData;
  readonly step: number;
  /** Marks so many seconds beside the step are named too: a step may be a pixel. */
  readonly reach: number;
  readonly unit: string;
}

/** A list of more would hide the picture. */
const mostMarks = 3;

/** The figures of one step, and what happened in it. */
export function Tip({ data, step, reach, unit }: TipProps) {
  const { times, stepSeconds, lines, gaps, marks, attacks, previous } = data;
  const from = times[step];
  if (from === undefined) return null;
  const gap = spanAt(gaps, from, from + stepSeconds);
  const attack = spanAt(attacks, from, from + stepSeconds);
  const to = from + stepSeconds;
  const distance = (at: number): number => Math.max(0, from - at, at - to);
  const here = marks
    .filter(({ at }) => at >= from - reach && at < to + reach)
    .toSorted((a, b) => distance(a.at) - distance(b.at));
  // On the side where the pointer is not.
  const side = step < times.length / 2 ? classes.right : classes.left;
  return (
    <div className={`${classes.tip} ${side}`}>
      <div className={classes.when}>{stepText(from, stepSeconds)}</div>
      <dl>
        {lines.map(({ label, colour, values }) => (
          <Fragment key={label}>
            <dt>
              <span className={classes.swatch} style={{ background: `var(${colour})` }} />
              {label}
            </dt>
            <dd>{count(values[step] ?? null)}</dd>
          </Fragment>
        ))}
        {previous !== undefined && (
          <>
            <dt className={classes.about}>{previous.label}</dt>
            <dd className={classes.about}>{count(previous.values[step] ?? null)}</dd>
          </>
        )}
      </dl>
      <div className={classes.about}>{unit}</div>
      {gap !== null && <div className={classes.about}>Gap: {gap.cause}</div>}
      {attack !== null && <div className={classes.about}>In an attack</div>}
      {here.slice(0, mostMarks).map(({ at, text }) => (
        <div key={`${at} ${text}`} className={classes.about}>
          {at >= from && at < to ? text : `${stepText(at, 0)}: ${text}`}
        </div>
      ))}
      {here.length > mostMarks && <div className={classes.about}>and {count(here.length - mostMarks)} more</div>}
    </div>
  );
}
