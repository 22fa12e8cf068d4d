// What an answer says of the running proxy, in words.

import type { RuntimeReport } from '../api/changes.ts';
import { quote } from '../domain/quote.ts';
import { hasNoEffect, unusedTrustedMap } from '../domain/trust-effect.ts';
import { type ExitCode, exitCodes } from './failure.ts';
import { counted } from './output/times.ts';

const shownFailures = 5;

type Report = RuntimeReport & {
  readonly overridden_by?: readonly string[];
  readonly trusted_inside?: readonly string[];
};

/** Nothing where every worker was seen to be right. */
export function runtimeLines(report: Report): string[] {
  if (report.runtime_map_updated) return [];
  if (hasNoEffect(report)) return [unusedTrustedMap];
  const follows = report.reload_scheduled
    ? 'a reload follows by itself'
    : 'it is tried again by itself; see: proxy-manager status';
  const lines = [`the running proxy was not seen to have all of it yet; ${follows}`];
  for (const { worker, ip_address, reason, responses } of report.runtime_map_failures.slice(0, shownFailures)) {
    const who = worker === null ? 'no worker' : `worker ${worker}`;
    const said = responses.length === 0 ? '' : `: ${responses.map((response) => quote(response.trim())).join(', ')}`;
    lines.push(`  ${ip_address}, ${who}: ${reason}${said}`);
  }
  const more = report.runtime_map_failures_total - Math.min(shownFailures, report.runtime_map_failures.length);
  if (more > 0) lines.push(`  and ${counted(more, 'more')}`.replace(/mores$/, 'more'));
  return lines;
}

/** What trust makes of the block. */
export function trustLines({ overridden_by: over = [], trusted_inside: inside = [] }: Report): string[] {
  const lines: string[] = [];
  if (over.length > 0) lines.push(`trusted, so let in all the same, by ${over.join(', ')}`);
  if (inside.length > 0) lines.push(`trusted inside of it, so let in all the same: ${shortList(inside)}`);
  return lines;
}

export function exitCodeOf(report: RuntimeReport): ExitCode {
  return report.runtime_map_updated ? exitCodes.done : exitCodes.partly;
}

export function shortList(texts: readonly string[], shown = 10): string {
  const more = texts.length - shown;
  return texts.slice(0, shown).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
