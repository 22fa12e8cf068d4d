import { Option } from 'commander';
import type { Source } from '../../api/sources.ts';
import { count, counted } from '../../domain/counted.ts';
import { quote } from '../../domain/quote.ts';
import { sourceQueryOf } from '../claim-source.ts';
import type { CommandLine } from '../command-line.ts';
import { durationOf } from '../expiry-options.ts';
import { type ExitCode, exitCodes, usageError } from '../failure.ts';
import { fromNow, minute } from '../output/times.ts';
import { exitCodeOf, runtimeLines, verified } from '../runtime-text.ts';
import { printAnswer, type Session } from '../session.ts';
import { type Options, Verb } from '../verb.ts';

export function sourceVerb(cli: CommandLine): Verb {
  const ls = new Verb('ls', 'list the sources, with how many addresses each claims').example(
    'source ls',
    'ALONE: addresses that no other source claims',
  );
  const set = new Verb('set', 'set the kind or note of a source; a new one is created')
    .argument('<name>', 'name of the source')
    .addOption(
      new Option('--kind <kind>', 'agent: an unblock drops its claims; list: it does not').choices(['agent', 'list']),
    )
    .option('--note <text>', "a note; '' removes it")
    .example('source set drop --kind list --note "Spamhaus DROP"', 'an unblock leaves what it claims blocked');
  const release = new Verb('release', 'drop all claims of a source later; until then its addresses stay blocked')
    .argument('<name>', 'name of the source')
    .option('--after <duration>', 'drop them after: 90s, 10m, 4h, 7d or 2w; required')
    .example('source release fail2ban:sshd --after 10m', 'as fail2ban does when it stops');
  const keep = new Verb('keep', 'take a release back')
    .argument('<name>', 'name of the source')
    .example('source keep fail2ban:sshd', 'its claims stay');
  const rm = new Verb('rm', 'remove a source and drop all its claims')
    .argument('<name>', 'name of the source')
    .example('source rm fail2ban:sshd', 'unblocks what no other source claims');
  return new Verb('source', 'manage who wants addresses blocked')
    .addCommand(cli.calling(ls, sourceList))
    .addCommand(cli.calling(set, sourceSet))
    .addCommand(cli.calling(release, sourceRelease))
    .addCommand(cli.calling(keep, sourceKeep))
    .addCommand(cli.calling(rm, sourceRemove));
}

async function sourceSet(session: Session, [of = '']: readonly string[], options: Options): Promise<ExitCode> {
  const name = sourceNameOf(of);
  const { kind, note } = options as { readonly kind?: 'agent' | 'list'; readonly note?: string };
  if (kind === undefined && note === undefined) throw usageError('give --kind, --note or both');
  const body = { ...(kind !== undefined && { kind }), ...(note !== undefined && { note: note === '' ? null : note }) };
  session.interruption.reports(() => 'the source may or may not be changed; see: proxy-manager source ls');
  const { data: answer } = await session.api.PUT('/api/sources/{name}', { params: { path: { name } }, body });
  await printAnswer(session, answer, () => [
    `${name} is of kind ${answer.kind}${answer.note === null ? '' : `, with the note ${quote(answer.note)}`}`,
  ]);
  return exitCodes.done;
}

async function sourceRelease(session: Session, [of = '']: readonly string[], options: Options): Promise<ExitCode> {
  const name = sourceNameOf(of);
  if (options['after'] === undefined) throw usageError('--after is missing: give a duration such as 10m');
  const body = { after_seconds: durationOf(String(options['after']), '--after') };
  session.interruption.reports(() => 'the release may or may not be stored; see: proxy-manager source ls');
  const { data: answer } = await session.api.POST('/api/sources/{name}/release', { params: { path: { name } }, body });
  const { claims, release_at: at } = answer;
  await printAnswer(session, answer, () => [
    `${counted(claims, 'claim')} of ${name} will be dropped at ${minute(at)} (${fromNow(at, session.now())})`,
  ]);
  return exitCodes.done;
}

async function sourceKeep(session: Session, [of = '']: readonly string[]): Promise<ExitCode> {
  const name = sourceNameOf(of);
  const { data: answer } = await session.api.POST('/api/sources/{name}/keep', { params: { path: { name } } });
  const { kept, claims } = answer;
  await printAnswer(session, answer, () => [
    kept
      ? `${name} keeps ${counted(claims, 'claim')}`
      : `nothing to keep: the claims of ${name} were dropped, or it had none`,
  ]);
  return exitCodes.done;
}

async function sourceRemove(session: Session, [of = '']: readonly string[]): Promise<ExitCode> {
  const name = sourceNameOf(of);
  session.interruption.reports(() => 'the service continues the change; see: proxy-manager source ls');
  const { data: answer } = await session.api.DELETE('/api/sources/{name}', { params: { path: { name } } });
  const { claims_dropped: dropped, removed } = answer;
  const what = `${name} is removed: ${counted(dropped, 'claim')} dropped, ${counted(removed, 'address', 'addresses')} unblocked`;
  await printAnswer(session, answer, () => [`${what}${verified(answer)}`, ...runtimeLines(answer)]);
  return exitCodeOf(answer);
}

function sourceNameOf(text: string): string {
  const { source } = sourceQueryOf({ source: text });
  if (source === undefined) throw usageError('the name of the source is missing');
  return source;
}

async function sourceList({ api, output, format, now }: Session): Promise<ExitCode> {
  const { data: answer } = await api.GET('/api/sources');
  if (format === 'json') await output.json(answer);
  else {
    await output.rows<Source>([
      { title: 'NAME', text: ({ name }) => name },
      { title: 'KIND', text: ({ kind }) => kind },
      { title: 'CLAIMS', text: ({ claims }) => count(claims), plain: ({ claims }) => String(claims) },
      { title: 'ALONE', text: ({ alone }) => count(alone), plain: ({ alone }) => String(alone) },
      {
        title: 'LAST CLAIM',
        text: ({ last_claimed_at: at }) => (at === null ? '' : fromNow(at, now())),
        plain: ({ last_claimed_at: at }) => at ?? '',
      },
      {
        title: 'RELEASE',
        text: ({ release_at: at }) => (at === null ? '' : fromNow(at, now())),
        plain: ({ release_at: at }) => at ?? '',
      },
      { title: 'NOTE', text: ({ note }) => note ?? '', mayShrink: true },
    ])(answer.items);
  }
  return exitCodes.done;
}
