// Certificates that the service orders from an authority.
import type { AcmeAttempt, AcmeCertificate, AcmeProblem, AcmeStatus } from '../../api/acme-records.ts';
import { pause } from '../../concurrency/pause.ts';
import { counted } from '../../domain/counted.ts';
import type { CommandLine } from '../command-line.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import { harmless } from '../output/harmless.ts';
import { fromNow, minute } from '../output/times.ts';
import { printAnswer, type Session } from '../session.ts';
import { type Options, Verb } from '../verb.ts';

const askEveryMs = 500;
/** Most orders take seconds. Later ones go on without the command. */
const followMs = 300_000;
/** An answer for all workers takes at most 5 s. */
const installedWithinMs = 10_000;

type State = AcmeAttempt['state'];

const steps: Readonly<Record<State, string>> = {
  planned: 'the order is stored',
  created: 'the authority accepted the order',
  showing: 'the challenge responses are published',
  told: 'the authority validates the names',
  finalizing: 'the names are valid; the certificate is requested',
  issued: 'the certificate is issued',
  stored: 'the certificate is stored',
  failed: 'the order failed',
};

export function orderVerbs(cli: CommandLine): Verb[] {
  const request = new Verb('request', 'order a certificate from the authority, and renew it from then on')
    .argument('<name...>', 'host names; they lead to this HAProxy, at port 80, unless they are validated by DNS')
    .option('--dns', 'validate them by TXT records, which a hook creates; the default if one is a wildcard')
    .option('--profile <profile>', 'a profile of the authority; default: PROXY_MANAGER_ACME_PROFILE')
    .option('--no-wait', 'return when the order is stored')
    .example('certificate request shop.example.com www.shop.example.com', 'shows each step, until it is installed')
    .example("certificate request '*.shop.example.com'", 'by TXT records: PROXY_MANAGER_ACME_DNS_HOOK');
  const renew = new Verb('renew', 'order a certificate of the authority now, also one that needs attention')
    .argument('<id>')
    .option('--no-wait', 'return when the order is stored')
    .example('certificate renew c-7f3kq2m4xa', 'within the limits: twice in 24 hours');
  const orders = new Verb('orders', 'show the orders of a certificate, with the words of the authority')
    .argument('[id]', 'default: the authority, and which certificates are due')
    .example('certificate orders', 'what is due, and the pauses of the authority')
    .example('certificate orders c-7f3kq2m4xa', 'why the last order failed, and when the next is due');
  const stop = new Verb('stop-renewal', 'stop ordering a certificate; it is served until it expires or is removed')
    .argument('<id>')
    .example('certificate stop-renewal c-7f3kq2m4xa', 'an open order ends');
  return [
    cli.calling(request, certificateRequest),
    cli.calling(renew, certificateRenew),
    cli.calling(orders, certificateOrders),
    cli.calling(stop, certificateStop),
  ];
}

async function certificateRequest(session: Session, names: readonly string[], options: Options): Promise<ExitCode> {
  const { profile, dns } = options;
  const body = {
    names: [...names],
    ...(dns === true && { challenge: 'dns-01' as const }),
    ...(typeof profile === 'string' && { profile }),
  };
  const { data: ordered } = await session.api.POST('/api/acme/certificates', { body });
  return await ending(session, ordered, options);
}

async function certificateRenew(session: Session, [id = '']: readonly string[], options: Options): Promise<ExitCode> {
  const { data: ordered } = await session.api.POST('/api/acme/certificates/{id}/renew', { params: { path: { id } } });
  return await ending(session, ordered, options);
}

async function certificateOrders(session: Session, [id]: readonly string[]): Promise<ExitCode> {
  const { api, now } = session;
  if (id === undefined) {
    const { data: status } = await api.GET('/api/acme');
    await printAnswer(session, status, () => statusLines(status, now()));
    return exitCodes.done;
  }
  const { data: certificate } = await api.GET('/api/acme/certificates/{id}', { params: { path: { id } } });
  await printAnswer(session, certificate, () => [
    ...orderLines(certificate, now()),
    ...certificate.attempts.flatMap(attemptLines),
  ]);
  return exitCodes.done;
}

async function certificateStop(session: Session, [id = '']: readonly string[]): Promise<ExitCode> {
  const { data: answer } = await session.api.DELETE('/api/acme/certificates/{id}', { params: { path: { id } } });
  await printAnswer(session, answer, () => [`${answer.id} is not ordered any more`]);
  return exitCodes.done;
}

