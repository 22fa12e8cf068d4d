import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useSources } from '../../api/sources.ts';
import { Age } from '../../parts/age.tsx';
import { ListTable } from '../../parts/list-table.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Read } from '../../parts/read.tsx';
import { kindWords } from '../../parts/source-words.ts';
import styles from '../../parts/styles.module.css';
import { UserText } from '../../parts/user-text.tsx';

export default function SourcesPage() {
  const sources = useSources({ poll: true });
  return (
    <PageFrame
      title="Sources"
      about="Who wants addresses blocked. An address is blocked while at least one source claims it."
    >
      <Read of={sources} failed="Could not load the sources" loading="Counting the claims of each source">
        {({ items }) => (
          <>
            <div className={styles.card}>
              <ListTable
                label="Sources"
                columns={['Name', 'Kind', 'Claims', 'Blocked only by it', 'Newest claim']}
                buttons="Actions"
              >
                {items.map(({ name, kind, note, claims, alone, last_claimed_at: last }) => (
                  <tr key={name} data-row>
                    <td data-label="Name" data-long>
                      <b>{name}</b>
                      {note !== null && (
                        <Text size="xs" c="dimmed">
                          <UserText text={note} />
                        </Text>
                      )}
                    </td>
                    <td data-label="Kind">{kindWords[kind]}</td>
                    <td data-label="Claims" className={styles.figure}>
                      {claims.toLocaleString()}
                    </td>
                    <td data-label="Blocked only by it" className={styles.figure}>
                      {alone.toLocaleString()}
                    </td>
                    <td data-label="Newest claim">{last === null ? 'None' : <Age time={last} />}</td>
                    <td data-actions>
                      {claims > 0 && (
                        <Anchor
                          size="sm"
                          aria-label={`Show entries of ${name}`}
                          renderRoot={(props) => <Link to="/blocked" search={{ source: name }} {...props} />}
                        >
                          Show entries
                        </Anchor>
                      )}
                    </td>
                  </tr>
                ))}
              </ListTable>
            </div>
            <Text size="sm" c="dimmed">
              An unblock drops the claims of operators and agents. Those of a list stay, because the next list would
              bring them back: to allow such an address, trust it.
            </Text>
          </>
        )}
      </Read>
    </PageFrame>
  );
}
