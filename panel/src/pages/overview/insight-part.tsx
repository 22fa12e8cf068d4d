import { Text } from '@mantine/core';
import { isInsightLoading, isInsightOff, useInsight } from '../../api/insight.ts';
import { type RangeName, rangeLabels } from '../../charts/times.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { ReadProblem } from '../../parts/read.tsx';
import styles from '../../parts/styles.module.css';
import { AttackLine } from './attack-line.tsx';
import { DeniedChart } from './chart/denied-chart.tsx';
import { Figures } from './figures/figures.tsx';
import classes from './overview.module.css';
import { LoudestBlocked } from './tables/loudest-blocked.tsx';
import { LoudestClients } from './tables/loudest-clients.tsx';
import { SourceEffects } from './tables/source-effects.tsx';

/** What the blocked set does. */
export function InsightPart({ range }: { readonly range: RangeName }) {
  const insight = useInsight(range);
  const { data, error } = insight;
  if (isInsightOff(error))
    return (
      <section className={styles.card} aria-label="Denied requests">
        <EmptyState title="Denied requests are not counted">
          The setting PROXY_MANAGER_INSIGHT is off. Blocking does not depend on it.
        </EmptyState>
      </section>
    );
  if (isInsightLoading(error)) return <Loading what="The service is reading its stored figures" />;
  return (
    <>
      <ReadProblem of={insight} failed="Could not load the figures of denied requests" />
      {data === undefined && error === null && <Loading what="Loading the figures" />}
      {data !== undefined && (
        <>
          {data.attack !== null && <AttackLine id={data.attack.id} since={data.attack.started_at} />}
          <Figures summary={data} range={range} />
          {data.since === null && (
            <Text size="sm" c="dimmed">
              Counting begins with the first denied request. First figures in a minute.
            </Text>
          )}
          <DeniedChart range={range} />
          <div className={classes.tables}>
            <LoudestBlocked range={range} label={rangeLabels[range]} />
            <LoudestClients />
            <SourceEffects range={range} summary={data} />
          </div>
        </>
      )}
    </>
  );
}
