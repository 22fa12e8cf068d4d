import { Chip, Group, Input, TextInput } from '@mantine/core';
import { useId, useRef } from 'react';
import { readTypedDuration } from './typed-duration.ts';

export interface Duration {
  /** One of the presets, `custom`, or `keep`: the expiry stays unchanged. */
  readonly choice: string;
  readonly text: string;
}

const presets = [
  { value: '1h', label: '1 hour' },
  { value: '4h', label: '4 hours' },
  { value: '1d', label: '1 day' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: 'permanent', label: 'Permanent' },
  { value: 'custom', label: 'Custom' },
] as const;

const kept = { value: 'keep', label: 'Unchanged' } as const;

export const permanent: Duration = { choice: 'permanent', text: '' };
export const keepExpiry: Duration = { choice: 'keep', text: '' };

/** Seconds; null: permanent or unchanged; `why`: the text is not a duration. */
export function readDuration({ choice, text }: Duration): number | null | { readonly why: string } {
  if (choice === 'permanent' || choice === 'keep') return null;
  const parse = readTypedDuration(choice === 'custom' ? text : choice);
  return parse.ok ? parse.value : { why: parse.why };
}

interface DurationFieldProps {
  readonly value: Duration;
  readonly onChange: (value: Duration) => void;
  readonly label?: string;
  readonly keeps?: boolean;
}

export function DurationField({ value, onChange, label = 'Duration', keeps = false }: DurationFieldProps) {
  const id = useId();
  const read = readDuration(value);
  const wrong = typeof read === 'object' && read !== null && value.text !== '' ? read.why : null;
  const field = useRef<HTMLInputElement>(null);
  return (
    <div>
      <Input.Label id={id}>{label}</Input.Label>
      <Chip.Group value={value.choice} onChange={(choice) => onChange({ ...value, choice: String(choice) })}>
        <Group gap={6} mt={4} role="radiogroup" aria-labelledby={id}>
          {(keeps ? [kept, ...presets] : presets).map((preset) => (
            <Chip
              key={preset.value}
              value={preset.value}
              // A shared name makes one group with one tab stop, at the selected chip.
              name={id}
              size="sm"
              variant="outline"
              // Only on a click: arrow keys must be able to move past it.
              onClick={() => {
                if (preset.value === 'custom') requestAnimationFrame(() => field.current?.focus());
              }}
            >
              {preset.label}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {value.choice === 'custom' && (
        <TextInput
          mt="xs"
          ref={field}
          aria-label="Custom duration"
          placeholder="30 min, 4 h, 1 d 12 h, 2 w or 1 y"
          value={value.text}
          error={wrong}
          onChange={(event) => onChange({ ...value, text: event.currentTarget.value })}
        />
      )}
    </div>
  );
}
