import { ActionIcon, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { EditIcon, LockIcon, TrashIcon } from './icons.tsx';
import { opens, removes } from './use-row-keys.ts';

export function RowButtons({ children }: { readonly children: ReactNode }) {
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap" display="inline-flex">
      {children}
    </Group>
  );
}

interface RowButtonProps {
  readonly label: string;
  readonly title?: string;
  readonly busy?: boolean;
  readonly onClick: () => void;
}

export function EditButton({ label, title = 'Edit', busy = false, onClick }: RowButtonProps) {
  return (
    <ActionIcon variant="subtle" size="lg" aria-label={label} title={title} {...opens} loading={busy} onClick={onClick}>
      <EditIcon />
    </ActionIcon>
  );
}

export function LockButton({ label, title = 'TLS settings', busy = false, onClick }: RowButtonProps) {
  return (
    <ActionIcon variant="subtle" size="lg" aria-label={label} title={title} loading={busy} onClick={onClick}>
      <LockIcon />
    </ActionIcon>
  );
}

export function RemoveButton({ label, title = 'Remove', busy = false, onClick }: RowButtonProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={label}
      title={title}
      {...removes}
      loading={busy}
      onClick={onClick}
    >
      <TrashIcon />
    </ActionIcon>
  );
}
