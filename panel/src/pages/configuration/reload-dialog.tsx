import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useReload } from '../../api/config.ts';
import type { ReloadAnswer } from '../../api/types.ts';
import { Dialog, DialogButtons, type DialogProps } from '../../parts/dialog.tsx';
import { changeTitle, ProblemAlert } from '../../parts/problem-alert.tsx';
import { ReloadFailure } from '../../parts/reload-failure.tsx';
import { ReplaceConsent } from '../../parts/replace-consent.tsx';

interface ReloadDialogProps {
  readonly onDone: (answer: ReloadAnswer) => void;
  readonly onClose: () => void;
  readonly size?: DialogProps['size'];
  /** What the reload will do. */
  readonly children: ReactNode;
}

export function ReloadDialog({ onDone, onClose, size, children }: ReloadDialogProps) {
  const reload = useReload();
  const close = (): void => {
    if (!reload.isPending) onClose();
  };
  return (
    <Dialog title="Reload HAProxy" size={size} onClose={close}>
      <Stack gap="md">
        {children}
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
