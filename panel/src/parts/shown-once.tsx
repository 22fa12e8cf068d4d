import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import styles from './styles.module.css';

interface ShownOnceProps {
  readonly label: string;
  readonly secret: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
}

export function ShownOnce({ label, secret, children, onClose }: ShownOnceProps) {
  return (
    <Stack gap="md">
      <Alert color="orange" variant="light" title="Copy this now">
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
        <Button onClick={onClose}>I have saved it</Button>
      </Group>
    </Stack>
  );
}
