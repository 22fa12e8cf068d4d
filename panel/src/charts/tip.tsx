import { Fragment } from 'react';
import { count } from '../parts/figures.ts';
import { type ChartData, spanAt } from './series.ts';
import classes from './time-chart.module.css';
import { stepText } from './times.ts';

interface TipProps {
  readonly data: ChartData;
  readonly step: number;
  readonly unit: string;
}

/** The figures of one step, and what happened in it. */
export function Tip({ data: { times, stepSeconds, lines, gaps, marks, attacks, previous }, step, unit }: TipProps) {
  const from = times[step];
  if (from === undefined) return null;
  const gap = spanAt(gaps, from, from + stepSeconds);
  const attack = spanAt(attacks, from, from + stepSeconds);
  const here = marks.filter(({ at }) => at >= from && at < from + stepSeconds);
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
      {here.map(({ at, text }) => (
        <div key={`${at} ${text}`} className={classes.about}>
          {text}
        </div>
      ))}
    </div>
  );
}
