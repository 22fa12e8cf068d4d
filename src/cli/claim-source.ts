// `--source`: whose claims a request changes or shows.
import type { Claim } from '../api/sources.ts';
import { isSourceName, sourceNameRule } from '../domain/source-name.ts';
import { durationOf } from './expiry-options.ts';
import { usageError } from './failure.ts';
import { fromNow, minute } from './output/times.ts';
import type { Options, Verb } from './verb.ts';

/** `claimed by fail2ban:sshd until 2026-11-22 00:35 UTC (in 4 h), manual permanently`; none where only `manual` does. */
export function claimLines(claims: readonly Claim[] | undefined, now: Date, verb = 'claimed by'): string[] {
  if (claims === undefined || claims.length === 0) return [];
  const each = claims.map(({ source, expires_at: end }) =>
    end === null ? `${source} permanently` : `${source} until ${minute(end)} (${fromNow(end, now)})`,
  );
  return [`${verb} ${each.join(', ')}`];
}

/** `--source`, `--reason` and `--blocked-by` of verbs that select claims. */
export function claimFilterOptions(verb: Verb, what: string): Verb {
  return verb
    .option('--reason <text>', `${what} with exactly this reason`)
    .option('--blocked-by <name>', `${what} that exactly this name blocked`)
    .option('--never-matched <duration>', `${what} that denied no request for so long, such as 90d`);
}

export interface ClaimFilterQuery {
  readonly source?: string;
  readonly reason?: string;
  readonly blocked_by?: string;
  readonly not_hit_for?: string;
}

export function claimFilterOf(options: Options): ClaimFilterQuery {
  const { reason, blockedBy, neverMatched } = options as Readonly<Record<string, string | undefined>>;
  if (neverMatched !== undefined) durationOf(neverMatched, '--never-matched');
  return {
    ...sourceQueryOf(options),
    ...(reason !== undefined && { reason }),
    ...(blockedBy !== undefined && { blocked_by: blockedBy }),
    ...(neverMatched !== undefined && { not_hit_for: neverMatched }),
  };
}

export function sourceQueryOf({ source }: Options): { source?: string } {
  if (source === undefined) return {};
  const name = String(source);
  if (isSourceName(name)) return { source: name };
  throw usageError(`--source: ${JSON.stringify(name)} is not a source; ${sourceNameRule}`);
}
