import { Text } from '@mantine/core';
import { useInsight } from '../../api/insight.ts';
import type { InsightSummary } from '../../api/types.ts';
import { allViews } from '../../charts/series-chart/chart-views.ts';
import { SeriesChart } from '../../charts/series-chart/series-chart.tsx';
import { type RangeName, rangeLabels } from '../../charts/times.ts';
import { ReadProblem } from '../../parts/read.tsx';
import { WhereCounted } from '../../parts/where-counted.tsx';
import { Figures } from './figures/figures.tsx';
import classes from './overview.module.css';
import { LoudestBlocked } from './tables/loudest-blocked.tsx';
import { LoudestClients } from './tables/loudest-clients.tsx';
import { SourceEffects } from './tables/source-effects.tsx';

/** What the blocked set does. Its parts are requested at once: none waits for the figures. */
export function InsightPart({ range }: { readonly range: RangeName }) {
  const insight = useInsight(range);
  const { data, error } = insight;
  return (
    <WhereCounted error={error}>
      <ReadProblem of={insight} failed="Could not load the figures of denied requests" />
      {(data !== undefined || error === null) && <Parts summary={data} range={range} />}
    </WhereCounted>
  );
}

interface PartsProps {
  /** Undefined: not loaded yet. */
  readonly summary: InsightSummary | undefined;
  readonly range: RangeName;
}

function Parts({ summary, range }: PartsProps) {
  return (
    <>
      <Figures summary={summary} range={range} />
      {summary?.since === null && (
        <Text size="sm" c="dimmed">
          Counting begins with the first denied request. First figures in a minute.
        </Text>
      )}
      <SeriesChart range={range} views={allViews} height={220} />
      <div className={classes.tables}>
        <LoudestBlocked range={range} label={rangeLabels[range]} />
        <LoudestClients />
        <SourceEffects range={range} summary={summary} />
      </div>
    </>
  );
}
