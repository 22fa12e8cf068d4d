import { Text } from '@mantine/core';
import type { Attached, FrontEnd } from '../../../api/types.ts';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { ListTable } from '../../../parts/list-table.tsx';
import { StateMark } from '../../../parts/state-mark.tsx';
import styles from '../../../parts/styles.module.css';
import { frontEndWords } from './front-end-words.ts';

export function FrontEnds({ attached: { files, front_ends: all } }: { readonly attached: Attached }) {
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm" className={styles.wrap}>
        HAProxy reads <span className={styles.mono}>{files.join(', ')}</span>
      </Text>
      <div className={styles.card}>
        {all.length === 0 ? (
          <EmptyState title="No front ends known">The overview shows the reason.</EmptyState>
        ) : (
          <ListTable label="Front ends" columns={['Front end', 'Mode', 'Blocked addresses', 'Location']} buttons={null}>
            {all.map((one) => (
              <FrontEndRow key={one.place} frontEnd={one} />
            ))}
          </ListTable>
        )}
      </div>
    </>
  );
}

function FrontEndRow({ frontEnd }: { readonly frontEnd: FrontEnd }) {
  const { tone, words } = frontEndWords(frontEnd);
  return (
    <tr data-row>
      <td data-label="Front end" className={`${styles.mono} ${styles.wrap}`}>
        {frontEnd.name}
      </td>
      <td data-label="Mode">{frontEnd.mode}</td>
      <td data-label="Blocked addresses">
        <StateMark tone={tone}>{words}</StateMark>
      </td>
      <td data-label="Location" className={`${styles.mono} ${styles.wrap}`}>
        {frontEnd.place}
      </td>
    </tr>
  );
}
