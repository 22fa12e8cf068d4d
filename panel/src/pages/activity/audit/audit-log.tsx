import { Button, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useAudit } from '../../../api/audit.ts';
import { useNewEvents } from '../../../live/live.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { LoadOlder } from '../../../parts/load-older.tsx';
import { Loading } from '../../../parts/loading.tsx';
import { ReadProblem } from '../../../parts/read.tsx';
import styles from '../../../parts/styles.module.css';
import { useUrlTexts } from '../../../parts/url-state.ts';
import { AuditFilterFields, faultsOf, filterOf, noFilter } from './audit-filter.tsx';
import { AuditTable } from './audit-table.tsx';
import { inOrder } from './operation-words.ts';

const typingMs = 250;

export function AuditLog() {
  const [draft, setDraft] = useUrlTexts(noFilter);
  const [settled] = useDebouncedValue(draft, typingMs);
  const faulty = Object.keys(faultsOf(draft)).length > 0;
  // With an error in the filter, the previous result is not shown as its answer.
  const filter = Object.keys(faultsOf(settled)).length > 0 ? {} : filterOf(settled);
  const narrowed = Object.keys(filter).length > 0;
  const audit = useAudit(filter);
  const [newer, setNewer] = useState(false);
  const items = audit.data && inOrder(audit.data.pages.flatMap((page) => page.items));
  const readBack = (audit.data?.pages.length ?? 0) > 1;

  useNewEvents((events) => {
    if (!events.some(({ type }) => !/^(health|worker)\./.test(type))) return;
    // Rows must not move while older pages are being read.
    if (readBack) setNewer(true);
    else void audit.refetch();
  });
  const showNewer = (): void => {
    setNewer(false);
    void audit.refetch();
  };

  return (
    <Stack gap="md">
      <AuditFilterFields value={draft} onChange={setDraft} />
      <ReadProblem of={audit} failed="Could not load the audit log" />
      {newer && (
        <Button variant="light" onClick={showNewer} w="fit-content">
          Show newer records
        </Button>
      )}
      <div className={styles.card}>
        {faulty ? (
          <EmptyState title="Filter not applied">Correct the filter above.</EmptyState>
        ) : items === undefined ? (
          audit.error === null && <Loading what="Loading the audit log" />
        ) : items.length === 0 ? (
          <EmptyState title={narrowed ? 'No matches' : 'No records yet'} />
        ) : (
          <AuditTable records={items} />
        )}
      </div>
      {!faulty && <LoadOlder of={audit} />}
    </Stack>
  );
}
