import { Text } from '@mantine/core';
import { useRestore } from '../../api/config.ts';
import type { Backup, ReloadAnswer } from '../../api/types.ts';
import { momentText } from '../../parts/age.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { ReloadFailure } from '../../parts/reload-failure.tsx';
import { PendingChange } from './pending-change.tsx';

export interface RollBackDialogProps {
  /** Null: none is asked about. */
  readonly backup: Backup | null;
  readonly onDone: (answer: ReloadAnswer) => void;
  readonly onClose: () => void;
}

export function RollBackDialog({ backup, onDone, onClose }: RollBackDialogProps) {
  const restore = useRestore();
  if (backup === null) return null;
  return (
    <Confirm
      title={`Roll back to ${momentText(backup.created_at)}?`}
      action="Roll back"
      danger={false}
      size="xl"
      onClose={onClose}
      onConfirm={async () => onDone(await restore.mutateAsync(backup.id))}
      failure={(error) => <ReloadFailure error={error} />}
    >
      <Text size="sm">
        The configuration of then is put in force by a safe reload: HAProxy checks it first, and no connection is lost.
        What is blocked and trusted stays as it is now.
      </Text>
      <div>
        <Text size="sm" fw={600} mb={4}>
          What changes in the configuration
        </Text>
        <PendingChange backup={backup.id} />
      </div>
      <Text size="sm">
        It stays until somebody confirms that a reload or a change of a site replaces it. A backup of what is live now
        is made before.
      </Text>
    </Confirm>
  );
}
