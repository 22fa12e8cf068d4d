// The options by which `list` and `unblock` select entries.
import { Option } from 'commander';
import type { EntryFilterQuery } from '../api/blocked-entries.ts';
import { parseDuration } from '../domain/duration.ts';
import { parseTime } from '../domain/rfc3339.ts';
import { usageError } from './failure.ts';
import { type Options, type Verb, wholeNumber } from './verb.ts';

/** @param what is completed by what they select */
export function entryFilterOptions(verb: Verb, what: string): Verb {
  verb.addOption(new Option('--family <family>', `${what} of this family`).choices(['ipv4', 'ipv6']));
  verb.option('--wider-than <prefix>', `${what} whose prefix is shorter, such as 24; above 32 only with --family ipv6`);
  verb.option('--blocked-since <when>', `${what} blocked since a time, or within 90s, 30m, 4h, 7d or 2w`);
  return verb;
}

export function entryFilterOf(options: Options): EntryFilterQuery {
  const { family, widerThan, blockedSince: since } = options as Readonly<Record<string, string | undefined>>;
  if (since !== undefined && !parseDuration(since).ok && !parseTime(since).ok) {
    throw usageError(`--blocked-since: give a time such as 2030-01-31T12:00:00Z, or a duration such as 7d`);
  }
  return {
    ...(family !== undefined && { family: family as 'ipv4' | 'ipv6' }),
    ...(widerThan !== undefined && { wider_than: wholeNumber(widerThan, '--wider-than', 2, 128) }),
    ...(since !== undefined && { blocked_since: since }),
  };
}
