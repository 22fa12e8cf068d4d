// `block`: addresses and networks, for good or for a time.

import type { BlockAnswer, BlockRequest } from '../../api/blocked-ips.ts';
import type { IpEntry } from '../../domain/ip.ts';
import { cutBatches } from '../bulk/batches.ts';
import { type ElementDefaults, ownAddressIn } from '../bulk/elements.ts';
import { changeMany } from '../bulk/requests.ts';
import { sendBatches, sendList } from '../bulk/send.ts';
import { openSource } from '../bulk/source.ts';
import { tellBulk } from '../bulk/text.ts';
import { expiryFields, expiryOf, refuseControls } from '../expiry-options.ts';
import type { ExitCode } from '../failure.ts';
import { harmless } from '../output/harmless.ts';
import { fromNow, minute } from '../output/times.ts';
import { exitCodeOf, runtimeLines, trustLines } from '../runtime-text.ts';
import { confirm, type Session } from '../session.ts';
import { fromStdin, typedAddresses } from '../typed-addresses.ts';
import { Verb } from '../verb.ts';

export function blockVerb(): Verb {
  return blockOptions(new Verb('block', 'block addresses or networks'))
    .argument('<address...>', 'addresses or networks; - reads a list from standard input')
    .example('block 192.0.2.1', 'for good')
    .example('block 192.0.2.0/24 --for 4h --reason "ssh brute force"', 'a network, for four hours')
    .example('block 192.0.2.1 2001:db8::/32 --until "2030-01-31 12:00"', "until a time of this machine's clock")
    .example('block - --for 1w', 'what a program finds, an address a line')
    .usage('[options] <address...>');
}

/** What can be said of every address of a block or an import. */
export function blockOptions(verb: Verb): Verb {
  return verb
    .option('--for <duration>', 'how long: 90s, 30m, 4h, 7d or 2w; an existing longer block stays')
    .option('--until <time>', 'until when: 2030-01-31T12:00:00Z, or without a zone by the clock here')
    .option('--reason <text>', 'why; kept as it is where a block is there already and none is given')
    .option('--force', 'block your own address too: that of your SSH session, or from which you reach the service')
    .option('--even-trusted', 'store what is covered by a trusted entry too, which wins over it')
    .option(
      '--allow-wide',
      'networks wider than /8 (IPv6: /16) and whole special ranges too; needs an admin key',
    ) as Verb;
}

/** Of every element of a list. */
export function wideOf({ allowWide }: Pick<ElementDefaults, 'allowWide'>): { allow_wide?: true } {
  return allowWide ? { allow_wide: true } : {};
}

export async function block(
  session: Session,
  addresses: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<ExitCode> {
  const defaults = await elementDefaults(session, options);
  if (fromStdin(addresses)) {
    const source = await openSource('-', session.stdin);
    const result = await sendList(session, source, null, defaults, ({ elements }) =>
      changeMany(session, { add: elements }, wideOf(defaults)),
    );
    return await tellBulk(session, source.name, result);
  }
  const entries = typedAddresses(addresses);
  await refuseOwn(session, entries, defaults);
  const [first] = entries;
  if (entries.length === 1 && first !== undefined) return await blockOne(session, first, defaults);

  const readings = entries.map(({ text }, index) => ({
    line: index + 1,
    reading: { kind: 'entry' as const, entry: { ip: text } },
  }));
  const batches = cutBatches(only(readings), { ...defaults, own: [], forGood: true });
  const result = await sendBatches(session, { name: 'the list' }, batches, ({ elements }) =>
    changeMany(session, { add: elements }, wideOf(defaults)),
  );
  return await tellBulk(session, '', result);
}

async function* only<T>(value: T): AsyncGenerator<T> {
  yield value;
}

export async function elementDefaults(
  session: Pick<Session, 'now' | 'ownAddresses'>,
  options: Readonly<Record<string, unknown>>,
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
  for (const { text } of entries) {
    const taken = ownAddressIn(text, own);
    if (taken === null) continue;
    const holds = taken.entry.text === text ? `${text} is` : `${text} holds ${taken.entry.text},`;
    await confirm(session, `${holds} ${taken.what}`, '--force');
    return;
  }
}

async function blockOne(session: Session, { text }: IpEntry, defaults: ElementDefaults): Promise<ExitCode> {
  const element: BlockRequest = {
    ip_address: text,
    ...(defaults.reason !== undefined && { reason: defaults.reason }),
    ...expiryFields(defaults.expiry),
    ...(defaults.evenTrusted && { force: true }),
    ...(defaults.allowWide && { allow_wide: true }),
  };
  session.interruption.reports(
    () => `it was not answered whether ${text} is blocked; see: proxy-manager check ${text}`,
  );
  const { data: answer } = await session.api.POST('/api/blocked-ips', { body: element });
  if (session.format === 'json') await session.output.json(answer);
  else {
    for (const line of specialLines(answer)) session.output.remark(line);
    await session.output.lines(blockLines(answer, session.now()).map(harmless));
  }
  return exitCodeOf(answer);
}

/** Such an address is no client of the public internet. */
function specialLines({ ip_address: ip, special }: BlockAnswer): string[] {
  return special === undefined ? [] : [`${ip} is in a special range: ${special}`];
}

/** `192.0.2.1 is blocked for 4 h, until 2026-11-22 00:35 UTC; every worker has it`. */
export function blockLines(answer: BlockAnswer, now: Date): string[] {
  const until =
    answer.expires_at === null ? 'for good' : `until ${minute(answer.expires_at)} (${fromNow(answer.expires_at, now)})`;
  const seen = answer.runtime_map_updated ? '; every worker has it' : '';
  return [`${answer.ip_address} is blocked ${until}${seen}`, ...trustLines(answer), ...runtimeLines(answer)];
}
