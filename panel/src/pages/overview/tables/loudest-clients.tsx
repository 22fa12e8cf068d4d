import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useCandidates } from '../../../api/insight.ts';
import { percent } from '../../../parts/figures.ts';
import { ReadProblem } from '../../../parts/read.tsx';
import classes from '../../../parts/small-table.module.css';
import { SmallTable } from '../../../parts/small-table.tsx';
import styles from '../../../parts/styles.module.css';
import { opens } from '../../../parts/use-row-keys.ts';
import { useAllowed } from '../../../session/session.ts';

const BlockDialog = lazy(async () => ({
  default: (await import('../../blocked/block/block-dialog.tsx')).BlockDialog,
}));

const shown = 6;
const columns = [{ name: 'Client' }, { name: 'Requests/s', figure: true }, { name: 'Errors', figure: true }];
const withBlock = [...columns, { name: 'Block', figure: true, hidden: true }];

export function LoudestClients() {
  const candidates = useCandidates();
  const may = useAllowed('block');
  const [blocked, setBlocked] = useState<string | null>(null);
  const { items = [], sampled, limits } = candidates.data ?? {};
  return (
    <div className={styles.grow}>
      <ReadProblem of={candidates} failed="Could not load the candidates" />
      <SmallTable
        title="Loudest not blocked"
        id="clients"
        link={{ words: 'Candidates', to: '/candidates' }}
        columns={may ? withBlock : columns}
        rows={items.slice(0, shown).map(({ ip_address: ip, rate, error_share: errors }) => (
          <tr key={ip} data-row>
            <td className={styles.mono}>{ip}</td>
            <td data-figure="true">{rate.toFixed(1)}</td>
            <td
              data-figure="true"
              className={limits !== undefined && errors >= limits.error_share ? classes.warn : classes.dim}
            >
              {percent(errors)}
            </td>
            {may && (
              <td data-figure="true">
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Block ${ip}`}
                  onClick={() => setBlocked(ip)}
                  {...opens}
                >
                  Block
                </Button>
              </td>
            )}
          </tr>
        ))}
        empty={
          limits === undefined
            ? 'Not known yet.'
            : `No client is above ${limits.rate} requests a second, or above ${percent(limits.error_share)} errors.`
        }
        {...(sampled == null || items.length === 0
          ? {}
          : { note: `Estimated from 1 in ${sampled.one_in} requests. Trusted addresses are left out.` })}
      />
      {blocked !== null && (
        <Suspense>
          <BlockDialog entry={null} address={blocked} onClose={() => setBlocked(null)} />
        </Suspense>
      )}
    </div>
  );
}
