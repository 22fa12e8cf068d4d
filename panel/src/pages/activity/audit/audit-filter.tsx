import { Button, NativeSelect, TextInput } from '@mantine/core';
import { parseIp } from '../../../../../src/domain/ip.ts';
import type { AuditFilter } from '../../../api/audit.ts';
import { useKeys } from '../../../api/keys.ts';
import { isPlainName } from '../../../parts/plain-name.ts';
import { sentence } from '../../../parts/problem-alert.tsx';
import styles from '../../../parts/styles.module.css';
import classes from './audit.module.css';
import { operationLabel, operationNames } from './operation-words.ts';

/** What is written in the filter's fields, as text. */
export interface FilterDraft {
  readonly operation: string;
  readonly key: string;
  readonly address: string;
  /** As a field for date and time gives it, in the person's own zone. */
  readonly since: string;
  readonly until: string;
}

export const noFilter: FilterDraft = { operation: '', key: '', address: '', since: '', until: '' };

/** What is wrong with what is written; by field. While anything is, nothing is looked for: not everything instead. */
export type FilterFaults = Partial<Readonly<Record<'key' | 'address' | 'until', string>>>;

export function faultsOf({ key, address, since, until }: FilterDraft): FilterFaults {
  const faults: { -readonly [Name in keyof FilterFaults]: string } = {};
  const ip = parseIp(address.trim());
  if (address.trim() !== '' && !ip.ok) faults.address = sentence(ip.why, address.trim());
  if (key.trim() !== '' && !isKeyName(key.trim())) faults.key = 'No key has such a name.';
  if (since !== '' && until !== '' && new Date(since) >= new Date(until)) faults.until = 'It is not after “From”.';
  return faults;
}

/** The key of the settings has a name that no other can have. */
function isKeyName(text: string): boolean {
  return text === '_settings' || isPlainName(text);
}

/** Of a draft without faults. */
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
  const time = new Date(text);
  return text === '' || Number.isNaN(time.getTime())
    ? {}
    : ({ [name]: time.toISOString() } as { readonly [N in Name]?: string });
}

export interface AuditFilterFieldsProps {
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
        label="What"
        value={value.operation}
        onChange={change('operation')}
        data={[
          { value: '', label: 'Everything' },
          ...operationNames.map((name) => ({ value: name, label: operationLabel(name) })),
        ]}
      />
      <TextInput
        label="Key"
        placeholder="its whole name"
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
      <TextInput type="datetime-local" label="From" value={value.since} onChange={change('since')} />
      <TextInput
        type="datetime-local"
        label="Before"
        value={value.until}
        onChange={change('until')}
        error={faults.until}
      />
      {value !== noFilter && (
        <Button variant="default" onClick={() => onChange(noFilter)}>
          Show all
        </Button>
      )}
    </search>
  );
}
