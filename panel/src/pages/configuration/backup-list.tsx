import { Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useBackups, useConfig } from '../../api/config.ts';
import type { Backup, ReloadAnswer } from '../../api/types.ts';
import { Age, momentText } from '../../parts/age.tsx';
import { BackIcon } from '../../parts/icons.tsx';
import { Loading } from '../../parts/loading.tsx';
import { NothingHere } from '../../parts/nothing-here.tsx';
import { ProblemAlert, sentence } from '../../parts/problem-alert.tsx';
import { useRowKeys } from '../../parts/use-row-keys.ts';
import { RollBackDialog } from './roll-back-dialog.tsx';

export interface BackupListProps {
  /** Somebody thinks about rolling back. */
  readonly onAsk: () => void;
  readonly onDone: (answer: ReloadAnswer) => void;
}

export function BackupList({ onAsk, onDone }: BackupListProps) {
  const backups = useBackups();
  const live = useConfig().data?.sha256;
  const [chosen, setChosen] = useState<Backup | null>(null);
  const items = backups.data?.items;
  const rows = useRowKeys();
  return (
    <>
      {backups.error !== null && (
        <ProblemAlert
          title={items === undefined ? 'The backups could not be read' : 'What you see may be old'}
          error={backups.error}
          onRetry={() => void backups.refetch()}
        />
      )}
      {items === undefined ? (
        backups.error === null && <Loading what="Reading the backups" />
      ) : items.length === 0 ? (
        <NothingHere title="No backup yet">One is made before every change of the configuration.</NothingHere>
      ) : (
        <div className="card">
          <table className="rows" aria-label="Backups">
            <thead>
              <tr>
                <th scope="col">Made</th>
                <th scope="col">Made before</th>
                <th scope="col">Fingerprint</th>
                <th scope="col" className="do">
                  Change
                </th>
              </tr>
            </thead>
            <tbody ref={rows} data-rows>
              {items.map((backup) => (
                <tr key={backup.id} data-row>
                  <td data-label="Made" className="figure">
                    <span>
                      {momentText(backup.created_at)}{' '}
                      <Text span size="xs" c="dimmed">
                        <Age time={backup.created_at} />
                      </Text>
                    </span>
                  </td>
                  <td data-label="Made before">
                    {sentence(backup.reason)} {backup.note ?? ''}
                  </td>
                  <td data-label="Fingerprint">
                    <Group gap="xs" component="span" display="inline-flex">
                      <span className="mono">{backup.sha256.slice(0, 12)}</span>
                      {backup.sha256 === live && (
                        <Badge variant="default" size="sm" tt="none">
                          is live
                        </Badge>
                      )}
                    </Group>
                  </td>
                  <td className="do">
                    <Button
                      size="compact-sm"
                      variant="default"
                      leftSection={<BackIcon size={14} />}
                      aria-label={`Roll back to ${momentText(backup.created_at)}`}
                      onClick={() => {
                        onAsk();
                        setChosen(backup);
                      }}
                    >
                      Roll back
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <RollBackDialog backup={chosen} onDone={onDone} onClose={() => setChosen(null)} />
    </>
  );
}
