import { Button, Group, Modal, type ModalProps, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useBackCloses } from './use-back-closes.ts';
import { useFocusReturn } from './use-focus-return.ts';

export interface DialogProps {
  readonly title: string;
  readonly size?: ModalProps['size'] | undefined;
  /** False: only its own buttons close it, so that a stray key or click does not lose its content. */
  readonly dismissible?: boolean;
  readonly closeOnClickOutside?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Dialog(props: DialogProps) {
  const { title, size = 'md', dismissible = true, closeOnClickOutside = dismissible, onClose, children } = props;
  useFocusReturn();
  useBackCloses(() => {
    if (dismissible) onClose();
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={size}
      closeOnClickOutside={closeOnClickOutside}
      closeOnEscape={dismissible}
      withCloseButton={dismissible}
    >
      {children}
    </Modal>
  );
}

interface DialogButtonsProps {
  readonly onCancel: () => void;
  readonly busy?: boolean;
  /** Cancel has the focus, so that Enter alone changes nothing. */
  readonly cancelFirst?: boolean;
  readonly note?: string;
  readonly children: ReactNode;
}

export function DialogButtons({ onCancel, busy = false, cancelFirst = false, note, children }: DialogButtonsProps) {
  const buttons = (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onCancel} disabled={busy} {...(cancelFirst ? { 'data-autofocus': true } : {})}>
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
