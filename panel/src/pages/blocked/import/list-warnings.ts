import { useMemo } from 'react';
import { parseIp } from '../../../../../src/domain/ip.ts';
import { useTrusted } from '../../../api/trusted-ips.ts';
import { problemText } from '../../../parts/problem-alert.tsx';
import { useSessionState } from '../../../session/session.ts';
import { trustedEntries, type WarningContext, warningsFor } from '../block/warnings.ts';
import type { BadLine, NumberedEntry } from './preview.ts';

const maxWarnings = 200;
/** Each line is compared with each trusted entry: about a second. */
const maxComparisons = 20_000_000;

interface ListWarnings {
  readonly warnings: readonly BadLine[];
  /** What was not checked; null: nothing. */
  readonly unchecked: string | null;
}

export function useListWarnings(entries: readonly NumberedEntry[]): ListWarnings {
  const { data, error } = useTrusted();
  const { info } = useSessionState();
  return useMemo(() => {
    const trusted = trustedEntries(data?.items ?? []);
    const found = listWarnings(entries, { trusted, clientAddress: info?.client_address ?? null });
    if (error === null) return found;
    return { ...found, unchecked: `Could not check for trusted addresses: ${problemText(error)}` };
  }, [entries, data, error, info]);
}

export function listWarnings(
  entries: readonly NumberedEntry[],
  { trusted, clientAddress }: WarningContext,
): ListWarnings {
  const warnings: BadLine[] = [];
  const compared = trusted.slice(0, Math.floor(maxComparisons / Math.max(1, entries.length)));
  for (const { line, entry } of entries) {
    const parse = parseIp(entry.ip);
    if (!parse.ok) continue;
    for (const { words } of warningsFor(parse.entry, { trusted: compared, clientAddress }))
      warnings.push({ line, value: entry.ip, why: words.startsWith(entry.ip) ? words : `${entry.ip}: ${words}` });
    if (warnings.length >= maxWarnings) break;
  }
  const some = compared.length < trusted.length;
  const unchecked = `Compared with only ${compared.length} of ${trusted.length} trusted entries.`;
  return { warnings, unchecked: some ? unchecked : null };
}
