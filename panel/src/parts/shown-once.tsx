// A secret that is shown once: what it is for, itself to be copied, and a button for who has kept it.
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import styles from './styles.module.css';

export interface ShownOnceProps {
  readonly label: string;
  readonly secret: string;
  /** What follows from its being shown, and what it is for. */
  readonly children: ReactNode;
  readonly onClose: () => void;
}

export function ShownOnce({ label, secret, children, onClose }: ShownOnceProps) {
  return (
    <Stack gap="md">
      <Alert color="orange" variant="light" title="Copy it now">
        <Text size="sm">{children}</Text>
      </Alert>
      <Group align="flex-end" gap="xs">
        <TextInput
          label={label}
          className={styles.monoInput}
          value={secret}
          readOnly
          flex={1}
          onFocus={(event) => event.currentTarget.select()}
          data-autofocus
        />
        <CopyButton text={secret} />
      </Group>
      <Group justify="flex-end">
        <Button onClick={onClose}>I have kept it</Button>
      </Group>
    </Stack>
  );
}
