import type { Webhook } from '../../api/webhooks.ts';
import { parseWebhookSecret } from '../../domain/webhook-secret.ts';
import { parseWebhookUrl } from '../../domain/webhook-url.ts';
import { openSource } from '../bulk/source.ts';
import type { CommandLine } from '../command-line.ts';
import { type ExitCode, exitCodes, Failure, usageError } from '../failure.ts';
import type { Style } from '../output/colour.ts';
import { harmless } from '../output/harmless.ts';
import type { Column } from '../output/table.ts';
import { fromNow } from '../output/times.ts';
import { printAnswer, type Session } from '../session.ts';
import { type Options, Verb } from '../verb.ts';

export function webhookVerb(cli: CommandLine): Verb {
  const set = new Verb(
    'set',
    'create a webhook, or replace its URL, events and state; requests are signed with its secret',
  )
    .argument('<id>', 'a name for it, such as chat')
    .argument('<url>', 'the http or https URL that events are sent to')
    .option('--events <types>', 'event types, separated by commas; default all')
    .option(
      '--secret-file <path>',
      'file with an existing secret: whsec_ and 24 to 64 bytes in base64; - reads standard input. Default: an existing ' +
        'webhook keeps its secret, and a new one gets a secret that is printed once on standard output',
    )
    .option('--disabled', 'send and queue nothing until it is set again without this option')
    .example('webhook set chat https://hooks.example.com/proxy --events health.changed,reload.failed', 'two types')
    .example('webhook set siem https://siem.example.com/in > siem.secret', 'all events; run umask 077 first')
    .example('webhook set siem https://siem.example.com/in --disabled', 'pause it; it keeps its secret');
  const rm = new Verb('rm', 'remove a webhook')
    .argument('<id>')
    .example('webhook rm chat', 'events waiting for delivery are dropped');
  const ls = new Verb('ls', 'list the webhooks and the state of their deliveries, without their secrets').example(
    'webhook ls',
    'ERROR is that of the last delivery, if it failed',
  );
  return new Verb('webhook', 'send signed events to URLs')
    .addCommand(cli.calling(set, webhookSet))
    .addCommand(cli.calling(rm, webhookRemove))
    .addCommand(cli.calling(ls, webhookList));
}

async function webhookSet(
  session: Session,
  [id = '', url = '']: readonly string[],
  options: Options,
): Promise<ExitCode> {
  const given = options as {
    readonly events?: string;
    readonly secretFile?: string;
    readonly disabled?: boolean;
  };
  const read = parseWebhookUrl(url);
  if (!read.ok) throw usageError(`<url>: ${read.why}`);
  const secret = given.secretFile === undefined ? null : await secretFrom(given.secretFile, session.stdin);
  session.interruption.reports(() => 'the webhook may or may not be set; see: proxy-manager webhook ls');
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
    const next = answer.secret === null ? '' : '. Its secret, shown only once:';
    session.output.remark(harmless(`${answer.id} ${stateText(answer)}${next}`));
    if (answer.secret !== null) await session.output.lines([harmless(answer.secret)]);
  }
  return exitCodes.done;
}

function stateText({ enabled, events, url }: Webhook): string {
  return enabled
    ? `receives ${events?.join(', ') ?? 'all events'} at ${url}`
    : `is disabled: nothing is sent to ${url}`;
}

/** Errors never show the secret. @throws Failure */
async function secretFrom(path: string, stdin: AsyncIterable<Uint8Array>): Promise<string> {
  const source = await openSource(path, stdin);
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.read()) chunks.push(chunk);
  const secret = parseWebhookSecret(Buffer.concat(chunks).toString('utf8').trim());
  if (!secret.ok) throw new Failure(`the secret in ${source.name} is invalid: ${secret.why}; nothing was changed`);
  return secret.value;
}

async function webhookRemove(session: Session, [id = '']: readonly string[]): Promise<ExitCode> {
  session.interruption.reports(() => 'the webhook may or may not be removed; see: proxy-manager webhook ls');
  const { data: answer } = await session.api.DELETE('/api/webhooks/{id}', { params: { path: { id } } });
  await printAnswer(session, answer, () => [`${answer.id} is removed`]);
  return exitCodes.done;
}

async function webhookList({ api, output, format, now }: Session): Promise<ExitCode> {
  const { data: answer } = await api.GET('/api/webhooks');
  if (format === 'json') await output.json(answer);
  else if (answer.items.length === 0 && output.isTerminal) await output.lines(['no webhooks']);
  else await output.rows(webhookColumns(now()))(answer.items);
  return exitCodes.done;
}

const stateStyles: Readonly<Record<WebhookState, Style>> = {
  ok: 'good',
  new: 'dim',
  failing: 'error',
  off: 'dim',
};

type WebhookState = 'ok' | 'new' | 'failing' | 'off';

/** `failing`: the last attempt failed. */
function stateOf({ enabled, last_success_at: succeeded, last_error_at: failed }: Webhook): WebhookState {
  if (!enabled) return 'off';
  if (failed !== null && (succeeded === null || failed > succeeded)) return 'failing';
  return succeeded === null ? 'new' : 'ok';
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
