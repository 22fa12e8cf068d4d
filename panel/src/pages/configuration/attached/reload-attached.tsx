import { Button, Stack, Text } from '@mantine/core';
import { useReload } from '../../../api/config.ts';
import { Dialog, DialogButtons } from '../../../parts/dialog.tsx';
import { changeTitle, ProblemAlert } from '../../../parts/problem-alert.tsx';
import { ReloadFailure } from '../../../parts/reload-failure.tsx';
import type { ReloadDialogProps } from '../reload-dialog.tsx';

export function ReloadAttached({ by, onDone, onClose }: ReloadDialogProps & { readonly by: string }) {
  const reload = useReload();
  const close = (): void => {
    if (!reload.isPending) onClose();
  };
  return (
    <Dialog title="Reload HAProxy" onClose={close}>
      <Stack gap="md">
        <Text size="sm">
          HAProxy validates your files, then a new worker takes over without dropping connections. If it rejects them,
          the current worker keeps running.
          {by.startsWith('systemd:') && ` The reload runs systemctl reload ${by.slice('systemd:'.length)}.`}
        </Text>
        {reload.error !== null && (
          <ProblemAlert title={changeTitle(reload.error, 'HAProxy was not reloaded')} error={reload.error}>
            <ReloadFailure error={reload.error} />
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
