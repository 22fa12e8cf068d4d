import { Checkbox, NativeSelect, Textarea } from '@mantine/core';
import styles from '../../../parts/styles.module.css';
import { canonicalChoices, namesOfDraft, type SiteDraft } from './site-draft.ts';

interface NameFieldsProps {
  readonly draft: SiteDraft;
  readonly faults: { readonly names?: string; readonly canonical?: string };
  readonly onChange: (change: Partial<SiteDraft>) => void;
}

export function NameFields({ draft, faults, onChange }: NameFieldsProps) {
  const choices = canonicalChoices(draft);
  const shown = draft.canonical === '' || choices.includes(draft.canonical) ? choices : [...choices, draft.canonical];
  return (
    <>
      <Textarea
        label="Further names"
        description="One per line. *.shop.example.com covers one label; a site with the exact name wins."
        placeholder="www.shop.example.com"
        className={styles.monoInput}
        value={draft.names}
        onChange={(event) => onChange({ names: event.currentTarget.value })}
        error={faults.names ?? null}
        inputWrapperOrder={['label', 'description', 'input', 'error']}
        autosize
        minRows={1}
        maxRows={8}
        autoComplete="off"
        spellCheck={false}
      />
      {draft.answers === 'servers' && namesOfDraft(draft).length > 0 && (
        <NativeSelect
          label="Canonical name"
          description="The other names are redirected to it; names below a wildcard are not."
          data={[{ value: '', label: 'None: every name is served' }, ...shown]}
          value={draft.canonical}
          onChange={(event) => onChange({ canonical: event.currentTarget.value })}
          error={faults.canonical ?? null}
          inputWrapperOrder={['label', 'description', 'input', 'error']}
        />
      )}
      <Checkbox
        label="Enabled"
        description="If not, visitors of its names get 404, and no other site can have them."
        checked={draft.enabled}
        onChange={(event) => onChange({ enabled: event.currentTarget.checked })}
      />
    </>
  );
}
