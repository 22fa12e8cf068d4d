import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { NewKey } from '../../api/types.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { mayWords } from './scope-words.ts';

export interface NewKeyShownProps {
  readonly made: NewKey;
  readonly onClose: () => void;
}

export function NewKeyShown({ made, onClose }: NewKeyShownProps) {
  return (
    <Stack gap="md">
      <Alert color="orange" variant="light" title="Copy it now">
        <Text size="sm">
          It is not kept, and cannot be shown again. Whoever has it may {mayWords(made.scopes).toLowerCase()}.
        </Text>
      </Alert>
      <Group align="flex-end" gap="xs">
        <TextInput
          label="The key itself"
          className="mono-input"
          value={made.key}
          readOnly
          flex={1}
          onFocus={(event) => event.currentTarget.select()}
          data-autofocus
          data-testid="new-key"
        />
        <CopyButton text={made.key} />
      </Group>
      <Group justify="flex-end">
        <Button onClick={onClose}>I have kept it</Button>
      </Group>
    </Stack>
  );
}
