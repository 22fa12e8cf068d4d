import { Button, Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { sentence } from '../../../parts/problem-alert.tsx';
import styles from '../../../parts/styles.module.css';
import { faultsOf, type ServerDraft } from './server-draft.ts';
import classes from './server-fields.module.css';

interface ServerFieldsProps {
  readonly draft: ServerDraft;
  readonly number: number;
  readonly onChange: (draft: ServerDraft) => void;
  readonly onRemove: (() => void) | null;
}

const tls = [
  { value: 'none', label: 'Off' },
  { value: 'verify', label: 'On, verify certificate' },
  { value: 'insecure', label: 'On, skip verification' },
];

export function ServerFields({ draft, number, onChange, onRemove }: ServerFieldsProps) {
  const faults = faultsOf(draft);
  const text = (name: 'address' | 'port' | 'weight' | 'maxConnections') => ({
    value: draft[name],
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => onChange({ ...draft, [name]: event.currentTarget.value }),
    error: faults[name] === undefined ? null : sentence(faults[name]),
    autoComplete: 'off',
    spellCheck: false,
  });
  return (
    <fieldset className={classes.fields}>
      <legend>Server {number}</legend>
      {onRemove !== null && (
        <Button
          className={classes.remove}
          variant="default"
          size="compact-xs"
          onClick={onRemove}
          aria-label={`Remove server ${number}`}
        >
          Remove server
        </Button>
      )}
      <div className={classes.grid}>
        <TextInput
          label="Host"
          placeholder="10.0.0.11"
          className={styles.monoInput}
          required
          withAsterisk={false}
          {...text('address')}
        />
        <TextInput label="Port" inputMode="numeric" required withAsterisk={false} {...text('port')} />
        <NativeSelect
          className={classes.tls}
          label="Backend TLS"
          data={tls}
          value={draft.ssl}
          onChange={(event) => onChange({ ...draft, ssl: event.currentTarget.value as ServerDraft['ssl'] })}
        />
      </div>
      <div className={classes.more}>
        <TextInput label="Weight" placeholder="default" inputMode="numeric" w={130} {...text('weight')} />
        <TextInput
          label="Max connections"
          placeholder="unlimited"
          inputMode="numeric"
          w={150}
          {...text('maxConnections')}
        />
        <Stack gap={8}>
          <Checkbox
            label="Health check"
            checked={draft.check}
            onChange={(event) => onChange({ ...draft, check: event.currentTarget.checked })}
          />
          <Checkbox
            label="Backup, used only when all others are down"
            checked={draft.backup}
            onChange={(event) => onChange({ ...draft, backup: event.currentTarget.checked })}
          />
        </Stack>
      </div>
    </fieldset>
  );
}
