// Counts go to standard output, rejected lines to standard error.

import { problemCodes } from '../../client/problem-codes.ts';
import { count, counted } from '../../domain/counted.ts';
import { quote } from '../../domain/quote.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import { harmless } from '../output/harmless.ts';
import { runtimeLines, trustLines } from '../runtime-text.ts';
import type { Session } from '../session.ts';
import type { BulkResult, RejectedLine } from './tally.ts';

const shownRejections = 100;
const shownAddresses = 10;

/** The flag that applies a line anyway, by the API's error code. */
const overrides: Readonly<Record<number, string>> = {
  [problemCodes.coveredByTrusted]: 'to store it anyway, add --even-trusted',
  [problemCodes.wideNetwork]: 'to block it anyway, add --allow-wide',
};

export async function printBulkResult(
  { output, format }: Pick<Session, 'output' | 'format'>,
  source: string,
  result: BulkResult,
): Promise<ExitCode> {
  if (format === 'json') await output.json(result);
  else {
    for (const line of [...rejectionLines(source, result), ...specialLines(result), ...limitLines(result)]) {
      output.remark(line);
    }
    const more = [
      ...stillClaimedLines(result),
      ...stillBlockedLines(result),
      ...trustLines(result),
      ...runtimeLines(result),
    ];
    await output.lines([bulkSentence(result), ...more.map(harmless)]);
  }
  const isPartial = result.rejected_total > 0 || limitLines(result).length > 0 || !result.runtime_map_updated;
  return isPartial ? exitCodes.partly : exitCodes.done;
}

/** `12 added, 1 updated, 3 removed, 0 unchanged, 2 rejected`; of a dry run, `would be: …`. */
export function bulkSentence(result: BulkResult): string {
  const { added, updated, removed, unchanged, rejected_total: rejected } = result;
  const counts = Object.entries({ added, updated, removed, unchanged, rejected });
  const sentence = counts.map(([what, number]) => `${count(number)} ${what}`).join(', ');
  return result.dry_run === true ? `nothing was changed; would be: ${sentence}` : sentence;
}

function specialLines({ special = [], special_total: total = 0 }: BulkResult): string[] {
  if (total === 0) return [];
  const texts = special.map(({ ip_address: ip, special: range }) => `${ip} (${range})`);
  return [harmless(`in special ranges: ${firstOf(texts, total)}`)];
}

/** Checked here: the service checks each batch of a dry run alone. An address in two batches counts twice. */
export function limitLines({ added, removed, current_total: total, limit }: BulkResult): string[] {
  if (total === undefined || limit === undefined) return [];
  const size = total + added - removed;
  if (size <= Math.max(limit, total)) return [];
  return [
    `the set would have ${count(size)} entries, more than the maximum of ${count(limit)} (PROXY_MANAGER_MAX_ENTRIES); the import would stop before its end`,
  ];
}

/** Lost a claim, but other sources have claims too. */
function stillClaimedLines({ still_claimed_total: total = 0 }: BulkResult): string[] {
  return total === 0 ? [] : [`still blocked, because other sources claim them: ${count(total)}`];
}

/** Removed, but a network still covers them. */
function stillBlockedLines({ still_blocked: still = [], still_blocked_total: total = 0 }: BulkResult): string[] {
  if (total === 0) return [];
  const texts = still.map(({ ip_address: ip, by }) => `${ip} (by ${by})`);
  return [`still blocked by a network: ${firstOf(texts, total)}`];
}

function firstOf(texts: readonly string[], total: number): string {
  const shown = texts.slice(0, shownAddresses);
  const more = total - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${count(more)} more` : '');
}

/** @param source file name; empty for typed addresses */
export function rejectionLines(source: string, { rejected, rejected_total: total }: BulkResult): string[] {
  const lines = rejected.slice(0, shownRejections).map((rejection) => rejectionLine(source, rejection));
  const more = total - lines.length;
  if (more > 0) lines.push(`and ${counted(more, 'line')} more that ${more === 1 ? 'was' : 'were'} rejected`);
  return lines;
}

/** `list.txt:7: "foo" looks like a host name; …`. */
export function rejectionLine(source: string, { line, value, why, code = 0 }: RejectedLine): string {
  const shown = quote(value);
  const override = overrides[code];
  // Most reasons start with the value.
  const text = `${why.startsWith(shown) ? why : `${shown}: ${why}`}${override === undefined ? '' : `; ${override}`}`;
  return harmless(source === '' ? text : `${source}:${line}: ${text}`);
}
