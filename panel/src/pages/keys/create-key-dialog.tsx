import { Button, Radio, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useCreateKey } from '../../api/keys.ts';
import type { NewKey, Scope } from '../../api/types.ts';
import { useServiceNow } from '../../parts/age.tsx';
import { Dialog, DialogButtons } from '../../parts/dialog.tsx';
import { NameField } from '../../parts/name-field.tsx';
import { nameFault } from '../../parts/plain-name.ts';
import { changeTitle, ProblemAlert } from '../../parts/problem-alert.tsx';
import { useSession } from '../../session/session.ts';
import { ExpiryField, neverEnds, readExpiry } from './expiry-field.tsx';
import { NewKeyShown } from './new-key-shown.tsx';
import { scopeWords } from './scope-words.ts';

export interface CreateKeyDialogProps {
  /** Names that are, or were, a key's. */
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

export function CreateKeyDialog({ taken, onClose }: CreateKeyDialogProps) {
  const [made, setMade] = useState<NewKey | null>(null);
  return (
    <Dialog
      title={made === null ? 'Make a key' : `The key ${made.name}`}
      size="lg"
      // It is shown this once.
      easyToLeave={made === null}
      onClose={onClose}
    >
      {made === null ? (
        <CreateKeyForm taken={taken} onMade={setMade} onClose={onClose} />
      ) : (
        <NewKeyShown made={made} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface CreateKeyFormProps extends CreateKeyDialogProps {
  readonly onMade: (key: NewKey) => void;
}

function CreateKeyForm({ taken, onMade, onClose }: CreateKeyFormProps) {
  const { clock } = useSession();
  const create = useCreateKey();
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Scope>('read');
  const [expiry, setExpiry] = useState(neverEnds);
  const wrong = nameFault(name, taken, 'There is, or was, a key of this name.');
  const now = useServiceNow();
  const reading = readExpiry(expiry, now);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const ends = readExpiry(expiry, clock.now());
    if (wrong !== null || !ends.ok) return;
    create.mutate({ name, scopes: [scope], expires_at: ends.expiresAt }, { onSuccess: onMade });
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <NameField
          description="Of the program or the person. It stands in the log, and is never used again."
          placeholder="fail2ban-web1"
          value={name}
          onChange={setName}
          fault={wrong}
        />
        <Radio.Group label="What it may do" value={scope} onChange={(value) => setScope(value as Scope)}>
          <Stack gap="xs" mt={6}>
            {scopeWords.map(({ scope: value, title, may, for: whom }) => (
              <Radio key={value} value={value} label={title} description={`${may} ${whom}`} />
            ))}
          </Stack>
        </Radio.Group>
        <ExpiryField value={expiry} onChange={setExpiry} now={now} />
        {create.error !== null && (
          <ProblemAlert title={changeTitle(create.error, 'No key was made')} error={create.error} />
        )}
        <DialogButtons onCancel={onClose} note="The key is shown once, in the next step.">
          <Button type="submit" disabled={name === '' || wrong !== null || !reading.ok} loading={create.isPending}>
            Make the key
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}
