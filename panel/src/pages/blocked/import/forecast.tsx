// What an import would change, counted by the service before anything is sent.
import { Checkbox, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { isProblem, problemCodes } from '../../../../../src/client/problem-codes.ts';
import { counted } from '../../../parts/counted.ts';
import { problemText, sentence } from '../../../parts/problem-alert.tsx';
import { useApi, useMay } from '../../../session/session.ts';
import type { NumberedEntry } from './preview.ts';
import { type Common, nothingYet, type Tally, transfer } from './transfer.ts';

/** How long nobody changes reason or length before it is counted; milliseconds. */
const settledMs = 500;

export type Forecast =
  | { readonly kind: 'counting'; readonly tally: Tally }
  | { readonly kind: 'known'; readonly tally: Tally }
  | { readonly kind: 'unknown'; readonly why: unknown };

/** @param common null: something in it is not right yet */
export function useForecast(entries: readonly NumberedEntry[], common: Common | null): Forecast {
  const api = useApi();
  const [settled] = useDebouncedValue(common === null ? null : JSON.stringify(common), settledMs);
  const [forecast, setForecast] = useState<Forecast>({ kind: 'counting', tally: nothingYet });
  useEffect(() => {
    if (settled === null || entries.length === 0) return;
    const stop = new AbortController();
    const { signal } = stop;
    let tally = nothingYet;
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

export interface ForecastWordsProps {
  readonly forecast: Forecast;
  readonly allowWide: boolean;
  readonly onAllowWide: (allow: boolean) => void;
}

export function ForecastWords({ forecast, allowWide, onAllowWide }: ForecastWordsProps) {
  const admin = useMay('admin');
  if (forecast.kind === 'unknown')
    return (
      <Text size="sm" c="dimmed" role="status">
        {isProblem(forecast.why, problemCodes.setFull) ? '' : 'How many are blocked already could not be counted: '}
        {sentence(problemText(forecast.why))}
      </Text>
    );
  const { tooWide } = forecast.tally;
  return (
    <>
      <Text size="sm" role="status" data-testid="forecast">
        {forecast.kind === 'counting' ? 'Counting what would change …' : forecastWords(forecast.tally)}
      </Text>
      {admin && (tooWide > 0 || allowWide) && (
        <Checkbox
          label={
            allowWide
              ? 'Block wide networks too'
              : `Block ${counted(tooWide, 'network')} that ${tooWide === 1 ? 'is' : 'are'} wide or special too`
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
    `${counted(added, 'address', 'addresses')} would be new.`,
    ...(already === 0 ? [] : [`${counted(already, 'is', 'are')} blocked already: ${changes(updated, unchanged)}.`]),
    ...(rejectedTotal === 0 ? [] : [`${counted(rejectedTotal, 'line')} would be rejected.`]),
    ...(room === null || added === 0 ? [] : limitWords(room.total + added, room.limit)),
  ];
  return parts.join(' ');
}

/** The service checks the parts of a list one by one, and refuses the first that exceeds the limit. */
function limitWords(wouldBe: number, limit: number): string[] {
  if (wouldBe <= limit) return [];
  const size = `The blocked set would have ${wouldBe.toLocaleString('en')} entries`;
  const over = `${(wouldBe - limit).toLocaleString('en')} more than its maximum (PROXY_MANAGER_MAX_ENTRIES)`;
  return [`${size}, ${over}: the import would stop before its end.`];
}

function changes(updated: number, unchanged: number): string {
  if (updated === 0) return unchanged === 1 ? 'it stays as it is' : 'all stay as they are';
  const what = 'reason, source or a later end';
  return unchanged === 0
    ? `${updated === 1 ? 'it takes' : 'all take'} the list’s ${what}`
    : `${updated.toLocaleString('en')} of them would take the list’s ${what}`;
}
