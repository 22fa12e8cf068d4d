import { Text } from '@mantine/core';
import { useRevokeKey } from '../../api/keys.ts';
import type { Key } from '../../api/types.ts';
import { Age } from '../../parts/age.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { toast } from '../../parts/toasts.tsx';
import { useSessionState } from '../../session/session.ts';

interface RevokeDialogProps {
  readonly keyToRevoke: Key | null;
  /** The key was loaded after the dialog opened. */
  readonly fresh: boolean;
  readonly onClose: () => void;
}

export function RevokeDialog({ keyToRevoke: key, fresh, onClose }: RevokeDialogProps) {
  const { info } = useSessionState();
  const revoke = useRevokeKey();
  if (key === null) return null;
  return (
    <Confirm
      title={`Revoke key ${key.name}?`}
      action="Revoke key"
      onClose={onClose}
      onConfirm={async () => {
        await revoke.mutateAsync(key.name);
        toast({ title: `Key ${key.name} revoked` });
      }}
    >
      <Text size="sm">
        Anything using this key stops working immediately. This cannot be undone, and the name cannot be reused.
      </Text>
      <Text size="sm">
        {!fresh ? (
          'Checking when it was last used…'
        ) : key.last_used_at === null ? (
          'Never used.'
        ) : (
          <>
            Last used <Age time={key.last_used_at} />.
          </>
        )}
        {key.name === info?.name && <b> You are signed in with this key and will be signed out.</b>}
      </Text>
    </Confirm>
  );
}
