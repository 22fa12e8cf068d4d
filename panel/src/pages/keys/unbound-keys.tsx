import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { counted } from '../../../../src/domain/counted.ts';
import type { Key } from '../../api/types.ts';
import { keyState } from './key-state.ts';

interface UnboundKeysProps {
  readonly keys: readonly Key[];
  readonly now: number;
  readonly onBind: (key: Key) => void;
}

/** As `unbound_keys` of `/health` counts them. */
export function isUnbound(key: Key, now: number): boolean {
  const { scopes, source } = key;
  const blocks = scopes.includes('block') && !scopes.includes('admin');
  return blocks && source === null && keyState(key, now) === 'active';
}

export function UnboundKeys({ keys, now, onBind }: UnboundKeysProps) {
  const unbound = keys.filter((key) => isUnbound(key, now));
  if (unbound.length === 0) return null;
  return (
    <Alert
      color="orange"
      variant="light"
      title={`${counted(unbound.length, 'key is', 'keys are')} not bound to a source`}
      role="status"
    >
      <Stack gap="xs">
        <Text size="sm">
          An unblock by such a key, for example of fail2ban, also drops the blocks of operators. Bind each to a source,
          or to an operator.
        </Text>
        <Group gap="xs">
          {unbound.map((key) => (
            <Button key={key.name} size="compact-sm" variant="default" onClick={() => onBind(key)}>
              Bind {key.name}
            </Button>
          ))}
        </Group>
      </Stack>
    </Alert>
  );
}
