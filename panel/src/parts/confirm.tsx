import { Button, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Dialog, DialogButtons } from './dialog.tsx';
import { changeTitle, ProblemAlert } from './problem-alert.tsx';

interface ConfirmProps {
  readonly title: string;
  readonly action: string;
  readonly danger?: boolean;
  readonly size?: 'xl';
  /** The dialog closes when it resolves and shows the error when it rejects. */
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly failure?: (error: unknown) => ReactNode;
}

export function Confirm(props: ConfirmProps) {
  const { title, action, danger = true, size, onConfirm, onClose, children, failure } = props;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const close = (): void => {
    if (busy) return;
    setError(null);
    onClose();
  };
  const confirm = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      onClose();
    } catch (why) {
      setError(why);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={close} {...(size === undefined ? {} : { size })}>
      <Stack gap="md">
        {children}
        {error !== null && (
          <ProblemAlert title={changeTitle(error, 'The change was not made')} error={error}>
            {failure?.(error)}
          </ProblemAlert>
        )}
        <DialogButtons onCancel={close} busy={busy} cancelFirst>
          <Button {...(danger ? { color: 'red' } : {})} onClick={() => void confirm()} loading={busy}>
            {action}
          </Button>
        </DialogButtons>
      </Stack>
    </Dialog>
  );
}
