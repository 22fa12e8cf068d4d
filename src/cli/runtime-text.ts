import type { RuntimeReport } from '../api/changes.ts';
import { count, counted } from '../domain/counted.ts';
import { quote } from '../domain/quote.ts';
import { hasNoEffect, unusedTrustedMap } from '../domain/trust-effect.ts';
import { unusedUpstreamMap } from '../domain/upstream.ts';
import { type CdnEntries, type PresetName, upstreamPresets } from '../domain/upstream-presets.ts';
import { type ExitCode, exitCodes } from './failure.ts';

const shownFailures = 5;

type Report = RuntimeReport & {
  readonly overridden_by?: readonly string[];
  readonly trusted_inside?: readonly string[];
  readonly trust_ended?: readonly string[];
  readonly upstreams_inside?: readonly string[];
  readonly known_cdn?: PresetName;
  readonly known_cdns?: readonly CdnEntries[];
};

/** Completes a sentence; empty unless every worker was read back. */
export function verified(report: RuntimeReport): string {
  return report.runtime_map_updated ? '; verified in every worker' : '';
}

/** Empty if the change was verified in every worker. */
export function runtimeLines(report: Report): string[] {
  if (report.runtime_map_updated) return [];
  if (hasNoEffect(report)) return [unusedTrustedMap];
  if (report.runtime_map_failures.some(({ reason }) => reason === unusedUpstreamMap)) return [unusedUpstreamMap];
  const follows = report.reload_scheduled ? 'a reload is scheduled' : 'the service retries; see: proxy-manager status';
  const lines = [`not verified in the running HAProxy yet; ${follows}`];
  for (const { worker, ip_address, reason, responses } of report.runtime_map_failures.slice(0, shownFailures)) {
    const who = worker === null ? 'no worker' : `worker ${worker}`;
    const replies = responses.length === 0 ? '' : `: ${responses.map((response) => quote(response.trim())).join(', ')}`;
    lines.push(`  ${ip_address}, ${who}: ${reason}${replies}`);
  }
  const more = report.runtime_map_failures_total - Math.min(shownFailures, report.runtime_map_failures.length);
  if (more > 0) lines.push(`  and ${count(more)} more`);
  return lines;
}

export function trustLines(report: Report): string[] {
  const { overridden_by: over = [], trusted_inside: inside = [], trust_ended: ended = [] } = report;
  const { upstreams_inside: upstreams = [], known_cdn: cdn, known_cdns: cdns = [] } = report;
  const lines: string[] = [];
  if (ended.length > 0) lines.push(`this ended the temporary trust of ${shortList(ended)}`);
  if (over.length > 0) lines.push(`no effect while trusted by ${over.join(', ')}`);
  if (inside.length > 0) lines.push(`trusted addresses inside stay allowed: ${shortList(inside)}`);
  if (cdn !== undefined)
    lines.push(`it belongs to the CDN ${cdn}: if your sites are behind it, unblock it and ${addCdn(cdn)}`);
  for (const { cdn: name, entries, example } of cdns)
    lines.push(
      `${counted(entries, 'entry belongs', 'entries belong')} to the CDN ${name}, such as ${example}: if your sites are behind it, unblock them and ${addCdn(name)}`,
    );
  if (upstreams.length > 0) lines.push(`networks of upstreams inside are still served: ${shortList(upstreams)}`);
  return lines;
}

/** A command that works as it is. */
function addCdn(cdn: PresetName): string {
  const command = `run proxy-manager upstream add ${cdn}`;
  if (upstreamPresets[cdn].header !== null) return command;
  return `${command} --header fastly-client-ip, once your VCL sets that header (docs/upstreams.md)`;
}

export function exitCodeOf(report: RuntimeReport): ExitCode {
  return report.runtime_map_updated ? exitCodes.done : exitCodes.partly;
}

export function shortList(texts: readonly string[], shown = 10): string {
  const more = texts.length - shown;
  return texts.slice(0, shown).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
