import { TextInput } from '@mantine/core';
import { maxNameLength } from './plain-name.ts';

interface NameFieldProps {
  readonly description: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly fault: string | null;
}

export function NameField({ description, placeholder, value, onChange, fault }: NameFieldProps) {
  return (
    <TextInput
      label="Name"
      description={description}
      placeholder={placeholder}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value.trim())}
      error={value === '' ? null : fault}
      maxLength={maxNameLength}
      data-autofocus
      required
      withAsterisk={false}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
