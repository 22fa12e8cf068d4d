// `key`: who may ask the service, and for what.
import { Option } from 'commander';
import type { Key } from '../../api/keys.ts';
import { type Scope, scopes } from '../../domain/scope.ts';
import { durationOf, futureTimeOf } from '../expiry-options.ts';
import { type ExitCode, exitCodes, misused } from '../failure.ts';
import { harmless } from '../output/harmless.ts';
import { fromNow, minute } from '../output/times.ts';
import type { Session } from '../session.ts';
import { Verb } from '../verb.ts';

export function keyVerbs(): { group: Verb; verbs: Readonly<Record<'create' | 'ls' | 'revoke', Verb>> } {
  const group = new Verb('key', 'who may ask the service, and for what');
  const verbs = {
    create: new Verb('create', 'make a key; it is written to standard output, this once')
      .argument('<name>', 'who it is for')
      .addOption(new Option('--scope <scope...>', 'each with all before it; admin when left out').choices(scopes))
      .option('--for <duration>', 'how long it is valid: 4h, 7d or 2w; for good when left out')
      .option('--until <time>', 'until when: 2030-01-31T12:00:00Z, or without a zone by the clock here')
      .example('key create fail2ban --scope block', 'what fail2ban needs')
      .example('key create me --for 7d > ~/.config/proxy-manager/api-key', 'after umask 077') as Verb,
    ls: new Verb('ls', 'list the keys; never the keys themselves').example(
      'key ls',
      'with what each may and when it was last used',
    ) as Verb,
    revoke: new Verb('revoke', 'make a key invalid, at once')
      .argument('<name>')
      .example('key revoke fail2ban', 'for every request that begins after it') as Verb,
  };
  for (const verb of Object.values(verbs)) group.addCommand(verb);
  return { group, verbs };
}

export async function keyCreate(
  session: Session,
  [name = '']: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<ExitCode> {
  const { scope } = options as { readonly scope?: readonly Scope[] };
  const end = endOf(options, session.now());
  session.interruption.reports(() => 'the key may have been made and is lost; see: proxy-manager key ls');
  const { data: answer } = await session.api.POST('/api/keys', {
    body: { name, ...(scope !== undefined && { scopes: scope }), ...(end !== null && { expires_at: end }) },
  });
  if (session.format === 'json') await session.output.json(answer);
  else {
    const until = answer.expires_at === null ? 'for good' : `until ${minute(answer.expires_at)}`;
    session.output.remark(
      harmless(`${answer.name} may ${answer.scopes.join(', ')}, ${until}. The key, shown this once:`),
    );
    await session.output.lines([harmless(answer.key)]);
  }
  return exitCodes.done;
}

function endOf({ for: span, until }: { readonly for?: unknown; readonly until?: unknown }, now: Date): string | null {
  if (span !== undefined && until !== undefined) throw misused('--for and --until exclude each other; give one');
  if (until !== undefined) return futureTimeOf(String(until), '--until', now);
  if (span === undefined) return null;
  return new Date(now.getTime() + durationOf(String(span), '--for') * 1000).toISOString();
}

export async function keyList({ api, output, format, now }: Session): Promise<ExitCode> {
  const { data: answer } = await api.GET('/api/keys');
  if (format === 'json') await output.json(answer);
  else {
    await output.rows<Key>([
      { title: 'NAME', text: ({ name }) => name },
      { title: 'SCOPES', text: ({ scopes }) => scopes.join(',') },
      {
        title: 'STATE',
        text: (key) => stateOf(key, now()),
        style: (key) => (stateOf(key, now()) === 'valid' ? 'good' : 'quiet'),
      },
      {
        title: 'ENDS',
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

export async function keyRevoke(session: Session, [name = '']: readonly string[]): Promise<ExitCode> {
  session.interruption.reports(() => 'it was not answered whether the key is revoked; see: proxy-manager key ls');
  const { data: answer } = await session.api.DELETE('/api/keys/{name}', { params: { path: { name } } });
  if (session.format === 'json') await session.output.json(answer);
  else await session.output.lines([harmless(`${answer.name} is revoked`)]);
  return exitCodes.done;
}
