import { SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { momentText } from '../../parts/times.ts';

const day = 86_400_000;
const spans = [
  { value: 'never', label: 'Never', days: null },
  { value: '30', label: '30 days', days: 30 },
  { value: '90', label: '90 days', days: 90 },
  { value: '365', label: '1 year', days: 365 },
  { value: 'day', label: 'Custom date', days: null },
] as const;

export interface Expiry {
  readonly choice: string;
  readonly day: string;
}

export const noExpiry: Expiry = { choice: 'never', day: '' };

export type ExpiryReading =
  | { readonly ok: true /** ISO 8601; null: never. */; readonly expiresAt: string | null }
  | { readonly ok: false; readonly why: string };

export function readExpiry({ choice, day: date }: Expiry, now: number): ExpiryReading {
  const days = spans.find(({ value }) => value === choice)?.days ?? null;
  if (days !== null) return { ok: true, expiresAt: new Date(now + days * day).toISOString() };
  if (choice !== 'day') return { ok: true, expiresAt: null };
  // The end of that day in the local time zone.
  const end = new Date(`${date}T23:59:59`);
  if (Number.isNaN(end.getTime())) return { ok: false, why: 'Choose a date.' };
  if (end.getTime() <= now) return { ok: false, why: 'This date is in the past.' };
  return { ok: true, expiresAt: end.toISOString() };
}

interface ExpiryFieldProps {
  readonly value: Expiry;
  readonly onChange: (value: Expiry) => void;
  /** The service's clock, milliseconds since 1970. */
  readonly now: number;
}

export function ExpiryField({ value, onChange, now }: ExpiryFieldProps) {
  const reading = readExpiry(value, now);
  return (
    <Stack gap={6} role="group" aria-labelledby="key-expiry">
      <Text size="sm" fw={500} id="key-expiry">
        Expires
      </Text>
      <SegmentedControl
        aria-labelledby="key-expiry"
        data={spans.map(({ value: name, label }) => ({ value: name, label }))}
        value={value.choice}
        onChange={(choice) => onChange({ ...value, choice })}
        size="xs"
        fullWidth
      />
      {value.choice === 'day' && (
        <TextInput
          type="date"
          label="Last day"
          value={value.day}
          onChange={(event) => onChange({ ...value, day: event.currentTarget.value })}
          error={reading.ok || value.day === '' ? null : reading.why}
        />
      )}
      <Text size="xs" c="dimmed">
        {reading.ok && reading.expiresAt !== null
          ? `The key is rejected after ${momentText(reading.expiresAt)}.`
          : 'Expiring keys are safer.'}
      </Text>
    </Stack>
  );
}
