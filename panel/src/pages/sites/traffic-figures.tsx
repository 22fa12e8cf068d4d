import { Link } from '@tanstack/react-router';
import type { SiteTraffic } from '../../api/types.ts';
import classes from './traffic-figures.module.css';
import { trafficFigures } from './traffic-words.ts';

interface TrafficFiguresProps {
  readonly traffic: SiteTraffic;
  /** The last 24 hours were watched without a gap. */
  readonly complete: boolean;
}

export function TrafficFigures({ traffic, complete }: TrafficFiguresProps) {
  const figures = trafficFigures(traffic, complete);
  return (
    <dl className={classes.figures} aria-label={`Traffic of ${traffic.site}`}>
      {figures.map(({ name, value, about, to }) => (
        <div key={name} title={about}>
          <dt>{name}</dt>
          <dd>{to === undefined ? value : <Link to={to}>{value}</Link>}</dd>
        </div>
      ))}
    </dl>
  );
}
