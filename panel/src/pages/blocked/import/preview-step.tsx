import { Alert, Button, Checkbox, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { count, counted } from '../../../../../src/domain/counted.ts';
import { type Duration, DurationField, readDuration } from '../block/duration-field.tsx';
import { BadLines } from './bad-lines.tsx';
import { ForecastWords, useForecast } from './forecast.tsx';
import { type ListWarnings, useListWarnings } from './list-warnings.ts';
import type { Preview } from './preview.ts';
import type { Common } from './transfer.ts';

export interface Defaults {
  readonly reason: string;
  readonly duration: Duration;
}

interface PreviewStepProps {
  readonly preview: Preview;
  readonly defaults: Defaults;
  readonly onDefaults: (defaults: Defaults) => void;
  readonly onCorrect: () => void;
  readonly onBack: () => void;
  readonly onSend: (common: Common) => void;
}

const notChecked: ListWarnings = {
  warnings: [],
  trustStays: false,
  needsConsent: false,
  unchecked: 'Checking for trusted addresses…',
};

export function PreviewStep(props: PreviewStepProps) {
  const { preview, defaults, onDefaults, onCorrect, onBack, onSend } = props;
  const { reason, duration } = defaults;
  const [understood, setUnderstood] = useState(false);
  const [allowWide, setAllowWide] = useState(false);
  const { entries, duplicates, bad, correctable } = preview;
  const seconds = readDuration(duration);
  const common: Common | null =
    typeof seconds === 'object' && seconds !== null ? null : { reason: reason.trim(), seconds, allowWide };
  const forecast = useForecast(entries, common);
  const checked = useListWarnings(entries);
  const { warnings, trustStays, needsConsent, unchecked } = checked ?? notChecked;
  const ready = entries.length > 0 && common !== null && checked !== null && (!needsConsent || understood);
  return (
    <>
      <Text role="status">
        <b>{count(entries.length)}</b> {entries.length === 1 ? 'entry' : 'entries'} to import
        {duplicates > 0 && `, ${counted(duplicates, 'duplicate')}`}
        {bad.length === 0 ? ', no invalid lines' : ''}
      </Text>
      {bad.length > 0 && (
        <Alert color="orange" variant="light" title={`${counted(bad.length, 'invalid line')} will be skipped`}>
          <BadLines lines={bad} label="Invalid lines" />
          {correctable.length > 0 && (
            <Button
              mt="xs"
              size="compact-sm"
              variant="default"
              onClick={() => {
                // The warnings are about other networks afterwards.
                setUnderstood(false);
                onCorrect();
              }}
            >
              {correctable.length === 1
                ? `Use ${correctable[0]?.entry.ip} for line ${correctable[0]?.line}`
                : `Clear the host bits of ${counted(correctable.length, 'line')}`}
            </Button>
          )}
        </Alert>
      )}
      {unchecked !== null && (
        <Text size="sm" role="status">
          {unchecked}
        </Text>
      )}
      {warnings.length > 0 && (
        <Alert color="orange" variant="light" title="Warning">
          <BadLines lines={warnings} label="Lines with warnings" heading="Effect" />
          {needsConsent && (
            <Checkbox
              mt="xs"
              label="Import anyway"
              checked={understood}
              onChange={(event) => setUnderstood(event.currentTarget.checked)}
            />
          )}
        </Alert>
      )}
      {entries.length > 0 && (
        <>
          <TextInput
            label="Default reason"
            description="For lines without a reason."
            value={reason}
            maxLength={500}
            autoComplete="off"
            onChange={(event) => onDefaults({ ...defaults, reason: event.currentTarget.value })}
          />
          <DurationField
            value={duration}
            onChange={(next) => onDefaults({ ...defaults, duration: next })}
            label="Default duration"
          />
          <ForecastWords forecast={forecast} allowWide={allowWide} onAllowWide={setAllowWide} />
        </>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        <Button
          disabled={!ready}
          onClick={() => {
            if (common !== null) onSend(common);
          }}
        >
          {trustStays
            ? 'Import anyway: trusted addresses stay allowed'
            : `Import ${counted(entries.length, 'entry', 'entries')}`}
        </Button>
      </Group>
    </>
  );
}
