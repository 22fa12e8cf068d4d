import { Text } from '@mantine/core';
import { useState } from 'react';
import { counted } from '../../../../src/domain/counted.ts';
import { isInsightLoading, isInsightOff, useCandidates } from '../../api/insight.ts';
import { RangeField, useRange } from '../../charts/range-field.tsx';
import { trafficViews } from '../../charts/series-chart/chart-views.ts';
import { SeriesChart } from '../../charts/series-chart/series-chart.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { count, percent } from '../../parts/figures.ts';
import { Loading } from '../../parts/loading.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Read } from '../../parts/read.tsx';
import styles from '../../parts/styles.module.css';
import { useUrlState } from '../../parts/url-state.ts';
import { useAllowed } from '../../session/session.ts';
import { CandidateDetails } from './candidate-details.tsx';
import { CandidateTable } from './candidate-table.tsx';
import classes from './candidates.module.css';
import { estimateText } from './sample-words.ts';

/** Loud clients that are not blocked. Nothing is blocked by itself. */
export default function CandidatesPage() {
  const candidates = useCandidates();
  const [chosen, setChosen] = useUrlState('client');
  const [toBlock, setToBlock] = useState(false);
  const [range, setRange] = useRange();
  const may = useAllowed('block');
  const open = (ip: string, blocks: boolean): void => {
    setToBlock(blocks);
    // Back closes the first one that is opened.
    setChosen(ip, chosen === '' ? 'push' : 'replace');
  };
  const { data, error } = candidates;
  const limits = data?.limits;
  return (
    <PageFrame
      title="Candidates"
      about={
        limits === undefined
          ? 'Loud clients that are not blocked'
          : `${counted(data?.items.length ?? 0, 'client')} above ${limits.rate} requests a second, or with more than ${percent(limits.error_share)} errors, for ten minutes`
      }
      actions={<RangeField range={range} onChange={setRange} />}
    >
      {isInsightOff(error) ? (
        <section className={styles.card}>
          <EmptyState title="Clients are not counted">The setting PROXY_MANAGER_INSIGHT is off.</EmptyState>
        </section>
      ) : isInsightLoading(error) ? (
        <Loading what="The service is reading its stored figures" />
      ) : (
        <Read of={candidates} failed="Could not load the candidates" loading="Loading the candidates">
          {({ items, limits: above, sampled, complete }) => {
            const current = items.find(({ ip_address: ip }) => ip === chosen);
            return (
              <div className={classes.page}>
                <div className={classes.main}>
                  <SeriesChart range={range} views={trafficViews} height={150} />
                  <div className={styles.card}>
                    {items.length === 0 ? (
                      <EmptyState title={sampled === null ? 'Candidates are not known' : 'No candidates'}>
                        {sampled === null
                          ? 'HAProxy does not count clients. A notice says what its configuration lacks.'
                          : 'No client is above the limits. Trusted addresses, upstreams and known CDNs are left out.'}
                      </EmptyState>
                    ) : (
                      <CandidateTable
                        items={items}
                        limits={above}
                        current={current?.ip_address ?? ''}
                        onChoose={(ip) => open(ip, false)}
                        onBlock={may ? (ip) => open(ip, true) : null}
                      />
                    )}
                    <Text size="xs" c="dimmed" mt="sm">
                      {sampled !== null && `${estimateText(sampled.one_in)} `}
                      IPv6 clients are grouped by /64. Errors are the 4xx of your servers.
                      {!complete && ' A part of the time was not watched.'}
                    </Text>
                  </div>
                </div>
                <div className={classes.side}>
                  {current !== undefined && (
                    <CandidateDetails
                      key={current.ip_address}
                      candidate={current}
                      limits={above}
                      toBlock={toBlock}
                      onClose={() => setChosen('')}
                    />
                  )}
                  {chosen !== '' && current === undefined && (
                    <Text size="sm" c="dimmed" role="status">
                      {chosen} is no candidate now.
                    </Text>
                  )}
                  <section className={styles.card} aria-label="How a candidate is found">
                    <h2 className={classes.title}>How a candidate is found</h2>
                    <Text size="sm" c="dimmed">
                      {sampled !== null && `HAProxy counts 1 in ${sampled.one_in} requests of each client. `}A client is
                      listed while its rate or its share of errors stays above a limit for ten minutes. Nothing is
                      blocked by itself.
                    </Text>
                    <dl className={classes.facts}>
                      <dt>Rate above</dt>
                      <dd>{count(above.rate)} requests/s</dd>
                      <dt>Or errors above</dt>
                      <dd>
                        {percent(above.error_share)}, if there are {count(above.error_requests)}
                      </dd>
                    </dl>
                  </section>
                </div>
              </div>
            );
          }}
        </Read>
      )}
    </PageFrame>
  );
}
