import { Button, NativeSelect, TextInput } from '@mantine/core';
import { parseIp } from '../../../../../src/domain/ip.ts';
import type { AuditFilter } from '../../../api/audit.ts';
import { useKeys } from '../../../api/keys.ts';
import { isPlainName } from '../../../parts/plain-name.ts';
import { sentence } from '../../../parts/problem-alert.tsx';
import styles from '../../../parts/styles.module.css';
import { readTypedTime, typedTimeExample } from '../../../parts/times.ts';
import classes from './audit.module.css';
import { operationLabel, operationNames } from './operation-words.ts';

type FilterDraft = {
  readonly operation: string;
  readonly key: string;
  readonly address: string;
  /** Typed, in the local time zone: a field of the browser would have AM and PM in some locales. */
  readonly since: string;
  readonly until: string;
};

export const noFilter: FilterDraft = { operation: '', key: '', address: '', since: '', until: '' };

/** Errors by field. With an error, no list is shown, because it would be unfiltered. */
type FilterFaults = Partial<Readonly<Record<'key' | 'address' | 'since' | 'until', string>>>;

export function faultsOf({ key, address, since, until }: FilterDraft): FilterFaults {
  const faults: { -readonly [Name in keyof FilterFaults]: string } = {};
  const ip = parseIp(address.trim());
  if (address.trim() !== '' && !ip.ok) faults.address = sentence(ip.why, address.trim());
  if (key.trim() !== '' && !isKeyName(key.trim())) faults.key = 'No key can have this name.';
  const [from, to] = [readTypedTime(since), readTypedTime(until)];
  const unreadable = `Write it like ${typedTimeExample}.`;
  if (since.trim() !== '' && from === null) faults.since = unreadable;
  if (until.trim() !== '' && to === null) faults.until = unreadable;
  if (from !== null && to !== null && from >= to) faults.until = 'Must be after “From”.';
  return faults;
}

/** `_settings`: the key from the settings. */
function isKeyName(text: string): boolean {
  return text === '_settings' || isPlainName(text);
}

export function filterOf(draft: FilterDraft): AuditFilter {
  const address = parseIp(draft.address.trim());
  return {
    ...(draft.operation === '' ? {} : { operation: draft.operation }),
    ...(isKeyName(draft.key.trim()) ? { key: draft.key.trim() } : {}),
    ...(address.ok ? { ip_address: address.entry.text } : {}),
    ...timeOf('since', draft.since),
    ...timeOf('until', draft.until),
  };
}

function timeOf<Name extends 'since' | 'until'>(name: Name, text: string): { readonly [N in Name]?: string } {
  const time = readTypedTime(text);
  return time === null ? {} : ({ [name]: time.toISOString() } as { readonly [N in Name]?: string });
}

const typedTime = { placeholder: typedTimeExample, autoComplete: 'off', spellCheck: false };

interface AuditFilterFieldsProps {
  readonly value: FilterDraft;
  readonly onChange: (value: FilterDraft) => void;
}

export function AuditFilterFields({ value, onChange }: AuditFilterFieldsProps) {
  const change = (name: keyof FilterDraft) => (event: React.ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
    onChange({ ...value, [name]: event.currentTarget.value });
  const faults = faultsOf(value);
  const keys = useKeys();
  return (
    <search className={classes.filter}>
      <NativeSelect
        label="Operation"
        value={value.operation}
        onChange={change('operation')}
        data={[
          { value: '', label: 'All operations' },
          ...operationNames.map((name) => ({ value: name, label: operationLabel(name) })),
        ]}
      />
      <TextInput
        label="Key"
        placeholder="exact name"
        value={value.key}
        onChange={change('key')}
        error={faults.key}
        list="audit-keys"
        autoComplete="off"
        spellCheck={false}
      />
      <datalist id="audit-keys">
        {(keys.data?.items ?? []).map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <TextInput
        label="Address"
        value={value.address}
        onChange={change('address')}
        error={faults.address}
        className={styles.monoInput}
        autoComplete="off"
        spellCheck={false}
      />
      <TextInput label="From" value={value.since} onChange={change('since')} error={faults.since} {...typedTime} />
      <TextInput label="To" value={value.until} onChange={change('until')} error={faults.until} {...typedTime} />
      {Object.values(value).some((text) => text !== '') && (
        <Button variant="default" onClick={() => onChange(noFilter)}>
          Clear filter
        </Button>
      )}
    </search>
  );
}
