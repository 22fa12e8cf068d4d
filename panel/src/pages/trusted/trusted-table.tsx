import { ActionIcon, Group } from '@mantine/core';
import type { TrustedIp } from '../../api/types.ts';
import { Age } from '../../parts/age.tsx';
import { EditIcon, TrashIcon } from '../../parts/icons.tsx';
import { removes, useRowKeys } from '../../parts/use-row-keys.ts';
import { useMay } from '../../session/session.ts';
import { useRemoval } from './removal.ts';

export interface TrustedTableProps {
  readonly entries: readonly TrustedIp[];
  readonly onEdit: (entry: TrustedIp) => void;
}

export function TrustedTable({ entries, onEdit }: TrustedTableProps) {
  const may = useMay('admin');
  const removal = useRemoval();
  const rows = useRowKeys();
  return (
    <table className="rows" aria-label="Trusted addresses">
      <thead>
        <tr>
          <th scope="col">Address or network</th>
          <th scope="col">Note</th>
          <th scope="col">Since</th>
          {may && (
            <th scope="col" className="do">
              Change
            </th>
          )}
        </tr>
      </thead>
      <tbody ref={rows} data-rows>
        {entries.map((entry) => (
          <tr key={entry.ip_address} data-row>
            <td data-label="Address" className="mono">
              {entry.ip_address}
            </td>
            <td data-label="Note">{entry.note ?? ''}</td>
            <td data-label="Since">
              <Age time={entry.added_at} />
            </td>
            {may && (
              <td className="do">
                <Group gap={4} justify="flex-end" wrap="nowrap" display="inline-flex">
                  <ActionIcon
                    variant="subtle"
                    size="lg"
                    aria-label={`Change the note of ${entry.ip_address}`}
                    title="Change the note"
                    onClick={() => onEdit(entry)}
                  >
                    <EditIcon />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="red"
                    size="lg"
                    aria-label={`Remove ${entry.ip_address}`}
                    title="Remove"
                    {...removes}
                    loading={removal.busyWith === entry.ip_address}
                    onClick={() => void removal.remove(entry)}
                  >
                    <TrashIcon />
                  </ActionIcon>
                </Group>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
