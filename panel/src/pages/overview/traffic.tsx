import { Text } from '@mantine/core';
import { useMemo } from 'react';
import { useTraffic } from '../../api/metrics.ts';
import { Loading } from '../../parts/loading.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { busiestSites } from '../../traffic/history.ts';
import { Chart, type Series } from './chart.tsx';
import classes from './overview.module.css';

const maxSites = 5;
const siteColours = ['--chart-1', '--chart-2', '--chart-3', '--chart-4', '--chart-5'];

export function Traffic() {
  const traffic = useTraffic();
  const history = traffic.data;
  const drawn = useMemo(() => {
    if (history === undefined) return null;
    const { points } = history;
    const times = points.map(({ at }) => at);
    const all: Series[] = [
      { label: 'all', colour: '--chart-1', values: points.map(({ requests }) => requests) },
      { label: 'denied', colour: '--panel-bad', values: points.map(({ denied }) => denied) },
    ];
    const sites = busiestSites(history, maxSites).map(
      (site, index): Series => ({
        label: site,
        colour: siteColours[index] ?? '--chart-1',
        values: points.map((point) => point.sites.get(site) ?? null),
      }),
    );
    const blocked: Series[] = [{ label: 'entries', colour: '--chart-1', values: points.map((point) => point.blocked) }];
    return { times, all, sites, blocked };
  }, [history]);

  if (traffic.isError && drawn === null)
    return <ProblemAlert title="Could not load the metrics" error={traffic.error} />;
  if (drawn === null || history === undefined) return <Loading what="Loading the metrics" />;
  const { times, all, sites, blocked } = drawn;
  const common = { times, reloads: history.reloads, live: !traffic.isError };
  return (
    <section aria-label="Traffic">
      <div className={classes.charts}>
        <Chart {...common} title="Requests/s" series={all} unit={perSecond} />
        {sites.length > 0 && <Chart {...common} title="Requests/s by site" series={sites} unit={perSecond} />}
        <Chart {...common} title="Blocked entries" series={blocked} unit={count} integers />
      </div>
      <Text size="xs" c="dimmed" mt={6}>
        {traffic.isError ? 'Paused: the metrics could not be loaded. ' : ''}
        At most the last 15 minutes, recorded while the panel is open in this tab. Dashed lines are reloads of HAProxy,
        which reset its counters.
      </Text>
    </section>
  );
}

function perSecond(value: number): string {
  return value >= 10 || Number.isInteger(value) ? Math.round(value).toLocaleString() : value.toFixed(1);
}

function count(value: number): string {
  return value >= 100_000 ? `${Math.round(value / 1_000).toLocaleString()}k` : Math.round(value).toLocaleString();
}
