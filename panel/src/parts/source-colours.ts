// A source has the same colour on every page: that of its place in the order of the service, which does not change with
// its figures. Its name is always beside it.
import { useMemo } from 'react';
import { useSources } from '../api/sources.ts';
import { manual } from './source-words.ts';

/** The name of a CSS variable; null: of no source of its own. */
export type ColourOf = (source: string) => string | null;

const own = ['--chart-1', '--chart-2', '--chart-3'] as const;
const ofManual = '--chart-4';
/** Beside a name, of sources without a colour of their own. */
export const othersColour = '--chart-5';

/** @param sources all with claims, in the order of the service */
export function colourBySource(sources: readonly string[]): ColourOf {
  const coloured = new Map(sources.filter((name) => name !== manual).map((name, at) => [name, own[at] ?? null]));
  return (source) => (source === manual ? ofManual : (coloured.get(source) ?? null));
}

/** @param enabled false: no request, and no source has a colour of its own */
export function useSourceColours(enabled = true): ColourOf {
  const items = useSources({ enabled }).data?.items;
  return useMemo(
    () => colourBySource((items ?? []).filter(({ claims }) => claims > 0).map(({ name }) => name)),
    [items],
  );
}
