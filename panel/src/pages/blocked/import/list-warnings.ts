import { useMemo } from 'react';
import { parseIp } from '../../../../../src/domain/ip.ts';
import { useTrusted } from '../../../api/trusted-ips.ts';
import { problemText } from '../../../parts/problem-alert.tsx';
import { useSessionState } from '../../../session/session.ts';
import {
  type BlockWarning,
  exceptionsIn,
  trustedEntries,
  type WarningContext,
  warningsFor,
} from '../block/warnings.ts';
import type { BadLine, NumberedEntry } from './preview.ts';

const maxWarnings = 200;
/** The trusted addresses stay allowed. */
const harmless: readonly BlockWarning['kind'][] = ['trusted', 'trusted-inside'];
/** Each line is compared with each trusted entry: about a second. */
const maxComparisons = 20_000_000;

export interface ListWarnings {
  readonly warnings: readonly BadLine[];
  /** Trusted addresses are in the list, and none of them would be denied. */
  readonly trustStays: boolean;
  /** Of a warning that is not only about trust that stays. */
  readonly needsConsent: boolean;
  /** What was not checked; null: nothing. */
  readonly unchecked: string | null;
}

/** @returns null: it is not known yet which addresses are trusted */
export function useListWarnings(entries: readonly NumberedEntry[]): ListWarnings | null {
  const { data, error, isPending } = useTrusted();
  const { info } = useSessionState();
  return useMemo(() => {
    if (isPending) return null;
    const items = data?.items ?? [];
    const found = listWarnings(entries, {
      trusted: trustedEntries(items),
      exceptions: exceptionsIn(items),
      clientAddress: info?.client_address ?? null,
    });
    if (error === null) return found;
    return { ...found, unchecked: `Could not check for trusted addresses: ${problemText(error)}` };
  }, [entries, data, error, isPending, info]);
}

export function listWarnings(
  entries: readonly NumberedEntry[],
  { trusted, exceptions, clientAddress }: WarningContext,
): ListWarnings {
  const warnings: BadLine[] = [];
  const kinds = new Set<BlockWarning['kind']>();
  const compared = trusted.slice(0, Math.floor(maxComparisons / Math.max(1, entries.length)));
  for (const { line, entry } of entries) {
    const parse = parseIp(entry.ip);
    if (!parse.ok) continue;
    for (const { kind, words } of warningsFor(parse.entry, { trusted: compared, exceptions, clientAddress })) {
      kinds.add(kind);
      warnings.push({ line, value: entry.ip, why: words.startsWith(entry.ip) ? words : `${entry.ip}: ${words}` });
    }
    if (warnings.length >= maxWarnings) break;
  }
  const some = compared.length < trusted.length;
  const unchecked = `Compared with only ${compared.length} of ${trusted.length} trusted entries.`;
  // Of lines that were not compared, it is not known.
  const isComplete = !some && warnings.length < maxWarnings;
  return {
    warnings,
    trustStays: isComplete && harmless.some((kind) => kinds.has(kind)) && !kinds.has('ends-trust'),
    needsConsent: (!isComplete && warnings.length > 0) || [...kinds].some((kind) => !harmless.includes(kind)),
    unchecked: some ? unchecked : null,
  };
}
