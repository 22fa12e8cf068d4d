import type { TrustedIp } from '../../api/types.ts';
import { Age, End } from '../../parts/age.tsx';
import { ListTable } from '../../parts/list-table.tsx';
import { EditButton, RemoveButton, RowButtons } from '../../parts/row-buttons.tsx';
import styles from '../../parts/styles.module.css';
import { UserText } from '../../parts/user-text.tsx';
import { useAllowed } from '../../session/session.ts';
import { useRemoval } from './removal.ts';

interface TrustedTableProps {
  readonly entries: readonly TrustedIp[];
  readonly onEdit: (entry: TrustedIp) => void;
}

export function TrustedTable({ entries, onEdit }: TrustedTableProps) {
  const may = useAllowed('admin');
  const removal = useRemoval();
  return (
    <ListTable
      label="Trusted addresses"
      columns={['Address or network', 'Note', 'Since', 'Expires']}
      isCards
      buttons={may ? 'Actions' : null}
    >
      {entries.map((entry) => (
        <tr key={entry.ip_address} data-row>
          <td data-label="Address" data-card="name" className={styles.mono}>
            {entry.ip_address}
          </td>
          <td data-label="Note" data-card="about" data-long>
            {entry.note !== null && <UserText text={entry.note} />}
          </td>
          <td data-label="Since" data-card="about">
            <Age time={entry.added_at} />
          </td>
          <td data-label="Expires" data-card="when">
            {entry.expires_at === null ? 'Never' : <End time={entry.expires_at} />}
          </td>
          {may && (
            <td data-actions>
              <RowButtons>
                <EditButton
                  label={`Edit ${entry.ip_address}`}
                  title="Edit note and duration"
                  onClick={() => onEdit(entry)}
                />
                <RemoveButton
                  label={`Remove ${entry.ip_address}`}
                  busy={removal.busyWith === entry.ip_address}
                  onClick={() => void removal.remove(entry)}
                />
              </RowButtons>
            </td>
          )}
        </tr>
      ))}
    </ListTable>
  );
}
