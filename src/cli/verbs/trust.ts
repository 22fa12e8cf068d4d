// `trust`: addresses that are never denied, whatever blocks them.

import type { RuntimeReport } from '../../api/changes.ts';
import type { TrustAnswer, TrustedIp, TrustRequest } from '../../api/trusted-ips.ts';
import { readList } from '../../lists/read-list.ts';
import { notAListFailure } from '../bulk/elements.ts';
import { openSource } from '../bulk/source.ts';
import { expiryFields, expiryOf, refuseControls } from '../expiry-options.ts';
import { type ExitCode, exitCodes, Failure, misused } from '../failure.ts';
import { harmless } from '../output/harmless.ts';
import { fromNow, minute } from '../output/times.ts';
import { exitCodeOf, runtimeLines } from '../runtime-text.ts';
import type { Session } from '../session.ts';
import { fromStdin, typedAddresses } from '../typed-addresses.ts';
import { Verb } from '../verb.ts';

export function trustVerbs(): { group: Verb; verbs: Readonly<Record<'add' | 'rm' | 'ls', Verb>> } {
  const group = new Verb('trust', 'addresses that are never denied');
  const verbs = {
    add: new Verb('add', 'trust addresses or networks, at once')
      .argument('<address...>', 'addresses or networks; - reads a list from standard input')
      .option('--note <text>', 'what it is')
      .option('--for <duration>', 'how long: 90s, 30m, 4h, 7d or 2w; a longer trust stays')
      .option('--until <time>', 'until when: 2030-01-31T12:00:00Z, or without a zone by the clock here')
      .option('--permanent', 'until it is removed: the default, except that an entry that expires keeps its end')
      .example('trust add 198.51.100.7 --note "the office"', 'one address')
      .example('trust add 203.0.113.20 --for 8h --note "consultant"', 'for a working day') as Verb,
    rm: new Verb('rm', 'trust them no more, at once')
      .argument('<address...>', 'as they were trusted; - reads a list from standard input')
      .example('trust rm 198.51.100.7', 'what blocks it counts again') as Verb,
    ls: new Verb('ls', 'list what is trusted').example('trust ls', 'as a table; in a pipe with tabs between') as Verb,
  };
  for (const verb of Object.values(verbs)) group.addCommand(verb);
  return { group, verbs };
}

export async function trustAdd(
  session: Session,
  addresses: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<ExitCode> {
  const note = options['note'] === undefined ? undefined : refuseControls(String(options['note']), '--note');
  const end = trustEnd(options, session.now());
  const done = ({ expires_at: at }: TrustAnswer): string =>
    at === null ? 'is trusted' : `is trusted until ${minute(at)} (${fromNow(at, session.now())})`;
  const body = { ...(note === undefined ? {} : { note }), ...end };
  const trust = (path: { readonly ip_address: string }) =>
    session.api.PUT('/api/trusted-ips/{ip_address}', { params: { path }, body });
  return await each(session, addresses, trust, done, 'every worker has it');
}

function trustEnd(options: Readonly<Record<string, unknown>>, now: Date): TrustRequest {
  const expiry = expiryOf(options, now);
  if (options['permanent'] !== true) return expiryFields(expiry);
  if (expiry !== null) throw misused('--permanent excludes --for and --until; give one');
  return { expires_at: null };
}

export async function trustRemove(session: Session, addresses: readonly string[]): Promise<ExitCode> {
  return await each(
    session,
    addresses,
    (path) => session.api.DELETE('/api/trusted-ips/{ip_address}', { params: { path } }),
    () => 'is trusted no more',
    'no worker has it any more',
  );
}

/** One request an address: there is no list of them in the API. What fails ends it, and what was done is told. */
async function each<Answer extends RuntimeReport & { readonly ip_address: string }>(
  session: Session,
  addresses: readonly string[],
  change: (path: { readonly ip_address: string }) => Promise<{ readonly data: Answer }>,
  done: (answer: Answer) => string,
  seen: string,
): Promise<ExitCode> {
  const ips = fromStdin(addresses) ? await listed(session) : typedAddresses(addresses).map(({ text }) => text);
  const answers: Answer[] = [];
  session.interruption.reports(() => `${answers.length} of ${ips.length} were done`);
  try {
    for (const ip of ips) {
      const { data: answer } = await change({ ip_address: ip });
      answers.push(answer);
      if (session.format === 'json') continue;
      const well = answer.runtime_map_updated ? `; ${seen}` : '';
      await session.output.lines(
        [`${answer.ip_address} ${done(answer)}${well}`, ...runtimeLines(answer)].map(harmless),
      );
    }
  } finally {
    // Of several, those that were done are told although a later one failed.
    if (session.format === 'json' && answers.length > 0 && answers.length < ips.length) {
      session.output.remark(
        `${answers.length} of ${ips.length} were done: ${answers.map((a) => a.ip_address).join(', ')}`,
      );
    }
  }
  if (session.format === 'json') await session.output.json(answers.length === 1 ? answers[0] : answers);
  return answers.every((answer) => exitCodeOf(answer) === exitCodes.done) ? exitCodes.done : exitCodes.partly;
}

const mostListed = 10_000;

/** A bad line refuses all of it: who is trusted is not to be half done. */
async function listed(session: Session): Promise<string[]> {
  const source = await openSource('-', session.stdin);
  const ips: string[] = [];
  const problems: string[] = [];
  try {
    for await (const batch of readList(source.read(), null).batches) {
      for (const { line, reading } of batch) {
        if (reading.kind === 'entry') ips.push(reading.entry.ip);
        if (reading.kind === 'bad') problems.push(`line ${line}: ${reading.why}`);
      }
      if (ips.length > mostListed || problems.length > mostListed) break;
    }
  } catch (error) {
    throw notAListFailure(source.name, error);
  }
  if (problems.length > 0) throw new Failure(`${problems.slice(0, 20).join('\n')}\nnothing was changed`);
  if (ips.length > mostListed) throw new Failure(`more than ${mostListed} addresses; nothing was changed`);
  return ips;
}

export async function trustList({ api, output, format, now }: Session): Promise<ExitCode> {
  const { data: answer } = await api.GET('/api/trusted-ips');
  if (format === 'json') await output.json(answer);
  else if (answer.items.length === 0 && output.isTerminal) await output.lines(['nothing is trusted']);
  else {
    await output.rows<TrustedIp>([
      { title: 'ADDRESS', text: ({ ip_address: ip }) => ip },
      { title: 'NOTE', text: ({ note }) => note ?? '', mayShrink: true },
      { title: 'SINCE', text: ({ added_at: at }) => fromNow(at, now()), plain: ({ added_at: at }) => at },
      {
        title: 'ENDS',
        text: ({ expires_at: at }) => (at === null ? 'never' : fromNow(at, now())),
        plain: ({ expires_at: at }) => at ?? '',
      },
    ])(answer.items);
  }
  return exitCodes.done;
}
