import { Button, Radio, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useCreateKey } from '../../api/keys.ts';
import type { NewKey, Scope } from '../../api/types.ts';
import { useServiceNow } from '../../parts/age.tsx';
import { Dialog, DialogButtons } from '../../parts/dialog.tsx';
import { NameField } from '../../parts/name-field.tsx';
import { nameFault } from '../../parts/plain-name.ts';
import { changeTitle, ProblemAlert } from '../../parts/problem-alert.tsx';
import { manual } from '../../parts/source-words.ts';
import { useSession } from '../../session/session.ts';
import { ExpiryField, noExpiry, readExpiry } from './expiry-field.tsx';
import { NewKeyShown } from './new-key-shown.tsx';
import { scopeWords } from './scope-words.ts';
import { maxSourceName, sourceNameFault } from './source-name.ts';

interface CreateKeyDialogProps {
  /** Names of current and revoked keys. */
  readonly usedNames: readonly string[];
  readonly onClose: () => void;
}

export function CreateKeyDialog({ usedNames, onClose }: CreateKeyDialogProps) {
  const [created, setCreated] = useState<NewKey | null>(null);
  return (
    <Dialog
      title={created === null ? 'Create key' : `Key ${created.name}`}
      size="lg"
      // The key is shown only once.
      dismissible={created === null}
      onClose={onClose}
    >
      {created === null ? (
        <CreateKeyForm usedNames={usedNames} onCreated={setCreated} onClose={onClose} />
      ) : (
        <NewKeyShown created={created} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface CreateKeyFormProps extends CreateKeyDialogProps {
  readonly onCreated: (key: NewKey) => void;
}

function CreateKeyForm({ usedNames, onCreated, onClose }: CreateKeyFormProps) {
  const { clock } = useSession();
  const create = useCreateKey();
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Scope>('read');
  const [source, setSource] = useState('');
  const [expiry, setExpiry] = useState(noExpiry);
  const fault = nameFault(name, usedNames, 'This name is or was in use.');
  const sourceFault = scope !== 'block' || source === '' ? null : sourceNameFault(source);
  const now = useServiceNow();
  const reading = readExpiry(expiry, now);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const ends = readExpiry(expiry, clock.now());
    if (fault !== null || sourceFault !== null || !ends.ok) return;
    const bound = scope === 'block' ? { source: source === '' ? manual : source } : {};
    create.mutate({ name, scopes: [scope], expires_at: ends.expiresAt, ...bound }, { onSuccess: onCreated });
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <NameField
          description="Shown in the audit log. Names cannot be reused."
          placeholder="fail2ban-web1"
          value={name}
          onChange={setName}
          fault={fault}
        />
        <Radio.Group label="Access" value={scope} onChange={(value) => setScope(value as Scope)}>
          <Stack gap="xs" mt={6}>
            {scopeWords.map(({ scope: value, title, allows, purpose }) => (
              <Radio key={value} value={value} label={title} description={`${allows} ${purpose}`} />
            ))}
          </Stack>
        </Radio.Group>
        {scope === 'block' && (
          <TextInput
            label="Source"
            description="For a program such as fail2ban: it changes only the claims of this source. Empty: it acts for an operator."
            placeholder="fail2ban"
            value={source}
            onChange={(event) => setSource(event.currentTarget.value.trim())}
            error={sourceFault}
            maxLength={maxSourceName}
            autoComplete="off"
            spellCheck={false}
          />
        )}
        <ExpiryField value={expiry} onChange={setExpiry} now={now} />
        {create.error !== null && (
          <ProblemAlert title={changeTitle(create.error, 'Could not create the key')} error={create.error} />
        )}
        <DialogButtons onCancel={onClose} note="The key is shown once, in the next step.">
          <Button
            type="submit"
            disabled={name === '' || fault !== null || sourceFault !== null || !reading.ok}
            loading={create.isPending}
          >
            Create key
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}
