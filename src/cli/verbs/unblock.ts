import type { UnblockAnswer } from '../../api/blocked-ips.ts';
import { typedBatches } from '../bulk/batches.ts';
import { changeMany } from '../bulk/requests.ts';
import { sendBatches, sendList } from '../bulk/send.ts';
import { openSource } from '../bulk/source.ts';
import { printBulkResult } from '../bulk/text.ts';
import { claimLines, sourceQueryOf } from '../claim-source.ts';
import type { CommandLine } from '../command-line.ts';
import { durationOf } from '../expiry-options.ts';
import { type ExitCode, usageError } from '../failure.ts';
import { fromNow, minute } from '../output/times.ts';
import { exitCodeOf, runtimeLines, shortList, verified } from '../runtime-text.ts';
import { printAnswer, type Session } from '../session.ts';
import { fromStdin, typedAddresses } from '../typed-addresses.ts';
import { type Options, Verb } from '../verb.ts';

export function unblockVerb(cli: CommandLine): Verb {
  const verb = new Verb('unblock', 'unblock addresses or networks')
    .argument('<address...>', 'exactly as blocked; - reads a list from standard input')
    .option('--source <name>', 'drop the claim of this source only; default: the source of the key, or all but lists')
    .option(
      '--trust-for <duration>',
      'also trust the address for 90s, 30m, 4h, 7d or 2w, so that lists do not block it; requires an admin key',
    )
    .example('unblock 192.0.2.1', 'one address')
    .example('unblock 192.0.2.1 --trust-for 7d', 'also if a list claims it')
    .example('unblock 192.0.2.0/24 2001:db8::/32', 'networks, exactly as blocked')
    .example('unblock - < old-list.txt', 'every address of a list')
    .usage('[options] <address...>');
  return cli.calling(verb, unblock);
}

const noDefaults = { reason: undefined, expiry: null, evenTrusted: false, allowWide: false, own: [] };

async function unblock(session: Session, addresses: readonly string[], options: Options): Promise<ExitCode> {
  const of = sourceQueryOf(options);
  const trustFor = trustTimeOf(options);
  if (trustFor.trust_for !== undefined && (addresses.length !== 1 || fromStdin(addresses))) {
    throw usageError('--trust-for applies to one address; give one');
  }
  if (fromStdin(addresses)) {
    const source = await openSource('-', session.stdin);
    const result = await sendList(session, source, null, noDefaults, ({ ips }) =>
      changeMany(session, { remove: ips }, of),
    );
    return await printBulkResult(session, source.name, result);
  }
  const entries = typedAddresses(addresses);
  const [first] = entries;
  if (entries.length === 1 && first !== undefined) return await unblockOne(session, first.text, { ...of, ...trustFor });

  const batches = typedBatches(entries, noDefaults);
  const result = await sendBatches(session, { name: 'the list' }, batches, ({ ips }) =>
    changeMany(session, { remove: ips }, of),
  );
  return await printBulkResult(session, '', result);
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
