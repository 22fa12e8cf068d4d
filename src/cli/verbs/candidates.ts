import type { CommandLine } from '../command-line.ts';
import { durationOf } from '../expiry-options.ts';
import { type ExitCode, exitCodes, usageError } from '../failure.ts';
import { fromNow, minute } from '../output/times.ts';
import { exitCodeOf, runtimeLines, verified } from '../runtime-text.ts';
import { printAnswer, type Session } from '../session.ts';
import { typedAddresses } from '../typed-addresses.ts';
import { type Options, Verb } from '../verb.ts';
import { candidateColumns, candidatesLine } from './top.ts';

export function candidatesVerb(cli: CommandLine): Verb {
  const ls = new Verb('ls', 'list loud clients that are not blocked, trusted, upstreams or known CDNs').example(
    'candidates ls',
    'those with most requests first; estimated from 1 in 16 requests',
  );
  const block = new Verb('block', 'block a loud client for a time')
    .argument('<address>', 'its address; of IPv6 its /64')
    .option('--for <duration>', 'for how long: 4h, 1d, 7d', '1d')
    .example('candidates block 203.0.113.7 --for 1d', 'with "loud client" as the reason');
  const ignore = new Verb('ignore', 'do not show a loud client for a time')
    .argument('<address>', 'its address; of IPv6 its /64')
    .option('--for <duration>', 'for how long: 4h, 1d, 7d', '7d')
    .example('candidates ignore 203.0.113.7 --for 7d', 'a crawler that you want');
  return new Verb('candidates', 'loud clients that you may want to block')
    .example('candidates', 'the list, without a verb')
    .addCommand(cli.calling(ls, list), { isDefault: true })
    .addCommand(cli.calling(block, blockOne))
    .addCommand(cli.calling(ignore, ignoreOne));
}

async function list({ api, output, format, now }: Session): Promise<ExitCode> {
  const { data: answer } = await api.GET('/api/insight/candidates');
  if (format === 'json') await output.json(answer);
  else {
    await output.rows(candidateColumns(now()))(answer.items);
    if (output.isTerminal) output.remark(output.paintRemark('dim', candidatesLine(answer.items.length)));
  }
  return exitCodes.done;
}

async function blockOne(session: Session, operands: readonly string[], options: Options): Promise<ExitCode> {
  const ip_address = addressOf(operands);
  const body = { ip_address, reason: 'loud client', duration_seconds: durationOf(String(options['for']), '--for') };
  session.interruption.reports(() => `${ip_address} may or may not be blocked; see: proxy-manager check ${ip_address}`);
  const { data: answer } = await session.api.POST('/api/blocked-ips', { body });
  const until = answer.expires_at === null ? 'permanently' : `until ${minute(answer.expires_at)}`;
  await printAnswer(session, answer, () => [
    `${ip_address} is blocked ${until}${verified(answer)}`,
    ...runtimeLines(answer),
  ]);
  return exitCodeOf(answer);
}

async function ignoreOne(session: Session, operands: readonly string[], options: Options): Promise<ExitCode> {
  const ip_address = addressOf(operands);
  const body = { ignored_for_seconds: durationOf(String(options['for']), '--for') };
  const { data: answer } = await session.api.PUT('/api/insight/candidates/{ip_address}', {
    params: { path: { ip_address } },
    body,
  });
  const { ignored_until: until } = answer;
  await printAnswer(session, answer, () => [
    `${ip_address} is ignored${until === null ? ' no longer' : ` until ${minute(until)} (${fromNow(until, session.now())})`}`,
  ]);
  return exitCodes.done;
}

function addressOf(operands: readonly string[]): string {
  const [first] = typedAddresses(operands);
  if (first === undefined) throw usageError('the address is missing');
  return first.text;
}
