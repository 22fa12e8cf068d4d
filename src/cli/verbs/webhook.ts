// `webhook`: where events are sent to.

import type { Webhook } from '../../api/webhooks.ts';
import { parseWebhookSecret } from '../../domain/webhook-secret.ts';
import { parseWebhookUrl } from '../../domain/webhook-url.ts';
import { openSource } from '../bulk/source.ts';
import { type ExitCode, exitCodes, Failure, misused } from '../failure.ts';
import type { Style } from '../output/colour.ts';
import { harmless } from '../output/harmless.ts';
import type { Column } from '../output/table.ts';
import { fromNow } from '../output/times.ts';
import type { Session } from '../session.ts';
import { Verb } from '../verb.ts';

export function webhookVerbs(): { group: Verb; verbs: Readonly<Record<'set' | 'rm' | 'ls', Verb>> } {
  const group = new Verb('webhook', 'where events are sent to, signed');
  const verbs = {
    set: new Verb('set', 'make a webhook, or replace its URL, events and state; what is sent is signed with its secret')
      .argument('<id>', 'a name for it, such as chat')
      .argument('<url>', 'where events are sent to, http or https')
      .option('--events <types>', 'only these, with commas between; all when left out')
      .option(
        '--secret-file <path>',
        'the receiver has one already: whsec_ and 24 to 64 bytes in base64; - reads standard input. Left out: the one ' +
          'that it has, and for a new webhook one is made and written to standard output, this once',
      )
      .option('--disabled', 'send nothing, and keep nothing for it, until it is set without this')
      .example('webhook set chat https://hooks.example.com/proxy --events health.changed,reload.failed', 'two of them')
      .example('webhook set siem https://siem.example.com/in > siem.secret', 'all events; after umask 077')
      .example(
        'webhook set siem https://siem.example.com/in --disabled',
        'silent for a while; its secret stays',
      ) as Verb,
    rm: new Verb('rm', 'send nothing there any more, at once')
      .argument('<id>')
      .example('webhook rm chat', 'what waited for it is dropped') as Verb,
    ls: new Verb('ls', 'list the webhooks, and whether what is sent arrives; never their secrets').example(
      'webhook ls',
      'an error that stands there is that of the last delivery that failed',
    ) as Verb,
  };
  for (const verb of Object.values(verbs)) group.addCommand(verb);
  return { group, verbs };
}

export async function webhookSet(
  session: Session,
  [id = '', url = '']: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<ExitCode> {
  const given = options as {
    readonly events?: string;
    readonly secretFile?: string;
    readonly disabled?: boolean;
  };
  const read = parseWebhookUrl(url);
  if (!read.ok) throw misused(`<url>: ${read.why}`);
  const secret = given.secretFile === undefined ? null : await secretFrom(given.secretFile, session.stdin);
  session.interruption.reports(() => 'it was not answered whether the webhook is set; see: proxy-manager webhook ls');
  const { data: answer } = await session.api.PUT('/api/webhooks/{id}', {
    params: { path: { id } },
    body: {
      url: read.value,
      events: given.events?.split(',') ?? null,
      ...(secret !== null && { secret }),
      enabled: given.disabled !== true,
    },
  });
  if (session.format === 'json') await session.output.json(answer);
  else {
    const made = answer.secret === null ? '' : '. Its secret, shown this once:';
    session.output.remark(harmless(`${answer.id} ${whatItGets(answer)}${made}`));
    if (answer.secret !== null) await session.output.lines([harmless(answer.secret)]);
  }
  return exitCodes.done;
}

function whatItGets({ enabled, events, url }: Webhook): string {
  return enabled ? `gets ${events?.join(', ') ?? 'all events'} at ${url}` : `is off: nothing is sent to ${url}`;
}

/** Never shown, whatever is wrong with it. @throws Failure */
async function secretFrom(path: string, stdin: AsyncIterable<Uint8Array>): Promise<string> {
  const source = await openSource(path, stdin);
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.read()) chunks.push(chunk);
  const secret = parseWebhookSecret(Buffer.concat(chunks).toString('utf8').trim());
  if (!secret.ok) throw new Failure(`the secret in ${source.name} is not usable: ${secret.why}; nothing was changed`);
  return secret.value;
}

export async function webhookRemove(session: Session, [id = '']: readonly string[]): Promise<ExitCode> {
  session.interruption.reports(() => 'it was not answered whether the webhook is gone; see: proxy-manager webhook ls');
  const { data: answer } = await session.api.DELETE('/api/webhooks/{id}', { params: { path: { id } } });
  if (session.format === 'json') await session.output.json(answer);
  else await session.output.lines([harmless(`nothing is sent to ${answer.id} any more`)]);
  return exitCodes.done;
}

export async function webhookList({ api, output, format, now }: Session): Promise<ExitCode> {
  const { data: answer } = await api.GET('/api/webhooks');
  if (format === 'json') await output.json(answer);
  else if (answer.items.length === 0 && output.isTerminal) await output.lines(['there are no webhooks']);
  else await output.rows(webhookColumns(now()))(answer.items);
  return exitCodes.done;
}

const stateStyles: Readonly<Record<WebhookState, Style>> = {
  ok: 'good',
  new: 'quiet',
  failing: 'trouble',
  off: 'quiet',
};

type WebhookState = 'ok' | 'new' | 'failing' | 'off';

/** `failing`: what was last tried did not arrive. */
function stateOf({ enabled, last_success_at: well, last_error_at: ill }: Webhook): WebhookState {
  if (!enabled) return 'off';
  if (ill !== null && (well === null || ill > well)) return 'failing';
  return well === null ? 'new' : 'ok';
}

export function webhookColumns(now: Date): readonly Column<Webhook>[] {
  return [
    { title: 'ID', text: ({ id }) => id },
    { title: 'STATE', text: stateOf, style: (hook) => stateStyles[stateOf(hook)] },
    { title: 'WAITING', text: ({ pending }) => String(pending) },
    {
      title: 'LAST RECEIVED',
      text: ({ last_success_at: at }) => (at === null ? 'never' : fromNow(at, now)),
      plain: ({ last_success_at: at }) => at ?? '',
    },
    { title: 'URL', text: ({ url }) => url, mayShrink: true },
    { title: 'EVENTS', text: ({ events }) => events?.join(',') ?? 'all', mayShrink: true },
    { title: 'ERROR', text: (hook) => (stateOf(hook) === 'failing' ? (hook.last_error ?? '') : ''), mayShrink: true },
  ];
}
