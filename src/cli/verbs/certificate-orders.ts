// Certificates that the service orders from an authority.

import { setTimeout as pause } from 'node:timers/promises';
import type { AcmeCertificate, AcmeProblem } from '../../api/acme-records.ts';
import type { CommandLine } from '../command-line.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import { fromNow } from '../output/times.ts';
import { printAnswer, type Session } from '../session.ts';
import { type Options, Verb } from '../verb.ts';

const POLL_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;

const steps: Readonly<Record<string, string>> = {
  planned: 'the order is planned',
  created: 'the authority has the order',
  showing: 'HAProxy gets the answers to the challenges',
  told: 'the authority validates the names',
  finalizing: 'the certificate is asked for',
  issued: 'the certificate is fetched',
  stored: 'the certificate is stored',
  failed: 'the order failed',
};

export function orderVerbs(cli: CommandLine): readonly ReturnType<CommandLine['calling']>[] {
  const request = new Verb('request', 'order a certificate from the authority, and wait until it is issued')
    .argument('<name...>', 'host names that lead to this HAProxy')
    .option('--profile <profile>', 'a profile of the authority')
    .option('--no-wait', 'return when the order is stored')
    .example('certificate request shop.example.com www.shop.example.com', 'exits 3 if it is not issued yet');
  const orders = new Verb('orders', 'show the orders of a certificate, with the words of the authority')
    .argument('<id>')
    .example('certificate orders c-7f3kq2m4xa', 'when the next order is due, and why');
  const renew = new Verb('renew', 'order a certificate of the authority now')
    .argument('<id>')
    .option('--no-wait', 'return when the order is due')
    .example('certificate renew c-7f3kq2m4xa', 'after you corrected what the last order failed for');
  return [cli.calling(request, requestOrder), cli.calling(orders, showOrders), cli.calling(renew, renewOrder)];
}

async function requestOrder(session: Session, names: readonly string[], options: Options): Promise<ExitCode> {
  const { profile } = options as { profile?: string };
  const body = { names: [...names], ...(profile !== undefined && { profile }) };
  const { data } = await session.api.POST('/api/acme/certificates', { body });
  return await followed(session, data, options);
}

async function renewOrder(session: Session, [id = '']: readonly string[], options: Options): Promise<ExitCode> {
  const { data } = await session.api.POST('/api/acme/certificates/{id}/renew', { params: { path: { id } } });
  return await followed(session, data, options);
}

async function showOrders(session: Session, [id = '']: readonly string[]): Promise<ExitCode> {
  const { data } = await session.api.GET('/api/acme/certificates/{id}', { params: { path: { id } } });
  await printAnswer(session, data, () => orderLines(data, session.now()));
  return exitCodes.done;
}

/** Prints each step, until the order that was begun has ended or waits for long. */
async function followed(session: Session, first: AcmeCertificate, options: Options): Promise<ExitCode> {
  const { api, output, format, interruption, now } = session;
  const { id } = first;
  interruption.reports(() => `the service continues the order; see: proxy-manager certificate orders ${id}`);
  let last = first;
  let shown = '';
  const deadline = performance.now() + (options['wait'] === false ? 0 : LONGEST_WAIT_MS);
  while (performance.now() < deadline && !isEnded(first, last)) {
    const state = last.attempts[0]?.ended_at === null ? last.attempts[0].state : 'planned';
    if (state !== shown && format !== 'json') await output.lines([steps[state] ?? state]);
    shown = state;
    await pause(POLL_MS);
    last = (await api.GET('/api/acme/certificates/{id}', { params: { path: { id } } })).data;
  }
  await printAnswer(session, last, () => orderLines(last, now()));
  if (last.attempts[0]?.state === 'stored') return exitCodes.done;
  return last.attempts[0]?.state === 'failed' ? exitCodes.failed : exitCodes.partly;
}

function isEnded(first: AcmeCertificate, last: AcmeCertificate): boolean {
  const [attempt] = last.attempts;
  if (last.due_by === 'limit') return true;
  return attempt !== undefined && attempt.ended_at !== null && attempt.began_at !== endedBefore(first);
}

/** When the last order began that had ended already. */
function endedBefore({ attempts }: AcmeCertificate): string | null {
  return attempts.find(({ ended_at }) => ended_at !== null)?.began_at ?? null;
}

export function orderLines(certificate: AcmeCertificate, now: Date): string[] {
  const { id, names, not_after: end, due_at: due, due_by: by, problem, attempts } = certificate;
  return [
    `${id}: ${names.join(', ')}`,
    end === null ? '  not issued yet' : `  expires ${fromNow(end, now)}`,
    due === null
      ? '  the next order waits for you: proxy-manager certificate renew'
      : `  next order ${fromNow(due, now)} (${by})`,
    ...(problem === null ? [] : problemLines(problem)),
    ...attempts.map((one) => `  ${one.began_at} ${one.state}${one.problem === null ? '' : `: ${one.problem.detail}`}`),
  ];
}

function problemLines({ class: what, type, detail, subproblems, advice }: AcmeProblem): string[] {
  return [
    `  ${what}: ${type}: ${detail}`,
    ...subproblems.map((one) => `    ${one.name ?? 'a name'}: ${one.detail}`),
    ...(advice === null ? [] : [`  ${advice}`]),
  ];
}
