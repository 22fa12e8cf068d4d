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

export function ReloadDialog({ onDone, onClose }: ReloadDialogProps) {
  const reload = useReload();
  const close = (): void => {
    if (!reload.isPending) onClose();
  };
  return (
    <Dialog title="Reload HAProxy" size="xl" onClose={close}>
      <Stack gap="md">
        <Text size="sm">
          HAProxy validates the configuration, then a new worker takes over without dropping connections. If validation
          fails, the live configuration does not change.
        </Text>
        <div>
          <Text size="sm" fw={600} mb={4}>
            Configuration changes
          </Text>
          <PendingChange backup={null} />
        </div>
        {reload.error !== null && (
          <ProblemAlert title={changeTitle(reload.error, 'HAProxy was not reloaded')} error={reload.error}>
            <ReloadFailure error={reload.error} />
            <ReplaceConsent
              error={reload.error}
              busy={reload.isPending}
              onReplace={() => reload.mutate({ replace: true }, { onSuccess: onDone })}
            />
          </ProblemAlert>
        )}
        <DialogButtons onCancel={close} busy={reload.isPending} cancelFirst>
          <Button onClick={() => reload.mutate({}, { onSuccess: onDone })} loading={reload.isPending}>
            Reload HAProxy
          </Button>
        </DialogButtons>
      </Stack>
    </Dialog>
  );
}
