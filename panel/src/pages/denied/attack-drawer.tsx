import { Anchor, Button, Drawer, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { ApiProblem } from '../../../../src/client/client.ts';
import { useAttack } from '../../api/insight.ts';
import type { AttackDetail } from '../../api/types.ts';
import { ShareBar } from '../../charts/bars.tsx';
import { chartData } from '../../charts/series.ts';
import { ChartBody } from '../../charts/series-chart/chart-body.tsx';
import { spanText, useServiceNow } from '../../parts/age.tsx';
import { count, percent } from '../../parts/figures.ts';
import { Read } from '../../parts/read.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import styles from '../../parts/styles.module.css';
import { momentText } from '../../parts/times.ts';
import { useFocusReturn } from '../../parts/use-focus-return.ts';
import classes from './denied.module.css';

interface AttackDrawerProps {
  readonly id: string;
  readonly onClose: () => void;
}

/** One attack, minute by minute, and what denied it. */
export function AttackDrawer({ id, onClose }: AttackDrawerProps) {
  const attack = useAttack(id);
  useFocusReturn();
  const unknown = attack.error instanceof ApiProblem && attack.error.status === 404;
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={attack.data === undefined ? 'Attack' : `Attack of ${momentText(attack.data.started_at)}`}
      transitionProps={{ duration: 0 }}
    >
      {unknown ? (
        <Text size="sm" c="dimmed">
          This attack is not stored: the last thousand are.
        </Text>
      ) : (
        <Read of={attack} failed="Could not load the attack" loading="Loading the attack">
          {(data) => <Content attack={data} />}
        </Read>
      )}
    </Drawer>
  );
}

function Content({ attack }: { readonly attack: AttackDetail }) {
  const { started_at: start, ended_at: end, peak, usual, denied, top_sites: sites, entries } = attack;
  const now = useServiceNow(10_000);
  const [isTable, setIsTable] = useState(false);
  const data = useMemo(() => {
    const { started_at: at, ended_at } = attack;
    const marks = [{ at, ended_at, kind: 'attack' as const, text: 'The attack began' }];
    return chartData(
      { ...attack, labels: ['denied'], values: [attack.values], marks, sampled: null },
      { perMinute: true, now: now / 1_000 },
    );
  }, [attack, now]);
  const most = Math.max(1, ...entries.map((entry) => entry.denied));
  return (
    <Stack gap="md">
      <dl className={classes.facts}>
        <div>
          <dt>{end === null ? 'Continues for' : 'Lasted'}</dt>
          <dd>{spanText((end === null ? now : Date.parse(end)) - Date.parse(start))}</dd>
        </div>
        <div>
          <dt>Denied requests</dt>
          <dd>{count(denied)}</dd>
        </div>
        <div>
          <dt>Peak, a minute</dt>
          <dd>{count(peak)}</dd>
        </div>
        <div>
          <dt>Usual, a minute</dt>
          <dd>{count(usual)}</dd>
        </div>
      </dl>
      <section className={styles.card} aria-label="Denied requests per minute">
        <div className={classes.head}>
          <h3 className={classes.title}>Per minute</h3>
          <Button size="compact-xs" variant="default" onClick={() => setIsTable(!isTable)}>
            {isTable ? 'Show as chart' : 'Show as table'}
          </Button>
        </div>
        <ChartBody
          data={data}
          isTable={isTable}
          height={180}
          title="Denied requests per minute"
          unit="denied requests/min"
          fromZero
          oneIn={null}
        />
      </section>
      <SmallTable
        title="Entries that denied most"
        id="attack-entries"
        columns={[
          { name: 'Entry' },
          { name: 'Source', wide: true },
          { name: 'Picture', hidden: true },
          { name: 'Denied', figure: true },
        ]}
        rows={entries.map(({ entry, source, denied: own }) => (
          <tr key={entry} data-row>
            <td className={styles.mono}>
              <Anchor inherit renderRoot={(props) => <Link to="/blocked" search={{ entry }} {...props} />}>
                {entry}
              </Anchor>
            </td>
            <td className={classes.source}>{source ?? 'not blocked now'}</td>
            <td className={classes.bar}>
              <ShareBar share={own / most} />
            </td>
            <td data-figure="true">{count(own)}</td>
          </tr>
        ))}
        empty="Not known."
        note="In the hours of the attack, at most the last 24."
      />
      <SmallTable
        title="Sites"
        id="attack-sites"
        columns={[{ name: 'Site' }, { name: 'Picture', hidden: true }, { name: 'Of denied', figure: true }]}
        rows={sites.map(({ site, denied: own }) => {
          const share = denied === 0 ? null : Math.min(1, own / denied);
          return (
            <tr key={site} data-row>
              <td>{site}</td>
              <td className={classes.bar}>{share !== null && <ShareBar share={share} />}</td>
              <td data-figure="true">{percent(share)}</td>
            </tr>
          );
        })}
        empty="Not known."
        note="Estimated: HAProxy counts 1 in 16 requests of each site."
      />
    </Stack>
  );
}
