import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { CopyButton } from '../../parts/copy-button.tsx';

export interface SecretShownProps {
  readonly secret: string;
  readonly onClose: () => void;
}

export function SecretShown({ secret, onClose }: SecretShownProps) {
  return (
    <Stack gap="md">
      <Alert color="orange" variant="light" title="Copy it now">
        <Text size="sm">
          It cannot be shown again. The receiver needs it to check that a delivery is from here and is what was sent.
        </Text>
      </Alert>
      <Group align="flex-end" gap="xs">
        <TextInput
          label="The secret"
          className="mono-input"
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
