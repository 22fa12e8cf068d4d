// A dialog that is there only while it is open, and the row of buttons at its end.
import { Button, Group, Modal, type ModalProps, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useBackCloses } from './use-back-closes.ts';
import { useFocusReturn } from './use-focus-return.ts';

export interface DialogProps {
  readonly title: string;
  readonly size?: ModalProps['size'];
  /** False: only its own buttons close it, so that nobody loses what stands there to a slip of the hand. */
  readonly easyToLeave?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Dialog({ title, size = 'md', easyToLeave = true, onClose, children }: DialogProps) {
  useFocusReturn();
  useBackCloses(() => {
    if (easyToLeave) onClose();
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={size}
      closeOnClickOutside={easyToLeave}
      closeOnEscape={easyToLeave}
      withCloseButton={easyToLeave}
    >
      {children}
    </Modal>
  );
}

export interface DialogButtonsProps {
  readonly onCancel: () => void;
  /** What is under way must not be left. */
  readonly held?: boolean;
  /** Whoever only hits Enter has done nothing. */
  readonly cancelFirst?: boolean;
  /** Beside the buttons. */
  readonly note?: string;
  /** The button that does it. */
  readonly children: ReactNode;
}

export function DialogButtons({ onCancel, held = false, cancelFirst = false, note, children }: DialogButtonsProps) {
  const buttons = (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onCancel} disabled={held} {...(cancelFirst ? { 'data-autofocus': true } : {})}>
        Cancel
      </Button>
      {children}
    </Group>
  );
  if (note === undefined) return buttons;
  return (
    <Group justify="space-between" gap="xs">
      <Text size="xs" c="dimmed" role="status">
        {note}
      </Text>
      {buttons}
    </Group>
  );
}
