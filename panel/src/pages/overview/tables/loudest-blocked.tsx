import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useKnocking } from '../../../api/insight.ts';
import { SparkBars } from '../../../charts/bars.tsx';
import type { RangeName } from '../../../charts/times.ts';
import { spanText, useServiceNow } from '../../../parts/age.tsx';
import { count } from '../../../parts/figures.ts';
import { ReadProblem } from '../../../parts/read.tsx';
import classes from '../../../parts/small-table.module.css';
import { SmallTable } from '../../../parts/small-table.tsx';
import styles from '../../../parts/styles.module.css';
import { momentTitle } from '../../../parts/times.ts';

const shown = 6;
/** Of the last whole or current hours only; a longer range has totals. */
const columns = [
  { name: 'Address' },
  { name: 'Entry', wide: true },
  { name: 'Denied', figure: true },
  { name: '24 h', hidden: true, wide: true },
  { name: 'Last', figure: true },
];

export function LoudestBlocked({ range, label }: { readonly range: RangeName; readonly label: string }) {
  const knocking = useKnocking(range, shown);
  const now = useServiceNow(5_000);
  const items = knocking.data?.items ?? [];
  const isTotal = range === '7d' || range === '30d' || range === '90d';
  return (
    <div className={styles.grow}>
      <ReadProblem of={knocking} failed="Could not load the denied addresses" />
      <SmallTable
        title="Loudest blocked"
        id="loudest"
        link={{ words: 'All', to: '/denied', search: { range } }}
        columns={columns}
        rows={items.map(({ ip_address: ip, entry, hits, spark, last_hit: last }) => (
          <tr key={ip} data-row>
            <td className={`${styles.mono} ${classes.long}`} title={ip}>
              {entry === null ? (
                ip
              ) : (
                <Anchor inherit renderRoot={(props) => <Link to="/blocked" search={{ entry }} {...props} />}>
                  {ip}
                </Anchor>
              )}
            </td>
            <td className={`${styles.mono} ${classes.long} ${classes.dim} ${classes.wide}`} title={entry ?? ''}>
              {entry === null ? 'removed' : entry === ip ? 'same' : entry}
            </td>
            <td data-figure="true">{count(hits)}</td>
            <td className={classes.wide}>
              <SparkBars values={spark} />
            </td>
            <td data-figure="true" className={classes.dim} title={momentTitle(last)}>
              {spanText(now - Date.parse(last))}
            </td>
          </tr>
        ))}
        empty={knocking.data === undefined ? 'Not known yet.' : `No request was denied in the last ${label}.`}
        {...(isTotal && items.length > 0
          ? { note: `All requests of the addresses that were denied in the last ${label}.` }
          : {})}
      />
    </div>
  );
}
