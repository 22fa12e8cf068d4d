import { Option } from 'commander';
import type { Key } from '../../api/keys.ts';
import { counted } from '../../domain/counted.ts';
import { type Scope, scopes } from '../../domain/scope.ts';
import { sourceQueryOf } from '../claim-source.ts';
import type { CommandLine } from '../command-line.ts';
import { durationOf, futureTimeOf } from '../expiry-options.ts';
import { type ExitCode, exitCodes, usageError } from '../failure.ts';
import { harmless } from '../output/harmless.ts';
import { fromNow, minute } from '../output/times.ts';
import { printAnswer, type Session } from '../session.ts';
import { type Options, Verb } from '../verb.ts';

export function keyVerb(cli: CommandLine): Verb {
  const create = new Verb('create', 'create a key and print it on standard output; it is shown only once')
    .argument('<name>', 'name of the key, such as the client that uses it')
    .addOption(new Option('--scope <scope...>', 'each scope includes those before it; default admin').choices(scopes))
    .option('--source <name>', 'bind it to a source: it changes the claims of this source only')
    .option('--for <duration>', 'expire after: 4h, 7d or 2w; default never')
    .option('--until <time>', 'expire at: 2030-01-31T12:00:00Z; without a zone in local time')
    .example('key create fail2ban --scope block --source fail2ban', 'for fail2ban')
    .example('key create me --for 7d > ~/.config/proxy-manager/api-key', 'for yourself; run umask 077 first');
  const ls = new Verb('ls', 'list the keys, without their secrets').example(
    'key ls',
    'with scopes, state, expiry and last use',
  );
  const bind = new Verb('bind', 'bind a key to a source, with the claims that it made')
    .argument('<name>', 'name of the key')
    .argument('<source>', 'name of the source; manual: it acts like an operator')
    .example('key bind fail2ban fail2ban', 'so that fail2ban lifts only its own bans');
  const revoke = new Verb('revoke', 'revoke a key')
    .argument('<name>')
    .example('key revoke fail2ban', 'requests that start afterwards are rejected');
  return new Verb('key', 'manage API keys')
    .addCommand(cli.calling(create, keyCreate))
    .addCommand(cli.calling(ls, keyList))
    .addCommand(cli.calling(bind, keyBind))
    .addCommand(cli.calling(revoke, keyRevoke));
}

async function keyCreate(session: Session, [name = '']: readonly string[], options: Options): Promise<ExitCode> {
  const { scope } = options as { readonly scope?: readonly Scope[] };
  const end = endOf(options, session.now());
  session.interruption.reports(() => 'the key may have been created, but was not shown; see: proxy-manager key ls');
  const { data: answer } = await session.api.POST('/api/keys', {
    body: {
      name,
      ...sourceQueryOf(options),
      ...(scope !== undefined && { scopes: scope }),
      ...(end !== null && { expires_at: end }),
    },
  });
  if (session.format === 'json') await session.output.json(answer);
  else {
    const expiry = answer.expires_at === null ? 'does not expire' : `expires ${minute(answer.expires_at)}`;
    session.output.remark(
      harmless(
        `created key ${answer.name} with scope ${answer.scopes.join(', ')}; it ${expiry}. The key, shown only once:`,
      ),
    );
    await session.output.lines([harmless(answer.key)]);
  }
  return exitCodes.done;
}

function endOf({ for: span, until }: { readonly for?: unknown; readonly until?: unknown }, now: Date): string | null {
  if (span !== undefined && until !== undefined) throw usageError('--for and --until cannot be combined; give one');
  if (until !== undefined) return futureTimeOf(String(until), '--until', now);
  if (span === undefined) return null;
  return new Date(now.getTime() + durationOf(String(span), '--for') * 1000).toISOString();
}

async function keyList({ api, output, format, now }: Session): Promise<ExitCode> {
  const { data: answer } = await api.GET('/api/keys');
  if (format === 'json') await output.json(answer);
  else {
    await output.rows<Key>([
      { title: 'NAME', text: ({ name }) => name },
      { title: 'SCOPES', text: ({ scopes }) => scopes.join(',') },
      {
        title: 'STATE',
        text: (key) => stateOf(key, now()),
        style: (key) => (stateOf(key, now()) === 'valid' ? 'good' : 'dim'),
      },
      { title: 'SOURCE', text: ({ source }) => source ?? '' },
      {
        title: 'EXPIRES',
        text: ({ expires_at: at }) => (at === null ? 'never' : fromNow(at, now())),
        plain: ({ expires_at: at }) => at ?? '',
      },
      {
        title: 'LAST USED',
        text: ({ last_used_at: at }) => (at === null ? 'never' : fromNow(at, now())),
        plain: ({ last_used_at: at }) => at ?? '',
      },
    ])(answer.items);
  }
  return exitCodes.done;
}

function stateOf({ revoked_at: revoked, expires_at: end }: Key, now: Date): string {
  if (revoked !== null) return 'revoked';
  return end !== null && new Date(end) <= now ? 'expired' : 'valid';
}

async function keyBind(session: Session, [name = '', of = '']: readonly string[]): Promise<ExitCode> {
  const { source = '' } = sourceQueryOf({ source: of });
  session.interruption.reports(() => 'the key may or may not be bound; see: proxy-manager key ls');
  const { data: answer } = await session.api.PUT('/api/keys/{name}/source', {
    params: { path: { name } },
    body: { source },
  });
  const moved = counted(answer.claims_moved, 'claim');
  await printAnswer(session, answer, () => [`${answer.name} is bound to ${source}; ${moved} moved there`]);
  return exitCodes.done;
}

async function keyRevoke(session: Session, [name = '']: readonly string[]): Promise<ExitCode> {
  session.interruption.reports(() => 'the key may or may not be revoked; see: proxy-manager key ls');
  const { data: answer } = await session.api.DELETE('/api/keys/{name}', { params: { path: { name } } });
  await printAnswer(session, answer, () => [`${answer.name} is revoked`]);
  return exitCodes.done;
}
