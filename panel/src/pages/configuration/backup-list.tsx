import { Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useBackups, useConfig } from '../../api/config.ts';
import type { Backup, ReloadAnswer } from '../../api/types.ts';
import { Age } from '../../parts/age.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { BackIcon } from '../../parts/icons.tsx';
import { ListTable } from '../../parts/list-table.tsx';
import { sentence } from '../../parts/problem-alert.tsx';
import { Read } from '../../parts/read.tsx';
import styles from '../../parts/styles.module.css';
import { momentText } from '../../parts/times.ts';
import { RestoreDialog } from './restore-dialog.tsx';

interface BackupListProps {
  readonly onAsk: () => void;
  readonly onDone: (answer: ReloadAnswer) => void;
}

export function BackupList({ onAsk, onDone }: BackupListProps) {
  const backups = useBackups();
  const live = useConfig().data?.sha256;
  const [chosen, setChosen] = useState<Backup | null>(null);
  return (
    <>
      <Read of={backups} failed="Could not load the backups" loading="Loading the backups">
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title="No backups yet">A backup is created before each configuration change.</EmptyState>
          ) : (
            <div className={styles.card}>
              <ListTable label="Backups" columns={['Created', 'Created before', 'Fingerprint']} buttons="Actions">
                {items.map((backup) => (
                  <tr key={backup.id} data-row>
                    <td data-label="Created" className={`${styles.figure} ${styles.nowrap}`}>
                      <span>
                        {momentText(backup.created_at)}{' '}
                        <Text span size="xs" c="dimmed">
                          <Age time={backup.created_at} />
                        </Text>
                      </span>
                    </td>
                    <td data-label="Created before">
                      {sentence(backup.reason)} {backup.note ?? ''}
                    </td>
                    <td data-label="Fingerprint">
                      <Group gap="xs" component="span" display="inline-flex">
                        <span className={styles.mono}>{backup.sha256.slice(0, 12)}</span>
                        {backup.sha256 === live && (
                          <Badge variant="default" size="sm" tt="none">
                            live
                          </Badge>
                        )}
                      </Group>
                    </td>
                    <td data-actions>
                      {backup.sha256 !== live && (
                        <Button
                          size="compact-sm"
                          variant="default"
                          leftSection={<BackIcon size={14} />}
                          aria-label={`Restore the backup of ${momentText(backup.created_at)}`}
                          onClick={() => {
                            onAsk();
                            setChosen(backup);
                          }}
                        >
                          Restore backup
                        </Button>
                      )}
                    </td>
                  </tr>
                ))}
              </ListTable>
            </div>
          )
        }
      </Read>
      <RestoreDialog backup={chosen} onDone={onDone} onClose={() => setChosen(null)} />
    </>
  );
}
