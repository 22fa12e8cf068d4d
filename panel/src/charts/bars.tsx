// Small pictures beside figures that are written too: screen readers skip them.
import classes from './bars.module.css';

interface SparkBarsProps {
  /** Oldest first. */
  readonly values: readonly number[];
}

export function SparkBars({ values }: SparkBarsProps) {
  const most = Math.max(1, ...values);
  const width = 72 / Math.max(1, values.length);
  return (
    <svg className={classes.bars} viewBox="0 0 72 16" width={72} height={16} aria-hidden="true" focusable="false">
      {values.map((value, at) => {
        const height = value === 0 ? 0 : Math.max(1.5, (value / most) * 16);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the bars are of hours, which have no other name.
          <rect key={at} x={at * width} y={16 - height} width={Math.max(1, width - 0.8)} height={height} />
        );
      })}
    </svg>
  );
}

interface SparkLineProps {
  readonly values: readonly (number | null)[];
  /** Default true; false: from the lowest value, for a level. */
  readonly fromZero?: boolean;
}

/** Gaps stay gaps. */
export function SparkLine({ values, fromZero = true }: SparkLineProps) {
  const known = values.filter((value) => value !== null);
  const least = fromZero ? 0 : Math.min(...known);
  const range = Math.max(1, ...known.map((value) => value - least));
  const x = (at: number): string => ((at / Math.max(1, values.length - 1)) * 100).toFixed(2);
  const y = (value: number): string => (23 - ((value - least) / range) * 21).toFixed(2);
  let path = '';
  let area = '';
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    const begins = (values[at - 1] ?? null) === null;
    path += `${begins ? 'M' : 'L'}${x(at)} ${y(value)}`;
    area += `${begins ? `M${x(at)} 24L` : 'L'}${x(at)} ${y(value)}`;
    if ((values[at + 1] ?? null) === null) area += `L${x(at)} 24Z`;
  }
  return (
    <svg className={classes.line} viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <path d={area} className={classes.area} />
      <path d={path} className={classes.stroke} />
    </svg>
  );
}

interface ShareBarProps {
  /** From 0 to 1. */
  readonly share: number;
  readonly colour?: string;
}

export function ShareBar({ share, colour = '--chart-1' }: ShareBarProps) {
  return (
    <span className={classes.share} aria-hidden="true">
      <span style={{ width: `${Math.min(1, share) * 100}%`, background: `var(${colour})` }} />
    </span>
  );
}
