// What somebody should look at twice before a list is sent: the concerns of a single block, for every line.
import { useMemo } from 'react';
import { parseIp } from '../../../../../src/domain/ip.ts';
import { useTrusted } from '../../../api/trusted-ips.ts';
import { problemText } from '../../../parts/problem-alert.tsx';
import { useSessionState } from '../../../session/session.ts';
import { concernsOf, type Surroundings, trustedEntries } from '../block/concerns.ts';
import type { BadLine, NumberedEntry } from './preview.ts';

/** More are not read by anybody. */
const mostConcerns = 200;
/** Each line is compared with each trusted entry: about a second. */
const mostComparisons = 20_000_000;

export interface Concerns {
  readonly concerns: readonly BadLine[];
  /** What was not looked at; null: nothing. */
  readonly unchecked: string | null;
}

export function useConcerns(entries: readonly NumberedEntry[]): Concerns {
  const { data, error } = useTrusted();
  const { info } = useSessionState();
  return useMemo(() => {
    const trusted = trustedEntries(data?.items ?? []);
    const found = concernsAmong(entries, { trusted, clientAddress: info?.client_address ?? null });
    if (error === null) return found;
    return { ...found, unchecked: `Whether some are trusted could not be looked up: ${problemText(error)}` };
  }, [entries, data, error, info]);
}

export function concernsAmong(entries: readonly NumberedEntry[], { trusted, clientAddress }: Surroundings): Concerns {
  const concerns: BadLine[] = [];
  const compared = trusted.slice(0, Math.floor(mostComparisons / Math.max(1, entries.length)));
  for (const { line, entry } of entries) {
    const parse = parseIp(entry.ip);
    if (!parse.ok) continue;
    for (const { words } of concernsOf(parse.entry, { trusted: compared, clientAddress }))
      concerns.push({ line, value: entry.ip, why: words.startsWith(entry.ip) ? words : `${entry.ip}: ${words}` });
    if (concerns.length >= mostConcerns) break;
  }
  const some = compared.length < trusted.length;
  const unchecked = `The list was compared with ${compared.length} of ${trusted.length} trusted entries only.`;
  return { concerns, unchecked: some ? unchecked : null };
}
