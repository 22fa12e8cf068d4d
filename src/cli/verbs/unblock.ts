import type { UnblockAnswer } from '../../api/blocked-ips.ts';
import type { Batch } from '../bulk/batches.ts';
import { claimLines, sourceQueryOf } from '../claim-source.ts';
import type { CommandLine } from '../command-line.ts';
import type { ExitCode } from '../failure.ts';
import { exitCodeOf, runtimeLines, shortList, verified } from '../runtime-text.ts';
import { printAnswer, type Session } from '../session.ts';
import { fromStdin, typedAddresses } from '../typed-addresses.ts';
import { type Options, Verb } from '../verb.ts';

export function unblockVerb(cli: CommandLine): Verb {
  const verb = new Verb('unblock', 'unblock addresses or networks')
    .argument('<address...>', 'exactly as blocked; - reads a list from standard input')
    .option('--source <name>', 'drop the claim of this source only; default: the source of the key, or all but lists')
    .example('unblock 192.0.2.1', 'one address')
    .example('unblock 192.0.2.0/24 2001:db8::/32', 'networks, exactly as blocked')
    .example('unblock - < old-list.txt', 'every address of a list')
    .usage('[options] <address...>');
  return cli.calling(verb, unblock);
}

const noDefaults = { reason: undefined, expiry: null, evenTrusted: false, allowWide: false, own: [] };

async function unblock(session: Session, addresses: readonly string[], options: Options): Promise<ExitCode> {
  const of = sourceQueryOf(options);
  const entries = fromStdin(addresses) ? null : typedAddresses(addresses);
  const [first] = entries ?? [];
  if (entries?.length === 1 && first !== undefined) return await unblockOne(session, first.text, of);
  const { changeListed } = await import('../bulk/listed-changes.ts');
  const change = { entries, defaults: noDefaults, query: of, change: ({ ips: remove }: Batch) => ({ remove }) };
  return await changeListed(session, change);
}

async function unblockOne(session: Session, ip: string, query: { source?: string }): Promise<ExitCode> {
  session.interruption.reports(() => `${ip} may or may not be unblocked; see: proxy-manager check ${ip}`);
  const { data: answer } = await session.api.DELETE('/api/blocked-ips/{ip_address}', {
    params: { path: { ip_address: ip }, query },
  });
  await printAnswer(session, answer, () => unblockLines(answer, session.now()));
  return exitCodeOf(answer);
}

export function unblockLines(answer: UnblockAnswer, now: Date): string[] {
  const { ip_address: ip, still_blocked_by: networks, still_claimed_by: claims } = answer;
  if (claims !== undefined) {
    return [
      `${ip} is still blocked${verified(answer)}`,
      ...claimLines(claims, now, 'still claimed by'),
      ...runtimeLines(answer),
    ];
  }
  const removed = [`the entry ${ip} was removed${verified(answer)}`];
  if (networks.length > 0) removed.push(`${ip} is still blocked by ${shortList(networks)}`);
  else if (answer.runtime_map_updated) removed[0] = `${ip} is unblocked${verified(answer)}`;
  return [...removed, ...runtimeLines(answer)];
}
