import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import styles from '../../../parts/styles.module.css';
import type { SiteDraft } from './site-draft.ts';

interface RedirectFieldsProps {
  readonly draft: SiteDraft;
  readonly fault: string | undefined;
  readonly onChange: (change: Partial<SiteDraft>) => void;
}

const statuses = [
  { value: '301', label: '301, permanent' },
  { value: '302', label: '302, temporary' },
  { value: '307', label: '307, temporary, the method is kept' },
  { value: '308', label: '308, permanent, the method is kept' },
];

export function RedirectFields({ draft, fault, onChange }: RedirectFieldsProps) {
  return (
    <>
      <TextInput
        label="Redirect to"
        placeholder="https://www.example.com"
        className={styles.monoInput}
        value={draft.to}
        onChange={(event) => onChange({ to: event.currentTarget.value })}
        error={fault ?? null}
        required
        withAsterisk={false}
        autoComplete="off"
        spellCheck={false}
      />
      <NativeSelect
        label="Status"
        data={statuses}
        value={String(draft.status)}
        onChange={(event) => onChange({ status: Number(event.currentTarget.value) as SiteDraft['status'] })}
      />
      <Checkbox
        label="Append path and query of the request"
        checked={draft.keepPath}
        onChange={(event) => onChange({ keepPath: event.currentTarget.checked })}
      />
    </>
  );
}
