import type { EntryFilterQuery } from '../../api/blocked-entries.ts';
import type { UnblockAnswer } from '../../api/blocked-ips.ts';
import { count, counted } from '../../domain/counted.ts';
import type { Batch } from '../bulk/batches.ts';
import type { BulkResult } from '../bulk/tally.ts';
import {
  type ClaimFilterQuery,
  claimFilterOf,
  claimFilterOptions,
  claimLines,
  sourceQueryOf,
} from '../claim-source.ts';
import type { CommandLine } from '../command-line.ts';
import { entryFilterOf, entryFilterOptions } from '../entry-filter.ts';
import { durationOf } from '../expiry-options.ts';
import { type ExitCode, usageError } from '../failure.ts';
import { fromNow, minute } from '../output/times.ts';
import { exitCodeOf, runtimeLines, shortList, verified } from '../runtime-text.ts';
import { confirm, printAnswer, type Session } from '../session.ts';
import { fromStdin, typedAddresses } from '../typed-addresses.ts';
import { type Options, Verb, wholeNumber } from '../verb.ts';

export function unblockVerb(cli: CommandLine): Verb {
  const filtered = claimFilterOptions(
    new Verb('unblock', 'unblock addresses or networks, or everything that a filter selects')
      .argument('[address...]', 'exactly as blocked; - reads a list from standard input')
      .option('--expect <count>', 'without addresses: unblock only if there are exactly so many'),
    'without addresses: everything',
  );
  const verb = entryFilterOptions(filtered, 'without addresses: everything')
    .option('--source <name>', 'drop the claim of this source only; default: the source of the key, or all but lists')
    .option(
      '--trust-for <duration>',
      'also trust the address for 90s, 30m, 4h, 7d or 2w, so that lists do not block it; requires an admin key',
    )
    .example('unblock 192.0.2.1', 'one address')
    .example('unblock 192.0.2.1 --trust-for 7d', 'also if a list claims it')
    .example('unblock 192.0.2.0/24 2001:db8::/32', 'networks, exactly as blocked')
    .example('unblock - < old-list.txt', 'every address of a list')
    .example('unblock --source fail2ban:sshd', 'all bans of a jail, after a question with their number')
    .example('unblock --source ops --never-matched 90d', 'what denied nothing, after a question with the number')
    .example('unblock --source ops --blocked-since 2h', 'what this source blocked in the last two hours')
    .example('unblock --reason "port scan" --expect 12', 'exactly these twelve, without a question')
    .usage('[options] <address...>');
  return cli.calling(verb, unblock);
}

const noDefaults = { reason: undefined, expiry: null, evenTrusted: false, allowWide: false, own: [] };

async function unblock(session: Session, addresses: readonly string[], options: Options): Promise<ExitCode> {
  const selected = { ...claimFilterOf(options), ...entryFilterOf(options) };
  const { source: _source, ...others } = selected;
  if (addresses.length === 0) return await unblockSelected(session, selected, options);
  if (Object.keys(others).length > 0 || options['expect'] !== undefined) {
    throw usageError('filters and --expect select what to unblock; give them without addresses');
  }
  const of = sourceQueryOf(options);
  const trustFor = trustTimeOf(options);
  if (trustFor.trust_for !== undefined && (addresses.length !== 1 || fromStdin(addresses))) {
    throw usageError('--trust-for applies to one address; give one');
  }
  const entries = fromStdin(addresses) ? null : typedAddresses(addresses);
  const [first] = entries ?? [];
  if (entries?.length === 1 && first !== undefined)
    return await unblockOne(session, first.text, { ...of, ...trustFor });
  const { changeListed } = await import('../bulk/listed-changes.ts');
  const change = { entries, defaults: noDefaults, query: of, change: ({ ips: remove }: Batch) => ({ remove }) };
  return await changeListed(session, change);
}

/** Without `--expect` a dry run counts them first. */
async function unblockSelected(
  session: Session,
  selected: ClaimFilterQuery & EntryFilterQuery,
  options: Options,
): Promise<ExitCode> {
  if (Object.keys(selected).length === 0) {
    const filters = '--source, --reason, --blocked-by, --family, --wider-than, --blocked-since, --never-matched';
    throw usageError(`give addresses, or what to unblock: ${filters}`);
  }
  const { patientApi } = session;
  // Not after the change: `npm run build` may replace the program meanwhile.
  const { printBulkResult } = await import('../bulk/text.ts');
  let expect: number;
  if (options['expect'] === undefined) {
    const { data } = await patientApi.DELETE('/api/blocked-ips', { params: { query: { ...selected, dry_run: true } } });
    const { removed, still_claimed_total: stays = 0 } = data;
    expect = removed + stays;
    if (expect > 0) await confirm(session, selectedText(removed, stays), `--expect ${expect}`);
  } else expect = wholeNumber(String(options['expect']), '--expect', 0, Number.MAX_SAFE_INTEGER);
  session.interruption.reports(() => 'the entries may or may not be unblocked; see: proxy-manager status');
  const { data: answer } = await patientApi.DELETE('/api/blocked-ips', { params: { query: { ...selected, expect } } });
  return await printBulkResult(session, '', answer as BulkResult);
}

function selectedText(removed: number, stays: number): string {
  const entries = counted(removed, 'entry would be unblocked', 'entries would be unblocked');
  return stays === 0 ? entries : `${entries}, and ${count(stays)} stay blocked by other sources`;
}

function trustTimeOf({ trustFor }: Options): { trust_for?: string } {
  if (trustFor === undefined) return {};
  durationOf(String(trustFor), '--trust-for');
  return { trust_for: String(trustFor) };
}

async function unblockOne(
  session: Session,
  ip: string,
  query: { source?: string; trust_for?: string },
): Promise<ExitCode> {
  session.interruption.reports(() => `${ip} may or may not be unblocked; see: proxy-manager check ${ip}`);
  const { data: answer } = await session.api.DELETE('/api/blocked-ips/{ip_address}', {
    params: { path: { ip_address: ip }, query },
  });
  await printAnswer(session, answer, () => unblockLines(answer, session.now()));
  return exitCodeOf(answer);
}

export function unblockLines(answer: UnblockAnswer, now: Date): string[] {
  const { ip_address: ip, still_blocked_by: networks, still_claimed_by: claims, trusted } = answer;
  if (trusted !== undefined) {
    const { expires_at: end } = trusted;
    const until = end === null ? 'permanently' : `until ${minute(end)} (${fromNow(end, now)})`;
    return [
      `${ip} is trusted ${until}, which overrides any block${verified(answer)}`,
      ...claimLines(claims, now, 'still claimed by'),
      ...runtimeLines(answer),
    ];
  }
  if (claims !== undefined) {
    return [
      `${ip} is still blocked${verified(answer)}`,
      ...claimLines(claims, now, 'still claimed by'),
      ...(claims.some(({ kind }) => kind === 'list')
        ? [`to allow it for a week: proxy-manager unblock ${ip} --trust-for 7d`]
        : []),
      ...runtimeLines(answer),
    ];
  }
  const removed = [`the entry ${ip} was removed${verified(answer)}`];
  if (networks.length > 0) removed.push(`${ip} is still blocked by ${shortList(networks)}`);
  else if (answer.runtime_map_updated) removed[0] = `${ip} is unblocked${verified(answer)}`;
  return [...removed, ...runtimeLines(answer)];
}
