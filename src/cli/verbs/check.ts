import type { CheckAnswer } from '../../api/check.ts';
import { count, counted } from '../../domain/counted.ts';
import { claimLines } from '../claim-source.ts';
import type { CommandLine } from '../command-line.ts';
import { type ExitCode, exitCodes, usageError } from '../failure.ts';
import { harmless } from '../output/harmless.ts';
import { fromNow, minute } from '../output/times.ts';
import type { Session } from '../session.ts';
import { typedAddresses } from '../typed-addresses.ts';
import { type Options, Verb } from '../verb.ts';
import { type ClientOptions, checkClient } from './check-client.ts';
import { askAboutReference, printReference, typedReference } from './check-reference.ts';

const shownInside = 10;

export function checkVerb(cli: CommandLine): Verb {
  const verb = new Verb('check', 'show whether an address is blocked, and by which entry')
    .argument('[address...]', 'addresses of clients, or networks')
    .option('--reference <text>', 'instead of addresses: the reference on the page of a denied request')
    .option('--peer <address>', 'instead of addresses: a request from here; prints which address HAProxy checks')
    .option('--header <line>', 'a header of that request; may be repeated', collected, [])
    .example('check 192.0.2.1', 'one address')
    .example('check 192.0.2.1 -o json | jq -r .verdict', 'blocked, trusted or allowed; for a network also partly')
    .example('check --reference C0000207-6925B0F5-001C', 'a client that quotes the reference of its denied request')
    .example("check --peer 10.0.3.7 --header 'X-Forwarded-For: 203.0.113.7'", 'which client a load balancer names')
    .usage('[options] [--reference <text> | --peer <address> [--header <line>] | <address...>]');
  return cli.calling(verb, check);
}

function collected(line: string, before: readonly string[]): string[] {
  return [...before, line];
}

async function check(session: Session, addresses: readonly string[], options: Options): Promise<ExitCode> {
  const { reference, peer, header = [] } = options as ClientOptions & { readonly reference?: string };
  const asksClient = peer !== undefined || header.length > 0;
  const asked = [addresses.length > 0, reference !== undefined, asksClient].filter(Boolean);
  if (asked.length !== 1) throw usageError('give either addresses, --reference, or --peer');
  if (reference !== undefined) return await checkReference(session, reference);
  if (asksClient) return await checkClient(session, options as ClientOptions);
  const answers: CheckAnswer[] = [];
  for (const { text } of typedAddresses(addresses)) {
    const { data } = await session.api.GET('/api/check/{ip_address}', { params: { path: { ip_address: text } } });
    answers.push(data);
  }
  if (session.format === 'json') await session.output.json(answers.length === 1 ? answers[0] : answers);
  else await session.output.lines(answers.flatMap((answer) => checkLines(answer, session.now()).map(harmless)));
  // Not a plain yes if some worker does not enforce it, or it holds only for a part of a network.
  return answers.every(({ enforced }) => enforced === true) ? exitCodes.done : exitCodes.partly;
}

async function checkReference(session: Session, text: string): Promise<ExitCode> {
  const answer = await askAboutReference(session, typedReference(text));
  await printReference(session, answer, checkLines(answer.check, session.now()));
  return answer.check.enforced === true ? exitCodes.done : exitCodes.partly;
}

function checkLines(answer: CheckAnswer, now: Date): string[] {
  const upstream =
    answer.upstream === undefined
      ? []
      : [`  it belongs to the upstream ${answer.upstream}, which is served; the verdict is for a client that it names`];
  return [checkLine(answer, now), ...upstream, ...claimLines(answer.claims, now).map((line) => `  ${line}`)];
}

export function checkLine(answer: CheckAnswer, now: Date): string {
  if (answer.verdict === 'partly') return partlyLine(answer);
  return `${verdictText(answer, now)}; ${enforcedText(answer)}`;
}

/** `192.0.2.0/24: no entry covers all of it; 2 blocked entries inside: 192.0.2.7, 192.0.2.64/26`. */
function partlyLine({ ip_address: ip, blocked_inside: inside, blocked_inside_total: total }: CheckAnswer): string {
  const shown = inside.slice(0, shownInside).join(', ');
  const more = total > shownInside ? ` and ${count(total - shownInside)} more` : '';
  return `${ip}: no entry covers all of it; ${counted(total, 'blocked entry', 'blocked entries')} inside: ${shown}${more}`;
}

function verdictText({ ip_address: ip, verdict, by, reason, expires_at: end }: CheckAnswer, now: Date): string {
  const entry = by === null || by === ip ? 'its own entry' : by;
  if (verdict === 'allowed') return `${ip} is allowed: no entry covers it`;
  const why = reason === null || reason === '' ? '' : ` (${reason})`;
  if (verdict === 'trusted') {
    const until = end === null ? '' : ` until ${minute(end)} (${fromNow(end, now)})`;
    return `${ip} is allowed: trusted by ${entry}${why}${until}, which overrides any block`;
  }
  const until = end === null ? 'permanently' : `until ${minute(end)} (${fromNow(end, now)})`;
  return `${ip} is blocked by ${entry}${why}, ${until}`;
}

function enforcedText({ enforced, verdict, workers }: CheckAnswer): string {
  if (enforced === true) return 'verified in every worker';
  if (enforced === null) return 'not verified: no worker answered; see: proxy-manager status';
  const others = workers.filter((worker) => worker.verdict !== verdict);
  const verdicts = others.map((worker) => `worker ${worker.pid} has it as ${worker.verdict}`).join(', ');
  return `but ${verdicts}; the service repairs it, see: proxy-manager status`;
}
