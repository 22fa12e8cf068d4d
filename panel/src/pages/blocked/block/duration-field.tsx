import { Chip, Group, Input, TextInput } from '@mantine/core';
import { useId, useRef } from 'react';
import { readTypedDuration } from './typed-duration.ts';

export interface Duration {
  /** One of the presets, `other`, or `keep`: what is changed ends when it did. */
  readonly choice: string;
  /** What was typed for `other`, such as `4h`. */
  readonly text: string;
}

const presets = [
  { value: '1h', label: '1 hour' },
  { value: '4h', label: '4 hours' },
  { value: '1d', label: '1 day' },
  { value: '7d', label: '1 week' },
  { value: '30d', label: '30 days' },
  { value: 'good', label: 'For good' },
  { value: 'other', label: 'Other' },
] as const;

const kept = { value: 'keep', label: 'As it is' } as const;

export const forGood: Duration = { choice: 'good', text: '' };
export const asItWas: Duration = { choice: 'keep', text: '' };

/** Seconds; null: for good, or nothing is said of it; or why what was typed is none. */
export function readDuration({ choice, text }: Duration): number | null | { readonly why: string } {
  if (choice === 'good' || choice === 'keep') return null;
  const parse = readTypedDuration(choice === 'other' ? text : choice);
  return parse.ok ? parse.seconds : { why: parse.why };
}

export interface DurationFieldProps {
  readonly value: Duration;
  readonly onChange: (value: Duration) => void;
  readonly label?: string;
  /** Offers to leave the end as it is. */
  readonly keeps?: boolean;
}

export function DurationField({ value, onChange, label = 'For how long', keeps = false }: DurationFieldProps) {
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
              // One name makes them one group: one tab stop, at the chosen one.
              name={id}
              size="sm"
              variant="outline"
              // Only a click leads on to the field: arrows pass by.
              onClick={() => {
                if (preset.value === 'other') requestAnimationFrame(() => field.current?.focus());
              }}
            >
              {preset.label}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {value.choice === 'other' && (
        <TextInput
          mt="xs"
          ref={field}
          aria-label="Number and unit"
          placeholder="30 min, 4 h, 1 d 12 h, 2 w or 1 y"
          value={value.text}
          error={wrong}
          onChange={(event) => onChange({ ...value, text: event.currentTarget.value })}
        />
      )}
    </div>
  );
}
