import { Text } from '@mantine/core';
import { useRestore } from '../../api/config.ts';
import type { Backup, ReloadAnswer } from '../../api/types.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { ReloadFailure } from '../../parts/reload-failure.tsx';
import { momentText } from '../../parts/times.ts';
import { PendingChange } from './pending-change.tsx';

interface RestoreDialogProps {
  readonly backup: Backup | null;
  readonly onDone: (answer: ReloadAnswer) => void;
  readonly onClose: () => void;
}

export function RestoreDialog({ backup, onDone, onClose }: RestoreDialogProps) {
  const restore = useRestore();
  if (backup === null) return null;
  return (
    <Confirm
      title={`Restore the backup of ${momentText(backup.created_at)}?`}
      action="Restore backup"
      danger={false}
      size="xl"
      onClose={onClose}
      onConfirm={async () => onDone(await restore.mutateAsync(backup.id))}
      failure={(error) => <ReloadFailure error={error} />}
    >
      <Text size="sm">
        Restores this configuration with a safe reload: HAProxy validates it first, and no connection is dropped.
        Blocked and trusted addresses do not change.
      </Text>
      <div>
        <Text size="sm" fw={600} mb={4}>
          Configuration changes
        </Text>
        <PendingChange backup={backup.id} />
      </div>
      <Text size="sm">
        The live configuration is backed up first. A later reload or site change replaces the restored configuration
        only after you confirm it.
      </Text>
    </Confirm>
  );
}
