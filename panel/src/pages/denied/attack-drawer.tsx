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
import table from '../../parts/small-table.module.css';
import { SmallTable } from '../../parts/small-table.tsx';
import { useSourceColours } from '../../parts/source-colours.ts';
import { SourceName } from '../../parts/source-name.tsx';
import styles from '../../parts/styles.module.css';
import { momentText } from '../../parts/times.ts';
import { useFocusReturn } from '../../parts/use-focus-return.ts';
import { attackWords } from './attack-words.ts';
import classes from './denied.module.css';

const chartTitle = 'Denied requests per minute';

interface AttackDrawerProps {
  readonly id: string;
  readonly onClose: () => void;
}

/** One attack, minute by minute with the time around it, and what denied it. */
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
  const { started_at: start, ended_at: end, peak, usual, denied, top_sites: sites, entries, sampled } = attack;
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
  const colourOf = useSourceColours();
  const lasted = spanText((end === null ? now : Date.parse(end)) - Date.parse(start));
  const shareOf = (part: number): number | null => (denied === 0 ? null : Math.min(1, part / denied));
  return (
    <Stack gap="md">
      <Text size="sm">
        {attackWords(attack, lasted)} HAProxy answered each of them with 403, so there is nothing to do for blocked
        addresses.{' '}
        {end === null && (
          <>
            Clients of the attack that are not blocked may be among the{' '}
            <Anchor inherit renderRoot={(props) => <Link to="/candidates" {...props} />}>
              candidates
            </Anchor>
            .
          </>
        )}
      </Text>
      <dl className={classes.facts}>
        <div>
          <dt>{end === null ? 'Continues for' : 'Lasted'}</dt>
          <dd>{lasted}</dd>
        </div>
        <div>
          <dt>Denied requests</dt>
          <dd>{count(denied)}</dd>
        </div>
        <div>
          <dt>Peak/min</dt>
          <dd>{count(peak)}</dd>
        </div>
        <div>
          <dt>Usual/min</dt>
          <dd>{count(usual)}</dd>
        </div>
      </dl>
      <section className={styles.card} aria-label={chartTitle}>
        <div className={classes.head}>
          <h3 className={classes.title}>{chartTitle}</h3>
          <Button size="compact-xs" variant="default" onClick={() => setIsTable(!isTable)}>
            {isTable ? 'Show as chart' : 'Show as table'}
          </Button>
        </div>
        <ChartBody
          data={data}
          isTable={isTable}
          height={180}
          title={chartTitle}
          unit="denied requests/min"
          fromZero
          oneIn={null}
          hasLegend={false}
        />
      </section>
      <SmallTable
        title="Entries that denied most"
        id="attack-entries"
        columns={[
          { name: 'Entry' },
          { name: 'Source', wide: true },
          { name: 'Picture', hidden: true, wide: true },
          { name: 'Denied', figure: true },
          { name: 'Share', figure: true },
        ]}
        rows={entries.map(({ entry, source, denied: own }) => (
          <tr key={entry} data-row>
            <td className={styles.mono}>
              <Anchor inherit renderRoot={(props) => <Link to="/blocked" search={{ entry }} {...props} />}>
                {entry}
              </Anchor>
            </td>
            <td className={`${table.dim} ${table.wide}`}>
              {source === null ? 'not blocked now' : <SourceName name={source} colourOf={colourOf} />}
            </td>
            <td className={`${classes.bar} ${table.wide}`}>
              <ShareBar share={shareOf(own) ?? 0} />
            </td>
            <td data-figure="true">{count(own)}</td>
            <td data-figure="true">{percent(shareOf(own))}</td>
          </tr>
        ))}
        empty="Not known."
        note="Share: of all denied requests of the attack. An entry is counted by full hours, at most the last 24, so it may include some from before and after."
      />
      <SmallTable
        title="Sites"
        id="attack-sites"
        columns={[{ name: 'Site' }, { name: 'Picture', hidden: true, wide: true }, { name: 'Share', figure: true }]}
        rows={sites.map(({ site, denied: own }) => {
          const share = shareOf(own);
          return (
            <tr key={site} data-row>
              <td>{site}</td>
              <td className={`${classes.bar} ${table.wide}`}>
                <ShareBar share={share ?? 0} />
              </td>
              <td data-figure="true">{percent(share)}</td>
            </tr>
          );
        })}
        empty="Not known."
        note={`Share: of all denied requests of the attack. Estimated: HAProxy counts 1 in ${sampled.one_in} requests of each site.`}
      />
    </Stack>
  );
}
