// The result of a bulk change in words: counts to standard output, what was rejected to standard error.
import { quote } from '../../domain/quote.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import { harmless } from '../output/harmless.ts';
import { count, counted } from '../output/times.ts';
import { runtimeLines, trustLines } from '../runtime-text.ts';
import type { Session } from '../session.ts';
import type { BulkResult, RejectedLine } from './tally.ts';

const shownRejections = 100;

export async function tellBulk(
  { output, format }: Pick<Session, 'output' | 'format'>,
  source: string,
  result: BulkResult,
): Promise<ExitCode> {
  if (format === 'json') await output.json(result);
  else {
    for (const line of rejectionLines(source, result)) output.remark(line);
    await output.lines([bulkSentence(result), ...[...trustLines(result), ...runtimeLines(result)].map(harmless)]);
  }
  return result.rejected_total > 0 || !result.runtime_map_updated ? exitCodes.partly : exitCodes.done;
}

/** `12 added, 3 removed, 0 unchanged, 2 rejected`. */
export function bulkSentence({ added, removed, unchanged, rejected_total: rejected }: BulkResult): string {
  return `${count(added)} added, ${count(removed)} removed, ${count(unchanged)} unchanged, ${count(rejected)} rejected`;
}

/** @param source the file's name; empty: the addresses were typed */
export function rejectionLines(source: string, { rejected, rejected_total: total }: BulkResult): string[] {
  const lines = rejected.slice(0, shownRejections).map((rejection) => rejectionLine(source, rejection));
  const more = total - lines.length;
  if (more > 0) lines.push(`and ${counted(more, 'line')} more that ${more === 1 ? 'was' : 'were'} rejected`);
  return lines;
}

/** `list.txt:7: "foo" looks like a host name; …`. */
export function rejectionLine(source: string, { line, value, why }: RejectedLine): string {
  const shown = quote(value);
  // Most reasons begin with the value.
  const told = why.startsWith(shown) ? why : `${shown}: ${why}`;
  return harmless(source === '' ? told : `${source}:${line}: ${told}`);
}
