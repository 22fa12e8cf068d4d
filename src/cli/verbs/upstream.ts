import type { UpstreamAnswer, UpstreamList, UpstreamRecord, UpstreamReport } from '../../api/upstreams.ts';
import { count, counted } from '../../domain/counted.ts';
import { quote } from '../../domain/quote.ts';
import { type UpstreamHeader, upstreamHeaders } from '../../domain/upstream-modes.ts';
import { type PresetName, presetNames, upstreamPresets } from '../../domain/upstream-presets.ts';
import { downloadPublished } from '../../lists/download-published.ts';
import { publishedNetworks } from '../../lists/published-networks.ts';
import { openSource } from '../bulk/source.ts';
import type { CommandLine } from '../command-line.ts';
import { refuseControls } from '../expiry-options.ts';
import { type ExitCode, exitCodes, Failure, usageError } from '../failure.ts';
import { harmless, harmlessLines } from '../output/harmless.ts';
import { fromNow } from '../output/times.ts';
import { consentOf, reloadLines, replaceHelp } from '../reload-text.ts';
import { exitCodeOf, runtimeLines, verified } from '../runtime-text.ts';
import { confirm, printAnswer, type Session } from '../session.ts';
import { type Options, Verb } from '../verb.ts';

const shownNetworks = 5;

export function upstreamVerb(cli: CommandLine): Verb {
  const add = new Verb('add', 'take the word of a proxy in front of HAProxy about its clients, or change how')
    .argument(
      '<name>',
      'a name for it; cloudflare, cloudfront: with the header of that CDN; fastly: only with --header',
    )
    .argument('[network...]', 'its addresses and networks')
    .option('--header <name>', 'the header in which it names the client, such as x-forwarded-for or x-real-ip')
    .option('--chain', 'of x-forwarded-for: walk on through further upstreams; default: take the last address')
    .option('--proxy-protocol', 'its connections begin with PROXY protocol')
    .option('--judge-invalid', 'serve a request with an unreadable header as one without a client; default: 400')
    .option('--note <text>', 'a note about the upstream')
    .option('--replace-configuration', replaceHelp)
    .example('upstream add lb 10.0.3.0/24 --header x-forwarded-for', 'a load balancer that appends the client')
    .example('upstream add hop 10.0.4.7 --proxy-protocol', 'another proxy that only passes connections on')
    .example('upstream add cloudflare', 'a CDN, with the networks that proxy-manager knows');
  const refresh = new Verb('refresh', 'replace the networks of an upstream by a published list')
    .argument('<name>')
    .requiredOption(
      '--from <file>',
      'a file, an https URL, or - for standard input: lines, or the JSON of Fastly or AWS',
    )
    .option('--yes', 'also if the list is less than half or more than twice as long as before')
    .example('upstream refresh cloudflare --from networks', 'a file with one network per line')
    .example('upstream refresh cloudfront --from ip-ranges.json', 'the file that AWS publishes');
  const rm = new Verb('rm', 'stop taking the word of an upstream')
    .argument('<name>')
    .option('--replace-configuration', replaceHelp)
    .example('upstream rm lb', 'its addresses are then checked like those of any other client');
  const ls = new Verb('ls', 'list the upstreams').example('upstream ls', 'with header and networks');
  return new Verb('upstream', 'manage proxies in front of HAProxy, such as a CDN or a load balancer')
    .addCommand(cli.calling(add, upstreamAdd))
    .addCommand(cli.calling(refresh, upstreamRefresh))
    .addCommand(cli.calling(rm, upstreamRemove))
    .addCommand(cli.calling(ls, upstreamList));
}

const onInterruption = (): string => 'the service continues the change; see: proxy-manager upstream ls';

async function upstreamAdd(
  session: Session,
  [name = '', ...networks]: readonly string[],
  options: Options,
): Promise<ExitCode> {
  const body = requestOf(name, networks, options);
  session.interruption.reports(onInterruption);
  const { data: answer } = await session.api.PUT('/api/upstreams/{name}', {
    params: { path: { name }, query: consentOf(options) },
    body,
  });
  await printAnswer(session, answer, () => addedLines(answer).map(harmless), harmlessLines);
  return exitCodeOf(answer);
}

