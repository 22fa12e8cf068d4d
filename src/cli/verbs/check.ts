// `check`: in one line, why a client is or is not let in.

import type { CheckAnswer } from '../../api/check.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import { harmless } from '../output/harmless.ts';
import { count, counted, fromNow, minute } from '../output/times.ts';
import type { Session } from '../session.ts';
import { typedAddresses } from '../typed-addresses.ts';
import { Verb } from '../verb.ts';

const shownInside = 10;

export function checkVerb(): Verb {
  return new Verb('check', 'say why an address is or is not let in')
    .argument('<address...>', 'addresses of clients, or networks')
    .example('check 192.0.2.1', 'one address')
    .example('check 192.0.2.1 -o json | jq -r .verdict', 'blocked, trusted, allowed; partly of a network')
    .usage('[options] <address...>') as Verb;
}

export async function check(session: Session, addresses: readonly string[]): Promise<ExitCode> {
  const answers: CheckAnswer[] = [];
  for (const { text } of typedAddresses(addresses)) {
    const { data } = await session.api.GET('/api/check/{ip_address}', { params: { path: { ip_address: text } } });
    answers.push(data);
  }
  if (session.format === 'json') await session.output.json(answers.length === 1 ? answers[0] : answers);
  else await session.output.lines(answers.map((answer) => harmless(checkLine(answer, session.now()))));
  // What the database says and no worker does is not how a client fares; nor is there one answer for all of a network.
  return answers.every(({ enforced }) => enforced === true) ? exitCodes.done : exitCodes.partly;
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
  const entry = by === null || by === ip ? 'an entry of its own' : by;
  if (verdict === 'allowed') return `${ip} is let in: nothing blocks it`;
  const why = reason === null || reason === '' ? '' : ` (${reason})`;
  if (verdict === 'trusted') return `${ip} is let in: trusted by ${entry}${why}, which wins over any block`;
  const until = end === null ? 'for good' : `until ${minute(end)}, ${fromNow(end, now)}`;
  return `${ip} is blocked by ${entry}${why}, ${until}`;
}

function enforcedText({ enforced, verdict, workers }: CheckAnswer): string {
  if (enforced === true) return 'every worker does so';
  if (enforced === null) return 'no worker of the proxy could be asked; see: proxy-manager status';
  const others = workers.filter((worker) => worker.verdict !== verdict);
  const told = others.map((worker) => `worker ${worker.pid} has it as ${worker.verdict}`).join(', ');
  return `but ${told}; it is being repaired, see: proxy-manager status`;
}