async function ending(session: Session, ordered: AcmeCertificate, options: Options): Promise<ExitCode> {
  if (options['wait'] === false) {
    await printAnswer(session, ordered, () => orderLines(ordered, session.now()));
    return exitCodes.done;
  }
  const { last, served } = await followOrder(session, ordered);
  await printAnswer(session, last, () => orderLines(last, session.now()));
  return served ? exitCodes.done : exitCodes.partly;
}

export interface Followed {
  readonly last: AcmeCertificate;
  /** Whether every current worker was read back to hold the certificate of this order. */
  readonly served: boolean;
}

/**
 * Prints each step of the order that was begun, until its certificate is served, or it has failed, or waits.
 * @param first the answer to the request
 */
export async function followOrder(session: Session, first: AcmeCertificate): Promise<Followed> {
  const last = await ended(session, first);
  if (attemptSince(first, last)?.state !== 'stored') return { last, served: false };
  const served = await isServed(session, first.id);
  const what = served ? 'the certificate is served' : `not served yet; see: proxy-manager certificate show ${first.id}`;
  if (session.format !== 'json') await session.output.lines([`${first.names[0]}: ${what}`].map(harmless));
  return { last, served };
}

async function isServed({ api }: Session, id: string): Promise<boolean> {
  const end = performance.now() + installedWithinMs;
  for (;;) {
    const { data } = await api.GET('/api/certificates/{id}', { params: { path: { id } } });
    if (data.runtime_updated === true) return true;
    if (performance.now() >= end) return false;
    await pause(askEveryMs);
  }
}

async function ended(session: Session, first: AcmeCertificate): Promise<AcmeCertificate> {
  const { api, format, interruption, output } = session;
  const { id, names } = first;
  interruption.reports(() => `the service continues the order; see: proxy-manager certificate orders ${id}`);
  const end = performance.now() + followMs;
  let shown: State | null = null;
  for (;;) {
    const { data } = await api.GET('/api/acme/certificates/{id}', { params: { path: { id } } });
    const attempt = attemptSince(first, data);
    if (attempt !== null && attempt.state !== shown && format !== 'json') {
      await output.lines([`${names[0]}: ${steps[attempt.state]}`].map(harmless));
    }
    shown = attempt?.state ?? shown;
    const waits = attempt === null ? data.due_by === 'limit' : attempt.ended_at !== null || attempt.problem !== null;
    if (waits || performance.now() >= end) return data;
    await pause(askEveryMs);
  }
}

/** The order of `last` that had not ended in `first`; null: it has not begun. */
function attemptSince(first: AcmeCertificate, { attempts }: AcmeCertificate): AcmeAttempt | null {
  const before = first.attempts.find(({ ended_at: ended }) => ended !== null)?.began_at ?? null;
  const [attempt] = attempts;
  return attempt === undefined || attempt.began_at === before ? null : attempt;
}

export function orderLines(certificate: AcmeCertificate, now: Date): string[] {
  const { id, names, not_after: end, due_at: due, due_by: why, failures, problem } = certificate;
  const at = (iso: string) => `${minute(iso)} (${fromNow(iso, now)})`;
  return [
    `${id}: ${names.join(', ')}`,
    end === null ? '  no certificate was issued yet' : `  issued, valid until ${at(end)}`,
    ...(problem === null ? [] : problemLines(problem)),
    ...(failures === 0 ? [] : [`  ${counted(failures, 'order')} failed in succession`]),
    `  next order: ${at(due)}, ${dueWords[why]}`,
  ];
}

const dueWords: Readonly<Record<AcmeCertificate['due_by'], string>> = {
  request: 'as requested',
  age: 'because of its age',
  ari: 'as the authority suggests',
  retry: 'after a failed order',
  limit: 'when the limit ends',
};

function problemLines({ class: kind, detail, subproblems, advice }: AcmeProblem): string[] {
  return [
    `  ${kind}: ${detail}`,
    ...subproblems.map(({ name, detail: words }) => `    ${name ?? 'a name'}: ${words}`),
    ...(advice === null ? [] : [`  ${advice}`]),
  ];
}

function attemptLines({ state, began_at: began, problem }: AcmeAttempt): string[] {
  return [
    `  ${minute(began)}: ${steps[state]}`,
    ...(problem === null ? [] : problemLines(problem).map((one) => `  ${one}`)),
  ];
}

function statusLines({ directory, account, pauses, total, failing, next }: AcmeStatus, now: Date): string[] {
  return [
    `authority: ${directory}`,
    `account: ${account ?? 'made with the first order'}`,
    ...pauses.map(({ scope, until, problem }) => `no ${scope} until ${minute(until)}: ${problem.detail}`),
    `${counted(total, 'certificate')}, ${failing} with a problem`,
    ...next.flatMap((one) => orderLines(one, now)),
  ];
}
