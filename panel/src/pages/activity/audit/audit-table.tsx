import { ActionIcon } from '@mantine/core';
import { Fragment, memo, useState } from 'react';
import type { AuditRecord } from '../../../api/types.ts';
import { DownIcon } from '../../../parts/icons.tsx';
import { ListTable } from '../../../parts/list-table.tsx';
import { StateMark } from '../../../parts/state-mark.tsx';
import styles from '../../../parts/styles.module.css';
import { momentText } from '../../../parts/times.ts';
import { UserText } from '../../../parts/user-text.tsx';
import classes from './audit.module.css';
import { auditFacts } from './audit-facts.ts';
import { auditWords, outcomeWords } from './operation-words.ts';

export function AuditTable({ records }: { readonly records: readonly AuditRecord[] }) {
  return (
    <ListTable label="Audit log" columns={['Time', 'Action', 'Client', 'Outcome']} buttons="Details">
      {records.map((record) => (
        <AuditRow key={record.id} record={record} />
      ))}
    </ListTable>
  );
}

const AuditRow = memo(function AuditRow({ record }: { readonly record: AuditRecord }) {
  const [opened, setOpened] = useState(false);
  const { tone, words } = outcomeWords(record);
  const what = auditWords(record);
  return (
    <>
      <tr data-row>
        <td data-label="Time" className={`${styles.figure} ${styles.nowrap}`}>
          {momentText(record.at)}
        </td>
        <td data-label="Action">{what}</td>
        <td data-label="Client" className={`${styles.mono} ${styles.nowrap}`}>
          {record.source === 'unix' ? 'local socket' : (record.source ?? '')}
        </td>
        <td data-label="Outcome">
          <StateMark tone={tone}>{words}</StateMark>
        </td>
        <td data-actions>
          <ActionIcon
            variant="subtle"
            size="lg"
            aria-expanded={opened}
            aria-label={`Details: ${what}`}
            title="Details"
            onClick={() => setOpened(!opened)}
          >
            <DownIcon />
          </ActionIcon>
        </td>
      </tr>
      {opened && (
        <tr>
          <td colSpan={5}>
            <dl className={classes.facts}>
              {auditFacts(record).map(({ name, value }) => (
                <Fragment key={name}>
                  <dt>{name}</dt>
                  <dd className={styles.mono}>
                    <UserText text={value} />
                  </dd>
                </Fragment>
              ))}
            </dl>
          </td>
        </tr>
      )}
    </>
  );
});
