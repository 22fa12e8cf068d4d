import type { ServerRequest, ServerState, SiteRecord } from '../../api/sites.ts';
import { quote } from '../../domain/quote.ts';
import type { CommandLine } from '../command-line.ts';
import { type ExitCode, exitCodes, usageError } from '../failure.ts';
import { harmless, harmlessLines } from '../output/harmless.ts';
import { fromNow } from '../output/times.ts';
import { consentOf, reloadLines, replaceHelp } from '../reload-text.ts';
import { printAnswer, type Session } from '../session.ts';
import { type Options, Verb } from '../verb.ts';
import { siteTlsVerb } from './site-tls.ts';

const serverForm = 'HOST:PORT[,weight=N][,backup][,max_connections=N][,check=false][,ssl=verify]';

/** `HOST:PORT` with options after commas; the API validates host and options. @throws Failure (usage) */
export function parseSiteServer(text: string): ServerRequest {
  const [address = '', ...words] = text.split(',');
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):([0-9]{1,5})$/.exec(address);
  if (match === null) throw usageError(`${quote(text)} is not a server; write ${serverForm}`);
  const options = Object.fromEntries(words.map((word) => parseOption(word, text)));
  return {
    address: match[1] ?? match[2] ?? '',
    port: Number(match[3]),
    ...(words.length > 0 && { options }),
  };
}

function parseOption(word: string, text: string): [string, boolean | number | string] {
  const [, name, value] = /^([a-z_]+)(?:=(.+))?$/.exec(word) ?? [];
  if (name === undefined)
    throw usageError(`${quote(word)} in ${quote(text)} is not a valid option; write ${serverForm}`);
  if (value === undefined || value === 'true') return [name, true];
  if (value === 'false') return [name, false];
  return [name, /^[0-9]{1,9}$/.test(value) ? Number(value) : value];
}

/** In the form that `site set` accepts. */
export function siteServerText({ address, port, options = {} }: ServerRequest): string {
  const target = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  const words = Object.entries(options)
    .filter(([name, value]) => !(name === 'check' && value === true))
    .map(([name, value]) => (value === true ? name : `${name}=${value}`));
  return [target, ...words].join(',');
}

export function siteVerb(cli: CommandLine): Verb {
  const set = new Verb('set', 'create a site or replace its servers; when the command returns, the site is live')
    .argument('<domain>', 'such as www.example.org')
    .argument(
      '<server...>',
      'HOST:PORT, with options after commas: weight=N, backup, max_connections=N, check=false, ssl=verify',
    )
    .option('--replace-configuration', replaceHelp)
    .example('site set www.example.org 10.0.0.5:8080', 'one server')
    .example('site set www.example.org 10.0.0.5:8080,weight=10 10.0.0.6:8080,backup', 'with a backup server')
    .example('site set www.example.org app.internal:8443,ssl=verify', 'TLS to the server');
  const rm = new Verb('rm', 'remove a site')
    .argument('<domain>')
    .option('--replace-configuration', replaceHelp)
    .example('site rm www.example.org', 'requests for the domain then get 404');
  const ls = new Verb('ls', 'list the sites, or the servers of one site with their state in HAProxy')
    .argument('[domain]')
    .example('site ls', 'all sites')
    .example('site ls www.example.org', 'which of its servers are up');
  return new Verb('site', 'manage domains and their servers')
    .addCommand(cli.calling(set, siteSet))
    .addCommand(cli.calling(rm, siteRemove))
    .addCommand(cli.calling(ls, siteList))
    .addCommand(siteTlsVerb(cli));
}

const onInterruption = (): string => 'the service continues the change; see: proxy-manager site ls';

async function siteSet(
  session: Session,
  [domain = '', ...servers]: readonly string[],
  options: Options,
): Promise<ExitCode> {
  const wanted = servers.map(parseSiteServer);
  session.interruption.reports(onInterruption);
  const { data: answer } = await session.api.PUT('/api/sites/{domain}', {
    params: { path: { domain }, query: consentOf(options) },
    body: { servers: wanted },
  });
  const line = `${answer.domain} is ${liveText(answer)}: ${answer.servers.map(siteServerText).join(' ')}`;
  await printAnswer(session, answer, () => [harmless(line), ...reloadLines(answer.reload)], harmlessLines);
  return answer.served === false ? exitCodes.partly : exitCodes.done;
}

/** An older service does not report `served`. */
function liveText({ served }: { readonly served?: boolean }): string {
  return served === false ? 'stored, but not served: the template does not use the sites' : 'live';
}

async function siteRemove(session: Session, [domain = '']: readonly string[], options: Options): Promise<ExitCode> {
  session.interruption.reports(onInterruption);
  const { data: answer } = await session.api.DELETE('/api/sites/{domain}', {
    params: { path: { domain }, query: consentOf(options) },
  });
  const line = `${answer.domain} is no longer served`;
  await printAnswer(session, answer, () => [harmless(line), ...reloadLines(answer.reload)], harmlessLines);
  return exitCodes.done;
}

async function siteList(session: Session, [domain]: readonly string[]): Promise<ExitCode> {
  return domain === undefined ? await allSites(session) : await serversOf(session, domain);
}

async function allSites({ api, output, format, now }: Session): Promise<ExitCode> {
  const { data: answer } = await api.GET('/api/sites');
  if (format === 'json') await output.json(answer);
  else if (answer.items.length === 0 && output.isTerminal) await output.lines(['no sites']);
  else {
    await output.rows<SiteRecord>([
      { title: 'DOMAIN', text: ({ domain }) => domain },
      { title: 'SERVERS', text: ({ servers }) => servers.map(siteServerText).join(' '), mayShrink: true },
      { title: 'CHANGED', text: ({ updated_at: at }) => fromNow(at, now()), plain: ({ updated_at: at }) => at },
    ])(answer.items);
  }
  return exitCodes.done;
}

async function serversOf({ api, output, format }: Session, domain: string): Promise<ExitCode> {
  const { data: answer } = await api.GET('/api/sites/{domain}/servers', { params: { path: { domain } } });
  if (format === 'json') await output.json(answer);
  else {
    await output.rows<ServerState>([
      { title: 'SERVER', text: (server) => siteServerText({ address: server.address, port: server.port }) },
      {
        title: 'STATE',
        text: ({ status }) => status ?? 'unknown',
        style: ({ status }) =>
          status === null ? 'warning' : status.startsWith('UP') || status === 'no check' ? 'good' : 'error',
      },
      { title: 'CHECK', text: ({ check }) => check ?? '' },
      { title: 'RESOLVED', text: ({ resolved_address: address }) => address ?? '' },
    ])(answer.items);
  }
  return exitCodes.done;
}
