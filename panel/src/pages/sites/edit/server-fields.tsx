import { Button, Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { sentence } from '../../../parts/problem-alert.tsx';
import styles from '../../../parts/styles.module.css';
import { faultsOf, type ServerDraft } from './server-draft.ts';
import classes from './server-fields.module.css';

export interface ServerFieldsProps {
  readonly draft: ServerDraft;
  /** Counted from 1. */
  readonly number: number;
  readonly onChange: (draft: ServerDraft) => void;
  /** Null: it is the only one. */
  readonly onRemove: (() => void) | null;
}

const tls = [
  { value: 'none', label: 'none' },
  { value: 'verify', label: 'yes, with its certificate verified' },
  { value: 'insecure', label: 'yes, with any certificate' },
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
          aria-label={`Leave out server ${number}`}
        >
          Leave out
        </Button>
      )}
      <div className={classes.grid}>
        <TextInput
          label="Address or name"
          placeholder="10.0.0.11"
          className={styles.monoInput}
          required
          withAsterisk={false}
          {...text('address')}
        />
        <TextInput label="Port" inputMode="numeric" required withAsterisk={false} {...text('port')} />
        <NativeSelect
          className={classes.tls}
          label="TLS to it"
          data={tls}
          value={draft.ssl}
          onChange={(event) => onChange({ ...draft, ssl: event.currentTarget.value as ServerDraft['ssl'] })}
        />
      </div>
      <div className={classes.more}>
        <TextInput label="Weight" placeholder="as the others" inputMode="numeric" w={130} {...text('weight')} />
        <TextInput
          label="Most connections"
          placeholder="no bound"
          inputMode="numeric"
          w={150}
          {...text('maxConnections')}
        />
        <Stack gap={8}>
          <Checkbox
            label="Check its health"
            checked={draft.check}
            onChange={(event) => onChange({ ...draft, check: event.currentTarget.checked })}
          />
          <Checkbox
            label="Use it only when all others are down"
            checked={draft.backup}
            onChange={(event) => onChange({ ...draft, backup: event.currentTarget.checked })}
          />
        </Stack>
      </div>
    </fieldset>
  );
}
