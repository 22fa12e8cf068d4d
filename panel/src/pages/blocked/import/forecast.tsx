import { Checkbox, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { isProblem, problemCodes } from '../../../../../src/client/problem-codes.ts';
import { count, counted } from '../../../../../src/domain/counted.ts';
import { problemText, sentence } from '../../../parts/problem-alert.tsx';
import { useAllowed, useApi } from '../../../session/session.ts';
import { CdnNotes } from './cdn-notes.tsx';
import type { NumberedEntry } from './preview.ts';
import { type Common, emptyTally, type Tally, transfer } from './transfer.ts';

const settledMs = 500;

type Forecast =
  | { readonly kind: 'counting'; readonly tally: Tally }
  | { readonly kind: 'known'; readonly tally: Tally }
  | { readonly kind: 'unknown'; readonly why: unknown };

/** @param common null: invalid */
export function useForecast(entries: readonly NumberedEntry[], common: Common | null): Forecast {
  const api = useApi();
  const [settled] = useDebouncedValue(common === null ? null : JSON.stringify(common), settledMs);
  const [forecast, setForecast] = useState<Forecast>({ kind: 'counting', tally: emptyTally });
  useEffect(() => {
    if (settled === null || entries.length === 0) return;
    const stop = new AbortController();
    const { signal } = stop;
    let tally = emptyTally;
    const note = (kind: 'counting' | 'known'): void => {
      if (!signal.aborted) setForecast({ kind, tally });
    };
    note('counting');
    transfer(api, entries, JSON.parse(settled) as Common, tally, (now) => (tally = now), signal, { dry: true }).then(
      () => note('known'),
      (why: unknown) => {
        if (!signal.aborted) setForecast({ kind: 'unknown', why });
      },
    );
    return () => stop.abort();
  }, [api, entries, settled]);
  return forecast;
}

interface ForecastWordsProps {
  readonly forecast: Forecast;
  readonly allowWide: boolean;
  readonly onAllowWide: (allow: boolean) => void;
}

export function ForecastWords({ forecast, allowWide, onAllowWide }: ForecastWordsProps) {
  const admin = useAllowed('admin');
  if (forecast.kind === 'unknown')
    return (
      <Text size="sm" c="dimmed" role="status">
        {isProblem(forecast.why, problemCodes.setFull) ? '' : 'Could not count the changes: '}
        {sentence(problemText(forecast.why))}
      </Text>
    );
  const { tooWide } = forecast.tally;
  return (
    <>
      <Text size="sm" role="status" data-testid="forecast">
        {forecast.kind === 'counting' ? 'Counting changes…' : forecastWords(forecast.tally)}
      </Text>
      <CdnNotes cdns={forecast.tally.knownCdns} blocked={false} />
      {admin && (tooWide > 0 || allowWide) && (
        <Checkbox
          label={
            allowWide ? 'Include wide and special networks' : `Include ${counted(tooWide, 'wide or special network')}`
          }
          checked={allowWide}
          onChange={(event) => onAllowWide(event.currentTarget.checked)}
        />
      )}
    </>
  );
}

export function forecastWords({ added, updated, unchanged, rejectedTotal, room }: Tally): string {
  const already = updated + unchanged;
  const parts = [
    `${counted(added, 'new entry', 'new entries')}.`,
    ...(already === 0 ? [] : [`${count(already)} already blocked: ${changes(updated, unchanged)}.`]),
    ...(rejectedTotal === 0 ? [] : [`${counted(rejectedTotal, 'line')} rejected.`]),
    ...(room === null || added === 0 ? [] : limitWords(room.total + added, room.limit)),
  ];
  return parts.join(' ');
}

/** The service checks each batch and rejects the first that exceeds the limit. */
function limitWords(total: number, limit: number): string[] {
  if (total <= limit) return [];
  const over = count(total - limit);
  return [
    `The blocked set would have ${count(total)} entries, ${over} more than the limit (PROXY_MANAGER_MAX_ENTRIES). The import would stop early.`,
  ];
}

function changes(updated: number, unchanged: number): string {
  const parts = [
    ...(updated === 0 ? [] : [`${count(updated)} updated with the list’s reason, “Blocked by” or later expiry`]),
    ...(unchanged === 0 ? [] : [`${count(unchanged)} unchanged`]),
  ];
  return parts.join(', ');
}
