import { Button, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useAudit } from '../../../api/audit.ts';
import { useNewEvents } from '../../../live/live.tsx';
import { Loading } from '../../../parts/loading.tsx';
import { NothingHere } from '../../../parts/nothing-here.tsx';
import { OlderOnes } from '../../../parts/older-ones.tsx';
import { ReadProblem } from '../../../parts/read.tsx';
import styles from '../../../parts/styles.module.css';
import { AuditFilterFields, faultsOf, filterOf, noFilter } from './audit-filter.tsx';
import { AuditTable } from './audit-table.tsx';
import { inOrder } from './operation-words.ts';

const typingMs = 250;

/** Who did what, from where, with what outcome: the service's own record, which nobody changes. */
export function AuditTrail() {
  const [draft, setDraft] = useState(noFilter);
  const [settled] = useDebouncedValue(draft, typingMs);
  const faulty = Object.keys(faultsOf(draft)).length > 0;
  // While something is wrong, what was found before is not shown as if it were the answer.
  const filter = Object.keys(faultsOf(settled)).length > 0 ? {} : filterOf(settled);
  const narrowed = Object.keys(filter).length > 0;
  const audit = useAudit(filter);
  const [newer, setNewer] = useState(false);
  const items = audit.data && inOrder(audit.data.pages.flatMap((page) => page.items));
  const readBack = (audit.data?.pages.length ?? 0) > 1;

  useNewEvents((events) => {
    if (!events.some(({ type }) => !/^(health|worker)\./.test(type))) return;
    // Whoever reads further back is not moved.
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
      <ReadProblem of={audit} failed="The record could not be read" />
      {newer && (
        <Button variant="light" onClick={showNewer} w="fit-content">
          There is something newer: show it
        </Button>
      )}
      <div className={styles.card}>
        {faulty ? (
          <NothingHere title="Nothing is looked for yet">Something in the filter is not right, see above.</NothingHere>
        ) : items === undefined ? (
          audit.error === null && <Loading what="Reading the record" />
        ) : items.length === 0 ? (
          <NothingHere title={narrowed ? 'Nothing matches' : 'Nothing is recorded yet'} />
        ) : (
          <AuditTable records={items} />
        )}
      </div>
      {!faulty && <OlderOnes of={audit} />}
    </Stack>
  );
}
