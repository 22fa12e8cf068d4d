import { Checkbox, Group, TextInput } from '@mantine/core';
import { SearchIcon } from '../../parts/icons.tsx';
import { useSlashKey } from '../../parts/slash-key.ts';
import styles from '../../parts/styles.module.css';
import { maxTextLength, searchWords } from './search.ts';
import type { BlockedSearch } from './use-blocked-search.ts';

export function SearchBar({ search }: { readonly search: BlockedSearch }) {
  const { text, setText, expiring, setExpiring, current, field } = search;
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
        value={text}
        maxLength={maxTextLength}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setText('');
        }}
      />
      <Checkbox
        mt={8}
        label="Temporary blocks only"
        checked={expiring}
        onChange={(event) => setExpiring(event.currentTarget.checked)}
      />
    </Group>
  );
}
