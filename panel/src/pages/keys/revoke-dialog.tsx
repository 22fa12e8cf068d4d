import { Text } from '@mantine/core';
import { useRevokeKey } from '../../api/keys.ts';
import type { Key } from '../../api/types.ts';
import { Age } from '../../parts/age.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { toast } from '../../parts/toasts.tsx';
import { useSessionState } from '../../session/session.ts';

export interface RevokeDialogProps {
  /** Null: none is asked about. */
  readonly keyToRevoke: Key | null;
  /** It was read after the dialog was opened. */
  readonly fresh: boolean;
  readonly onClose: () => void;
}

export function RevokeDialog({ keyToRevoke: key, fresh, onClose }: RevokeDialogProps) {
  const { info } = useSessionState();
  const revoke = useRevokeKey();
  if (key === null) return null;
  return (
    <Confirm
      title={`Revoke the key ${key.name}?`}
      action="Revoke it"
      onClose={onClose}
      onConfirm={async () => {
        await revoke.mutateAsync(key.name);
        toast({ title: `The key ${key.name} is revoked` });
      }}
    >
      <Text size="sm">
        Whatever uses it is refused from then on, at once. It cannot be taken back: only a new key with another name can
        be made.
      </Text>
      <Text size="sm">
        {!fresh ? (
          'When it was last used is being read …'
        ) : key.last_used_at === null ? (
          'It was never used.'
        ) : (
          <>
            It was last used <Age time={key.last_used_at} />.
          </>
        )}
        {key.name === info?.name && <b> It is the key you are signed in with: you will be signed out.</b>}
      </Text>
    </Confirm>
  );
}
