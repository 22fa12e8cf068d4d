import { Kbd, TextInput } from '@mantine/core';
import { useRef } from 'react';
import { SearchIcon } from './icons.tsx';
import { useSlashKey } from './slash-key.ts';

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useSlashKey(field);
  return (
    <TextInput
      ref={field}
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && value !== '') onChange('');
      }}
      leftSection={<SearchIcon />}
      rightSection={value === '' ? <SlashHint /> : null}
      flex="1 1 220px"
      maw={420}
    />
  );
}

/** The key that focuses the field. */
export function SlashHint() {
  return (
    <Kbd aria-hidden="true" visibleFrom="sm">
      /
    </Kbd>
  );
}
