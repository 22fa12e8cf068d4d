import { SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { momentText } from '../../parts/age.tsx';

const day = 86_400_000;
const spans = [
  { value: 'never', label: 'Never', days: null },
  { value: '30', label: '30 days', days: 30 },
  { value: '90', label: '90 days', days: 90 },
  { value: '365', label: 'A year', days: 365 },
  { value: 'day', label: 'On a day', days: null },
] as const;

export interface Expiry {
  readonly choice: string;
  /** As a date field gives it: `2030-01-31`; for the choice `day`. */
  readonly day: string;
}

export const neverEnds: Expiry = { choice: 'never', day: '' };

export type ExpiryReading =
  | { readonly ok: true /** ISO 8601; null: never. */; readonly expiresAt: string | null }
  | { readonly ok: false; readonly why: string };

/** @param now milliseconds since 1970 */
export function readExpiry({ choice, day: date }: Expiry, now: number): ExpiryReading {
  const days = spans.find(({ value }) => value === choice)?.days ?? null;
  if (days !== null) return { ok: true, expiresAt: new Date(now + days * day).toISOString() };
  if (choice !== 'day') return { ok: true, expiresAt: null };
  // The end of that day, where the person is.
  const end = new Date(`${date}T23:59:59`);
  if (Number.isNaN(end.getTime())) return { ok: false, why: 'Choose the last day.' };
  if (end.getTime() <= now) return { ok: false, why: 'This day is over.' };
  return { ok: true, expiresAt: end.toISOString() };
}

export interface ExpiryFieldProps {
  readonly value: Expiry;
  readonly onChange: (value: Expiry) => void;
  /** By the service's clock, milliseconds since 1970. */
  readonly now: number;
}

export function ExpiryField({ value, onChange, now }: ExpiryFieldProps) {
  const reading = readExpiry(value, now);
  return (
    <Stack gap={6} role="group" aria-labelledby="key-expiry">
      <Text size="sm" fw={500} id="key-expiry">
        When it ends
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
          ? `Until ${momentText(reading.expiresAt)}. After that it is not accepted.`
          : 'A key that ends by itself cannot be forgotten somewhere.'}
      </Text>
    </Stack>
  );
}
