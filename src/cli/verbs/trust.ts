import type { RuntimeReport } from '../../api/changes.ts';
import type { TrustAnswer, TrustedIp, TrustRequest } from '../../api/trusted-ips.ts';
import { readList } from '../../lists/read-list.ts';
import { withSourceName } from '../bulk/elements.ts';
import { openSource } from '../bulk/source.ts';
import type { CommandLine } from '../command-line.ts';
import { expiryFields, expiryOf, refuseControls } from '../expiry-options.ts';
import { type ExitCode, exitCodes, Failure, usageError } from '../failure.ts';
import { harmless } from '../output/harmless.ts';
import { fromNow, minute } from '../output/times.ts';
import { exitCodeOf, runtimeLines, verified } from '../runtime-text.ts';
import type { Session } from '../session.ts';
import { fromStdin, typedAddresses } from '../typed-addresses.ts';
import { type Options, Verb } from '../verb.ts';

export function trustVerb(cli: CommandLine): Verb {
  const add = new Verb('add', 'trust addresses or networks')
    .argument('<address...>', 'addresses or networks; - reads a list from standard input')
    .option('--note <text>', 'a note about the entry')
    .option('--for <duration>', 'expire after: 90s, 30m, 4h, 7d or 2w; does not shorten an existing entry')
    .option('--until <time>', 'expire at: 2030-01-31T12:00:00Z; without a zone in local time')
    .option('--permanent', 'remove the expiry of an existing entry; a new entry is permanent by default')
    .example('trust add 198.51.100.7 --note "the office"', 'one address')
    .example('trust add 203.0.113.20 --for 8h --note "consultant"', 'for a working day');
  const rm = new Verb('rm', 'remove trusted entries')
    .argument('<address...>', 'exactly as trusted; - reads a list from standard input')
    .example('trust rm 198.51.100.7', 'blocks of this address take effect again');
  const ls = new Verb('ls', 'list trusted addresses and networks').example(
    'trust ls',
    'as a table; in a pipe, fields are separated by tabs',
  );
  return new Verb('trust', 'manage addresses that are never denied')
    .addCommand(cli.calling(add, trustAdd))
    .addCommand(cli.calling(rm, trustRemove))
    .addCommand(cli.calling(ls, trustList));
}

async function trustAdd(session: Session, addresses: readonly string[], options: Options): Promise<ExitCode> {
  const note = options['note'] === undefined ? undefined : refuseControls(String(options['note']), '--note');
  const end = trustEnd(options, session.now());
  const done = ({ expires_at: at }: TrustAnswer): string =>
    at === null ? 'is trusted' : `is trusted until ${minute(at)} (${fromNow(at, session.now())})`;
  const body = { ...(note === undefined ? {} : { note }), ...end };
  const trust = (path: { readonly ip_address: string }) =>
    session.api.PUT('/api/trusted-ips/{ip_address}', { params: { path }, body });
  return await changeEach(session, addresses, trust, done);
}

function trustEnd(options: Options, now: Date): TrustRequest {
  const expiry = expiryOf(options, now);
  if (options['permanent'] !== true) return expiryFields(expiry);
  if (expiry !== null) throw usageError('--permanent cannot be combined with --for or --until; give one');
  return { expires_at: null };
}

async function trustRemove(session: Session, addresses: readonly string[]): Promise<ExitCode> {
  return await changeEach(
    session,
    addresses,
    (path) => session.api.DELETE('/api/trusted-ips/{ip_address}', { params: { path } }),
    () => 'is no longer trusted',
  );
}

/** The API has no bulk request for trust. Stops at the first failure and reports what was done. */
async function changeEach<Answer extends RuntimeReport & { readonly ip_address: string }>(
  session: Session,
  addresses: readonly string[],
  change: (path: { readonly ip_address: string }) => Promise<{ readonly data: Answer }>,
  done: (answer: Answer) => string,
): Promise<ExitCode> {
  const ips = fromStdin(addresses) ? await readTypedList(session) : typedAddresses(addresses).map(({ text }) => text);
  const answers: Answer[] = [];
  session.interruption.reports(() => `${answers.length} of ${ips.length} addresses were changed`);
  try {
    for (const ip of ips) {
      const { data: answer } = await change({ ip_address: ip });
      answers.push(answer);
      if (session.format === 'json') continue;
      await session.output.lines(
        [`${answer.ip_address} ${done(answer)}${verified(answer)}`, ...runtimeLines(answer)].map(harmless),
      );
    }
  } finally {
    // Report those that were changed before one failed.
    if (session.format === 'json' && answers.length > 0 && answers.length < ips.length) {
      session.output.remark(
        `${answers.length} of ${ips.length} addresses were changed: ${answers.map((a) => a.ip_address).join(', ')}`,
      );
    }
  }
  if (session.format === 'json') await session.output.json(answers.length === 1 ? answers[0] : answers);
  return answers.every((answer) => exitCodeOf(answer) === exitCodes.done) ? exitCodes.done : exitCodes.partly;
}

const maxListed = 10_000;

/** A bad line rejects the list: trust is never changed in part. */
async function readTypedList(session: Session): Promise<string[]> {
  const source = await openSource('-', session.stdin);
  const ips: string[] = [];
  const problems: string[] = [];
  try {
    for await (const batch of readList(source.read(), null).batches) {
      for (const { line, reading } of batch) {
        if (reading.kind === 'entry') ips.push(reading.entry.ip);
        if (reading.kind === 'bad') problems.push(`line ${line}: ${reading.why}`);
      }
      if (ips.length > maxListed || problems.length > maxListed) break;
    }
  } catch (error) {
    throw withSourceName(source.name, error);
  }
  if (problems.length > 0) throw new Failure(`${problems.slice(0, 20).join('\n')}\nnothing was changed`);
  if (ips.length > maxListed) throw new Failure(`more than ${maxListed} addresses; nothing was changed`);
  return ips;
}

async function trustList({ api, output, format, now }: Session): Promise<ExitCode> {
  const { data: answer } = await api.GET('/api/trusted-ips');
  if (format === 'json') await output.json(answer);
  else if (answer.items.length === 0 && output.isTerminal) await output.lines(['no trusted addresses']);
  else {
    await output.rows<TrustedIp>([
      { title: 'ADDRESS', text: ({ ip_address: ip }) => ip },
      { title: 'NOTE', text: ({ note }) => note ?? '', mayShrink: true },
      { title: 'SINCE', text: ({ added_at: at }) => fromNow(at, now()), plain: ({ added_at: at }) => at },
      {
        title: 'EXPIRES',
        text: ({ expires_at: at }) => (at === null ? 'never' : fromNow(at, now())),
        plain: ({ expires_at: at }) => at ?? '',
      },
    ])(answer.items);
  }
  return exitCodes.done;
}
