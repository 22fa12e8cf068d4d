import { Button, FileButton, Group, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { UploadIcon } from '../../parts/icons.tsx';
import styles from '../../parts/styles.module.css';

/** As the service. */
const mostBytes = 32_768;

interface PemFieldProps {
  readonly label: string;
  readonly description: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly fault: ReactNode;
  readonly onFault: (fault: string) => void;
  readonly required?: boolean;
}

/** A text, typed, pasted or read from a file. */
export function PemField({ label, description, value, onChange, fault, onFault, required = false }: PemFieldProps) {
  const read = async (file: File | null): Promise<void> => {
    if (file === null) return;
    if (file.size > mostBytes) return onFault(`${file.name} is too large for a certificate or key.`);
    try {
      onChange(await file.text());
    } catch (error) {
      onFault(`${file.name} cannot be read: ${(error as Error).message}`);
    }
  };
  return (
    <div>
      <Textarea
        label={label}
        description={description}
        placeholder={required ? '-----BEGIN CERTIFICATE-----' : ''}
        className={styles.monoInput}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={fault}
        rows={5}
        required={required}
        withAsterisk={false}
        autoComplete="off"
        autoCorrect="off"
        spellCheck={false}
        data-1p-ignore
        {...(required ? { 'data-autofocus': true } : {})}
      />
      <Group mt={4}>
        <FileButton onChange={(file) => void read(file)} accept=".pem,.crt,.cer,.key,.txt">
          {(props) => (
            <Button size="compact-sm" variant="default" leftSection={<UploadIcon size={14} />} {...props}>
              Read {label.toLowerCase()} from a file
            </Button>
          )}
        </FileButton>
      </Group>
    </div>
  );
}
