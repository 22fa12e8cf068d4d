import { Button } from '@mantine/core';
import type { Candidate, InsightLimits } from '../../api/types.ts';
import { SparkLine } from '../../charts/bars.tsx';
import { SpanSince } from '../../parts/age.tsx';
import { count, percent } from '../../parts/figures.ts';
import styles from '../../parts/styles.module.css';
import { useRowKeys } from '../../parts/use-row-keys.ts';
import classes from './candidates.module.css';

interface CandidateTableProps {
  readonly items: readonly Candidate[];
  /** Its share of errors, above which a client is a candidate, wants attention. */
  readonly limits: InsightLimits;
  /** Its address; empty: none is chosen. */
  readonly current: string;
  readonly onChoose: (ip: string) => void;
  /** Opens it with its checks; null: the key may not block. */
  readonly onBlock: ((ip: string) => void) | null;
}

export function CandidateTable({ items, limits, current, onChoose, onBlock }: CandidateTableProps) {
  const rows = useRowKeys();
  return (
    <table className={classes.table} aria-label="Candidates">
      <thead>
        <tr>
          <th scope="col">Client</th>
          <th scope="col">Requests/s</th>
          <td />
          <th scope="col">10 min</th>
          <th scope="col">Errors</th>
          <th scope="col">Active for</th>
          {onBlock !== null && <td />}
        </tr>
      </thead>
      <tbody ref={rows} data-rows>
        {items.map(({ ip_address: ip, rate, requests, error_share: errors, active_since: since, spark, ...one }) => (
          <tr
            key={ip}
            data-row
            data-current={ip === current}
            data-attention={errors >= limits.error_share}
            onClick={() => onChoose(ip)}
          >
            <td>
              <button
                type="button"
                className={`${classes.client} ${styles.mono}`}
                aria-pressed={ip === current}
                onClick={() => onChoose(ip)}
              >
                {ip}
              </button>
              {one.clients_inside > 1 && (
                <span className={classes.beside}>
                  {one.clients_inside} clients in {one.network}
                </span>
              )}
            </td>
            <td data-label="Requests/s">{rate.toFixed(1)}</td>
            <td className={classes.spark}>
              <SparkLine values={spark} />
            </td>
            <td data-label="In 10 min">{count(requests)}</td>
            <td data-label="Errors" className={classes.errors}>
              {percent(errors)}
            </td>
            <td data-label="Active for">
              <SpanSince time={since} />
            </td>
            {onBlock !== null && (
              <td className={classes.action}>
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Block ${ip}`}
                  onClick={(event) => {
                    event.stopPropagation();
                    onBlock(ip);
                  }}
                >
                  Block
                </Button>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
