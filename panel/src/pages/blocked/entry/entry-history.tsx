import { Text } from '@mantine/core';
import { useEntryAudit } from '../../../api/audit.ts';
import type { BlockedIpDetail } from '../../../api/types.ts';
import { Age } from '../../../parts/age.tsx';
import { ReadProblem } from '../../../parts/read.tsx';
import { claimsOf } from '../../../parts/source-words.ts';
import styles from '../../../parts/styles.module.css';
import { visibleText } from '../../../parts/visible-text.ts';
import { useAllowed } from '../../../session/session.ts';
import { auditWords } from '../../activity/audit/operation-words.ts';
import classes from './entry-panel.module.css';
import { Section } from './section.tsx';

const shown = 8;

/** The claims that exist, and for administrators what the audit log has about the address; the newest first. */
export function EntryHistory({ entry }: { readonly entry: BlockedIpDetail }) {
  const admin = useAllowed('admin');
  const audit = useEntryAudit(entry.ip_address, admin);
  const events = [
    ...claimsOf(entry).map(({ source, claimed_at: at }) => ({
      at,
      words: `Claimed by ${visibleText(source)}`,
      id: source,
    })),
    ...(audit.data ?? []).map((record) => ({
      at: record.at,
      words: visibleText(auditWords(record)),
      id: `audit ${record.id}`,
    })),
  ].sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
  return (
    <Section title="History">
      <ul className={classes.plain} aria-label="History">
        {events.slice(0, shown).map(({ at, words, id }) => (
          <li key={id} className={classes.event}>
            <span>{words}</span>
            <Age time={at} c="dimmed" className={styles.unbroken ?? ''} />
          </li>
        ))}
      </ul>
      {admin ? (
        <ReadProblem of={audit} failed="Could not load the audit log" />
      ) : (
        <Text size="xs" c="dimmed">
          Administrators also see the audit log here.
        </Text>
      )}
    </Section>
  );
}
