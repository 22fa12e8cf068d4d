// Asks before something is done that is not easily undone. What the service says against it stays in the dialog.
import { Button, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { changeTitle, ProblemAlert } from './problem-alert.tsx';
import { useFocusReturn } from './use-focus-return.ts';

export interface ConfirmProps {
  readonly opened: boolean;
  readonly title: string;
  /** What the button does, as a verb: "Remove the site". */
  readonly action: string;
  readonly danger?: boolean;
  /** Rejects with what is shown as a problem; the dialog is closed when it resolves. */
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** What else to show of a failure. */
  readonly failure?: (error: unknown) => ReactNode;
}

export function Confirm({ opened, title, action, danger = true, onConfirm, onClose, children, failure }: ConfirmProps) {
  useFocusReturn();
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
    <Modal opened={opened} onClose={close} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        {children}
        {error !== null && (
          <ProblemAlert title={changeTitle(error, 'It was not done')} error={error}>
            {failure?.(error)}
          </ProblemAlert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} disabled={busy} data-autofocus>
            Cancel
          </Button>
          <Button {...(danger ? { color: 'red' } : {})} onClick={() => void confirm()} loading={busy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
