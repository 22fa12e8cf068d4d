import { Button, Stack, Text } from '@mantine/core';
import { useReload } from '../../api/config.ts';
import type { ReloadAnswer } from '../../api/types.ts';
import { Dialog, DialogButtons } from '../../parts/dialog.tsx';
import { changeTitle, ProblemAlert } from '../../parts/problem-alert.tsx';
import { ReloadFailure } from '../../parts/reload-failure.tsx';
import { ReplaceConsent } from '../../parts/replace-consent.tsx';
import { PendingChange } from './pending-change.tsx';

export interface ReloadDialogProps {
  readonly onDone: (answer: ReloadAnswer) => void;
  readonly onClose: () => void;
}

/** Shows what would change before it is changed, and why it was not. */
export function ReloadDialog({ onDone, onClose }: ReloadDialogProps) {
  const reload = useReload();
  const close = (): void => {
    if (!reload.isPending) onClose();
  };
  return (
    <Dialog title="Reload the proxy" size="xl" onClose={close}>
      <Stack gap="md">
        <Text size="sm">
          HAProxy checks the configuration, then a new worker takes over; no connection is lost. If it refuses, what is
          live stays live.
        </Text>
        <div>
          <Text size="sm" fw={600} mb={4}>
            What changes in the configuration
          </Text>
          <PendingChange backup={null} />
        </div>
        {reload.error !== null && (
          <ProblemAlert title={changeTitle(reload.error, 'The reload did not happen')} error={reload.error}>
            <ReloadFailure error={reload.error} />
            <ReplaceConsent
              error={reload.error}
              action="Replace the live configuration"
              busy={reload.isPending}
              onReplace={() => reload.mutate({ replace: true }, { onSuccess: onDone })}
            />
          </ProblemAlert>
        )}
        <DialogButtons onCancel={close} held={reload.isPending} cancelFirst>
          <Button onClick={() => reload.mutate({}, { onSuccess: onDone })} loading={reload.isPending}>
            Reload now
          </Button>
        </DialogButtons>
      </Stack>
    </Dialog>
  );
}
