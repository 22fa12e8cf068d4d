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
          HAProxy checks your files as they are now, then a new worker takes over; no connection is lost. If it refuses
          them, the present worker goes on.
          {by.startsWith('systemd:') && ` systemd is asked for it: systemctl reload ${by.slice('systemd:'.length)}.`}
        </Text>
        {reload.error !== null && (
          <ProblemAlert title={changeTitle(reload.error, 'The reload did not happen')} error={reload.error}>
            <ReloadFailure error={reload.error} />
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
