import { count } from '../../parts/figures.ts';
import classes from './minute-bars.module.css';

const height = 56;
const step = 24;
const gap = 4;

interface MinuteBarsProps {
  /** Requests of each of the last minutes, oldest first: the service remembers no more of a client that is not blocked. */
  readonly values: readonly number[];
  /** They want attention. */
  readonly isAttention: boolean;
}

export function MinuteBars({ values, isAttention }: MinuteBarsProps) {
  const most = Math.max(1, ...values);
  const width = Math.max(1, values.length) * step;
  return (
    <figure className={classes.figure} data-attention={isAttention}>
      <figcaption className={classes.head}>
        <span>Requests per minute</span>
        <span>at most {count(Math.max(0, ...values))}</span>
      </figcaption>
      <svg
        className={classes.bars}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Requests of each of the last ${values.length} minutes, oldest first: ${values.map((value) => count(value)).join(', ')}`}
      >
        {values.map((value, at) => {
          const minutes = values.length - at;
          const tall = value === 0 ? 0 : Math.max(2, (value / most) * height);
          return (
            <rect key={minutes} x={at * step} y={height - tall} width={step - gap} height={tall}>
              <title>{`${count(value)} requests, ${minutes} min ago`}</title>
            </rect>
          );
        })}
      </svg>
      <div className={classes.head} aria-hidden="true">
        <span>{values.length} min ago</span>
        <span>1 min ago</span>
      </div>
    </figure>
  );
}
