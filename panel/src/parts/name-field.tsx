import { TextInput } from '@mantine/core';
import { longestName } from './plain-name.ts';

export interface NameFieldProps {
  /** Of what, and what follows from it. */
  readonly description: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** What is wrong with it (`plain-name.ts`); said once something was typed. */
  readonly fault: string | null;
}

/** The name of something new, where a dialog begins. */
export function NameField({ description, placeholder, value, onChange, fault }: NameFieldProps) {
  return (
    <TextInput
      label="Name"
      description={description}
      placeholder={placeholder}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value.trim())}
      error={value === '' ? null : fault}
      maxLength={longestName}
      data-autofocus
      required
      withAsterisk={false}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
