import { Checkbox, Group, NativeSelect, TextInput } from '@mantine/core';
import { useSources } from '../../api/sources.ts';
import { SearchIcon } from '../../parts/icons.tsx';
import { useSlashKey } from '../../parts/slash-key.ts';
import styles from '../../parts/styles.module.css';
import { maxTextLength, searchWords } from './search.ts';
import type { BlockedSearch } from './use-blocked-search.ts';

export function SearchBar({ search }: { readonly search: BlockedSearch }) {
  const { text, setText, expiring, setExpiring, source, setSource, current, field } = search;
  const names = useSources().data?.items.map(({ name }) => name) ?? [];
  const choices = source === '' || names.includes(source) ? names : [...names, source];
  useSlashKey(field);
  return (
    <Group gap="md" align="flex-start">
      <TextInput
        ref={field}
        className={styles.grow}
        aria-label="Search"
        placeholder="Search blocked addresses ( / )"
        description={searchWords(current)}
        inputWrapperOrder={['input', 'description']}
        leftSection={<SearchIcon size={16} />}
        value={source === '' ? text : ''}
        disabled={source !== ''}
        maxLength={maxTextLength}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setText('');
        }}
      />
      {choices.length > 1 && (
        <NativeSelect
          aria-label="Source"
          w={{ base: '100%', xs: 220 }}
          value={source}
          onChange={(event) => setSource(event.currentTarget.value)}
          data={[{ value: '', label: 'All sources' }, ...choices]}
        />
      )}
      <Checkbox
        mt={8}
        label="Temporary blocks only"
        checked={expiring}
        disabled={source !== ''}
        onChange={(event) => setExpiring(event.currentTarget.checked)}
      />
    </Group>
  );
}