/** @throws Failure (usage) */
export function requestOf(name: string, networks: readonly string[], options: Options) {
  const { header, chain, proxyProtocol, judgeInvalid, note } = options;
  const named = presetNames.find((preset) => preset === name);
  const needsHeader = named !== undefined && upstreamPresets[named].header === null;
  const preset = needsHeader === (header !== undefined) && proxyProtocol !== true ? named : undefined;
  if (needsHeader && header === undefined && proxyProtocol !== true)
    throw usageError(
      `give --header: ${name} passes on headers as its client sent them, so first set one in its own code (docs/upstreams.md), such as fastly-client-ip`,
    );
  if (preset === undefined && networks.length === 0)
    throw usageError(
      `give the networks of ${name}, such as: upstream add ${name} 10.0.3.0/24 --header x-forwarded-for`,
    );
  if (preset !== undefined && chain === true) throw usageError(`${preset} has no chain; remove --chain`);
  if (preset === undefined && header === undefined && proxyProtocol !== true)
    throw usageError('give --header, in which it names the client, or --proxy-protocol');
  return {
    ...(preset !== undefined && { preset }),
    ...(preset === undefined || needsHeader
      ? { header: header === undefined ? null : headerNamed(String(header)) }
      : {}),
    ...(networks.length === 0 ? {} : { networks: [...networks] }),
    ...(chain === true && { chain }),
    ...(proxyProtocol === true && { proxy_protocol: true }),
    ...(judgeInvalid === true && { on_invalid: 'judge_upstream' as const }),
    ...(note === undefined ? {} : { note: refuseControls(String(note), '--note') }),
  };
}

/** @throws Failure (usage) */
function headerNamed(text: string): UpstreamHeader {
  const header = upstreamHeaders.find((known) => known === text.toLowerCase());
  if (header === undefined) throw usageError(`--header must be one of ${upstreamHeaders.join(', ')}`);
  return header;
}

export function addedLines(answer: UpstreamAnswer): string[] {
  const { name, networks, addresses, blocked_inside: inside, blocked_inside_total: total } = answer;
  const lines = [`${name} is an upstream: ${says(answer)}${verified(answer)}`];
  if (networks.length === 0) lines.push(noNetworks(answer));
  else lines.push(`${believed(addresses)} in ${counted(networks.length, 'network')} can claim to act for any client`);
  if (total > 0) {
    const shown = inside.slice(0, shownNetworks).join(', ');
    const more = total > shownNetworks ? ` and ${count(total - shownNetworks)} more` : '';
    lines.push(
      `${counted(total, 'blocked entry is', 'blocked entries are')} inside and no longer deny the upstream itself: ${shown}${more}`,
    );
  }
  return [...lines, ...runtimeLines(answer), ...(answer.reload === undefined ? [] : reloadLines(answer.reload))];
}

function believed(addresses: string): string {
  return addresses === '1' ? '1 address' : `${addresses} addresses`;
}

function noNetworks({ name, preset }: UpstreamAnswer): string {
  const from = upstreamPresets[preset as PresetName]?.publishedAt ?? [];
  const where = from.length === 0 ? '' : `; they are published at ${from.join(' and ')}`;
  return `it has no networks yet, so nothing changes: proxy-manager upstream refresh ${name} --from FILE or URL${where}`;
}

/** `the last address of x-forwarded-for names its client`. */
function says({ header, chain, proxy_protocol: proxyProtocol, on_invalid: onInvalid }: UpstreamRecord): string {
  const which =
    header === 'x-forwarded-for' ? (chain ? `${header}, walking on,` : `the last address of ${header}`) : header;
  const byProtocol = 'PROXY protocol names its client';
  const words = !proxyProtocol
    ? `${which} names its client`
    : which === null
      ? byProtocol
      : `${byProtocol}; if it names none, ${which} does`;
  const unless = onInvalid === 'judge_upstream' ? '; requests with an unreadable value are served' : '';
  return `${words}${unless}`;
}

