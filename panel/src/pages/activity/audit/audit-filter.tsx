import { Button, NativeSelect, TextInput } from '@mantine/core';
import { parseIp } from '../../../../../src/domain/ip.ts';
import type { AuditFilter } from '../../../api/audit.ts';
import { isPlainName } from '../../../parts/plain-name.ts';
import { sentence } from '../../../parts/problem-alert.tsx';
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

/** What is not right yet does not narrow. */
export function filterOf(draft: FilterDraft): AuditFilter {
  const address = parseIp(draft.address.trim());
  return {
    ...(draft.operation === '' ? {} : { operation: draft.operation }),
    ...(isPlainName(draft.key.trim()) ? { key: draft.key.trim() } : {}),
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
  const address = value.address.trim();
  const parse = parseIp(address);
  return (
    <search className="audit-filter">
      <NativeSelect
        label="What"
        value={value.operation}
        onChange={change('operation')}
        data={[
          { value: '', label: 'Everything' },
          ...operationNames.map((name) => ({ value: name, label: operationLabel(name) })),
        ]}
      />
      <TextInput label="Key" value={value.key} onChange={change('key')} autoComplete="off" spellCheck={false} />
      <TextInput
        label="Address"
        value={value.address}
        onChange={change('address')}
        error={address === '' || parse.ok ? null : sentence(parse.why)}
        className="mono-input"
        autoComplete="off"
        spellCheck={false}
      />
      <TextInput type="datetime-local" label="From" value={value.since} onChange={change('since')} />
      <TextInput type="datetime-local" label="Before" value={value.until} onChange={change('until')} />
      {value !== noFilter && (
        <Button variant="default" onClick={() => onChange(noFilter)}>
          Show all
        </Button>
      )}
    </search>
  );
}
