import { TextInput } from '@mantine/core';
import { SearchIcon } from '../../parts/icons.tsx';
import { SlashHint } from '../../parts/search-field.tsx';
import { useSlashKey } from '../../parts/slash-key.ts';
import classes from './blocked.module.css';
import { maxTextLength, searchWords } from './search.ts';
import type { BlockedSearch } from './use-blocked-search.ts';

export function SearchBar({ search }: { readonly search: BlockedSearch }) {
  const { text, setText, current, field } = search;
  useSlashKey(field);
  return (
    <TextInput
      ref={field}
      className={classes.search ?? ''}
      aria-label="Search"
      placeholder="Search blocked addresses"
      description={searchWords(current)}
      inputWrapperOrder={['input', 'description']}
      leftSection={<SearchIcon size={16} />}
      rightSection={text === '' ? <SlashHint /> : null}
      value={text}
      maxLength={maxTextLength}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setText('');
      }}
    />
  );
}