async function upstreamRefresh(session: Session, [name = '']: readonly string[], options: Options): Promise<ExitCode> {
  const from = String(options['from']);
  const networks = await readPublished(from, session);
  if (networks.length === 0) throw new Failure(`${quote(from)} names no network; nothing was changed`);
  const path = { name };
  const { data: before } = await session.api.GET('/api/upstreams/{name}', { params: { path } });
  const [was, now] = [before.networks.length, networks.length];
  if (was > 0 && (now * 2 < was || now > was * 2) && options['yes'] !== true)
    await confirm(session, `this replaces ${counted(was, 'network')} of ${name} by ${count(now)}`, '--yes');
  const { preset, header, chain, proxy_protocol, on_invalid, note } = before;
  const named = presetNames.find((known) => known === preset);
  const sent = { header: header === null ? null : headerNamed(header) };
  const says =
    named === undefined
      ? { ...sent, chain }
      : { preset: named, ...(upstreamPresets[named].header === null ? sent : {}) };
  session.interruption.reports(onInterruption);
  const { data: answer } = await session.api.PUT('/api/upstreams/{name}', {
    params: { path },
    body: { ...says, networks, proxy_protocol, on_invalid, note },
  });
  await printAnswer(session, answer, () => addedLines(answer).map(harmless), harmlessLines);
  return exitCodeOf(answer);
}

/** @throws Failure */
async function readPublished(from: string, session: Session): Promise<string[]> {
  const text = from.startsWith('https://') ? await download(from) : await readSource(from, session);
  try {
    return publishedNetworks(text);
  } catch (error) {
    throw new Failure(`${quote(from)} cannot be read: ${(error as Error).message}; nothing was changed`);
  }
}

async function readSource(from: string, session: Session): Promise<string> {
  if (/^[a-z]+:\/\//i.test(from)) throw usageError('--from takes an https URL, a file, or -');
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await openSource(from, session.stdin)).read()) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function download(url: string): Promise<string> {
  try {
    return await downloadPublished(url);
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? `${message}: ${cause.message}` : message;
    throw new Failure(`${quote(url)} cannot be fetched: ${why}; nothing was changed`);
  }
}

async function upstreamRemove(session: Session, [name = '']: readonly string[], options: Options): Promise<ExitCode> {
  session.interruption.reports(onInterruption);
  const { data: answer } = await session.api.DELETE('/api/upstreams/{name}', {
    params: { path: { name }, query: consentOf(options) },
  });
  const lines = [
    `${name} is no longer an upstream${verified(answer)}`,
    ...runtimeLines(answer),
    ...(answer.reload === undefined ? [] : reloadLines(answer.reload)),
  ];
  await printAnswer(session, answer, () => lines.map(harmless), harmlessLines);
  return exitCodeOf(answer);
}

async function upstreamList({ api, output, format, now }: Session): Promise<ExitCode> {
  const { data: answer } = await api.GET('/api/upstreams');
  if (format === 'json') await output.json(answer);
  else if (answer.items.length === 0 && output.isTerminal) await output.lines(['no upstreams']);
  else {
    await output.rows<UpstreamReport>([
      { title: 'NAME', text: ({ name }) => name },
      { title: 'CLIENT', text: says },
      { title: 'NETWORKS', text: ({ networks }) => networks.join(' '), mayShrink: true },
      {
        title: 'WITHOUT CLIENT',
        text: ({ unnamed_requests: requests, last_unnamed_at: last }) =>
          requests === null ? 'not counted' : `${count(requests)}${last === null ? '' : `, ${fromNow(last, now())}`}`,
        plain: ({ unnamed_requests: requests }) => String(requests ?? ''),
      },
      { title: 'NOTE', text: ({ note }) => note ?? '', mayShrink: true },
      { title: 'GIVEN', text: ({ networks_at: at }) => fromNow(at, now()), plain: ({ networks_at: at }) => at },
    ])(answer.items);
  }
  const remark = effectRemark(answer);
  if (remark !== null && format !== 'json') output.remark(harmless(remark));
  return exitCodes.done;
}

export function effectRemark({ in_force: inForce, reason }: Pick<UpstreamList, 'in_force' | 'reason'>): string | null {
  if (inForce === true) return null;
  return `${inForce === false ? 'not in force everywhere' : 'not known to be in force'}: ${reason}`;
}
