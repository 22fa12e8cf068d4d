import { Button, TextInput } from '@mantine/core';
import { parseIp } from '../../../src/domain/ip.ts';
import { sentence } from './problem-alert.tsx';
import styles from './styles.module.css';

interface AddressFieldProps {
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function AddressField({ placeholder, value, onChange }: AddressFieldProps) {
  const parse = parseIp(value.trim());
  const meant = parse.ok ? undefined : parse.meant;
  return (
    <>
      <TextInput
        label="Address or network"
        placeholder={placeholder}
        className={styles.monoInput}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={value.trim() === '' || parse.ok ? null : sentence(parse.why, value.trim())}
        data-autofocus
        required
        withAsterisk={false}
        autoComplete="off"
        spellCheck={false}
      />
      {meant !== undefined && (
        <Button variant="default" size="compact-sm" w="fit-content" onClick={() => onChange(meant.text)}>
          Use {meant.text}
        </Button>
      )}
    </>
  );
}
