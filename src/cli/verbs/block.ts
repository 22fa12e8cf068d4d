import type { BlockRequest } from '../../api/blocked-entries.ts';
import type { BlockAnswer } from '../../api/blocked-ips.ts';
import type { IpEntry } from '../../domain/ip.ts';
import type { ElementDefaults } from '../bulk/elements.ts';
import { claimLines, sourceQueryOf } from '../claim-source.ts';
import type { CommandLine } from '../command-line.ts';
import { coveredOwnAddress } from '../connection/own-addresses.ts';
import { expiryFields, expiryOf, refuseControls } from '../expiry-options.ts';
import type { ExitCode } from '../failure.ts';
import { fromNow, minute } from '../output/times.ts';
import { exitCodeOf, runtimeLines, trustLines, verified } from '../runtime-text.ts';
import { confirm, printAnswer, type Session } from '../session.ts';
import { fromStdin, typedAddresses } from '../typed-addresses.ts';
import { type Options, Verb } from '../verb.ts';

export function blockVerb(cli: CommandLine): Verb {
  const verb = blockOptions(new Verb('block', 'block addresses or networks'))
    .argument('<address...>', 'addresses or networks; - reads a list from standard input')
    .example('block 192.0.2.1', 'permanently')
    .example('block 192.0.2.0/24 --for 4h --reason "ssh brute force"', 'a network, for four hours')
    .example('block 192.0.2.1 2001:db8::/32 --until "2030-01-31 12:00"', 'until a time in the local time zone')
    .example('block - --for 1w', 'the output of a program, one address per line')
    .usage('[options] <address...>');
  return cli.calling(verb, block);
}

/** Shared by `block` and `import`. */
export function blockOptions(verb: Verb): Verb {
  return verb
    .option('--for <duration>', 'expire after: 90s, 30m, 4h, 7d or 2w; does not shorten an existing block')
    .option('--until <time>', 'expire at: 2030-01-31T12:00:00Z; without a zone in local time')
    .option('--source <name>', 'whose claim it is; default: the source of the key, or manual')
    .option('--reason <text>', 'reason of the block; without it, an existing block keeps its own')
    .option(
      '--force',
      'also block your own address: that of your SSH session, or the one from which you reach the service',
    )
    .option('--even-trusted', 'also store entries covered by a trusted entry; they take effect when the trust ends')
    .option(
      '--allow-wide',
      'also block networks wider than /8 (IPv6: /16) or containing a complete special range such as 127.0.0.0/8; requires an admin key',
    );
}

export function wideOf({ allowWide }: Pick<ElementDefaults, 'allowWide'>): { allow_wide?: true } {
  return allowWide ? { allow_wide: true } : {};
}

async function block(session: Session, addresses: readonly string[], options: Options): Promise<ExitCode> {
  const defaults = await elementDefaults(session, options);
  const of = sourceQueryOf(options);
  const inBatches = async (entries: readonly IpEntry[] | null, from: ElementDefaults) => {
    const { changeListed } = await import('../bulk/listed-changes.ts');
    const query = { ...of, ...wideOf(defaults) };
    return await changeListed(session, { entries, defaults: from, query, change: ({ elements: add }) => ({ add }) });
  };
  if (fromStdin(addresses)) return await inBatches(null, defaults);
  const entries = typedAddresses(addresses);
  await refuseOwn(session, entries, defaults);
  const [first] = entries;
  if (entries.length === 1 && first !== undefined) return await blockOne(session, first, defaults, of);
  return await inBatches(entries, { ...defaults, own: [], permanent: true });
}

export async function elementDefaults(
  session: Pick<Session, 'now' | 'ownAddresses'>,
  options: Options,
): Promise<ElementDefaults> {
  const { reason, force, evenTrusted, allowWide } = options as {
    reason?: string;
    force?: boolean;
    evenTrusted?: boolean;
    allowWide?: boolean;
  };
  return {
    reason: reason === undefined ? undefined : refuseControls(reason, '--reason'),
    expiry: expiryOf(options, session.now()),
    evenTrusted: evenTrusted === true,
    allowWide: allowWide === true,
    own: force === true ? [] : await session.ownAddresses(),
  };
}

async function refuseOwn(session: Session, entries: readonly IpEntry[], { own }: ElementDefaults): Promise<void> {
  for (const entry of entries) {
    const covered = coveredOwnAddress(entry, own);
    if (covered === null) continue;
    const { text } = entry;
    const relation = covered.entry.text === text ? `${text} is` : `${text} covers ${covered.entry.text},`;
    await confirm(session, `${relation} ${covered.what}`, '--force');
    return;
  }
}

async function blockOne(
  session: Session,
  { text }: IpEntry,
  defaults: ElementDefaults,
  query: { source?: string },
): Promise<ExitCode> {
  const element: BlockRequest = {
    ip_address: text,
    ...(defaults.reason !== undefined && { reason: defaults.reason }),
    ...expiryFields(defaults.expiry),
    ...(defaults.evenTrusted && { force: true }),
    ...(defaults.allowWide && { allow_wide: true }),
  };
  session.interruption.reports(() => `${text} may or may not be blocked; see: proxy-manager check ${text}`);
  const { data: answer } = await session.api.POST('/api/blocked-ips', { params: { query }, body: element });
  // Such an address is not a client on the public internet.
  if (session.format === 'text' && answer.special !== undefined) {
    session.output.remark(`${answer.ip_address} is in a special range: ${answer.special}`);
  }
  await printAnswer(session, answer, () => blockLines(answer, session.now()));
  return exitCodeOf(answer);
}

/** `192.0.2.1 is blocked until 2026-11-22 00:35 UTC (in 4 h); verified in every worker`. */
export function blockLines(answer: BlockAnswer, now: Date): string[] {
  const until =
    answer.expires_at === null
      ? 'permanently'
      : `until ${minute(answer.expires_at)} (${fromNow(answer.expires_at, now)})`;
  return [
    `${answer.ip_address} is blocked ${until}${verified(answer)}`,
    ...claimLines(answer.claims, now),
    ...trustLines(answer),
    ...runtimeLines(answer),
  ];
}
