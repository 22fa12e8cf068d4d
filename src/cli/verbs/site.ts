import type { ServerRequest, ServerState, SiteAnswer, SiteRecord, SiteRequest } from '../../api/site-records.ts';
import { quote } from '../../domain/quote.ts';
import type { CommandLine } from '../command-line.ts';
import { type ExitCode, exitCodes, usageError } from '../failure.ts';
import { harmless, harmlessLines } from '../output/harmless.ts';
import { fromNow } from '../output/times.ts';
import { consentOf, reloadLines, replaceHelp } from '../reload-text.ts';
import { printAnswer, type Session } from '../session.ts';
import { type Options, Verb } from '../verb.ts';
import { siteHttps } from './site-https.ts';
import { siteTlsVerb } from './site-tls.ts';
import { siteTrafficVerb } from './site-traffic.ts';

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
  const set = new Verb('set', 'create a site or change it; when the command returns, the site is live')
    .argument('<domain>', 'such as www.example.org')
    .argument(
      '[server...]',
      'HOST:PORT, with options after commas: weight=N, backup, max_connections=N, check=false, ssl=verify',
    )
    .option('--names <names>', 'further names, separated by commas; *.example.org covers one label')
    .option('--no-names', 'remove the further names')
    .option('--canonical <name>', 'the name to which the other names are redirected')
    .option('--no-canonical', 'redirect none of its names')
    .option('--redirect-to <url>', 'redirect all requests to this URL instead of serving them')
    .option('--redirect-status <status>', '301, 302, 307 or 308; default: 301')
    .option('--drop-path', 'redirect to the URL as it is, without path and query of the request')
    .option('--https', 'order a certificate from the authority, and redirect plain HTTP once it is served')
    .option('--replace-configuration', replaceHelp)
    .example('site set www.example.org 10.0.0.5:8080', 'one server')
    .example(
      'site set www.example.org 10.0.0.5:8080 --https',
      'with a certificate of the authority, and a redirect to https',
    )
    .example('site set www.example.org 10.0.0.5:8080,weight=10 10.0.0.6:8080,backup', 'with a backup server')
    .example('site set www.example.org app.internal:8443,ssl=verify', 'TLS to the server')
    .example(
      'site set example.org --names www.example.org --canonical www.example.org',
      'a second name, to which the first is redirected; servers of the site are kept, as all that is not given',
    )
    .example('site set old.example.org --redirect-to https://www.example.org', 'redirect a whole site');
  const off = new Verb('off', 'disable a site: requests for its names get 404, and no other site can have them')
    .argument('<domain>')
    .option('--replace-configuration', replaceHelp)
    .example('site off www.example.org', 'until: site on www.example.org');
  const on = new Verb('on', 'enable a disabled site')
    .argument('<domain>')
    .option('--replace-configuration', replaceHelp)
    .example('site on www.example.org', 'it is live when the command returns');
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
    .addCommand(cli.calling(on, (session, [domain = ''], options) => siteSwitch(session, domain, true, options)))
    .addCommand(cli.calling(off, (session, [domain = ''], options) => siteSwitch(session, domain, false, options)))
    .addCommand(cli.calling(rm, siteRemove))
    .addCommand(cli.calling(ls, siteList))
    .addCommand(siteTlsVerb(cli))
    .addCommand(siteTrafficVerb(cli));
}

const onInterruption = (): string => 'the service continues the change; see: proxy-manager site ls';

async function siteSet(
  session: Session,
  [domain = '', ...servers]: readonly string[],
  options: Options,
): Promise<ExitCode> {
  const change = changeOf(servers, options);
  const exit = Object.keys(change).length === 0 ? exitCodes.done : await putSite(session, domain, change, options);
  return options['https'] === true && exit === exitCodes.done ? await siteHttps(session, domain) : exit;
}

async function siteSwitch(session: Session, domain: string, enabled: boolean, options: Options): Promise<ExitCode> {
  return await putSite(session, domain, { enabled }, options);
}

/** What was typed; an absent member is kept. */
type SiteChange = Pick<SiteRequest, 'servers' | 'names' | 'canonical' | 'enabled' | 'redirect'>;

/** @throws Failure (usage) */
export function changeOf(servers: readonly string[], options: Options): SiteChange {
  const { names, canonical, redirectTo, redirectStatus, dropPath } = options;
  if (redirectTo === undefined && (redirectStatus !== undefined || dropPath === true))
    throw usageError('--redirect-status and --drop-path need --redirect-to');
  if (redirectTo !== undefined && servers.length > 0)
    throw usageError('a site has either servers or --redirect-to; leave out one of them');
  const change = {
    ...(servers.length > 0 && { servers: servers.map(parseSiteServer), redirect: null }),
    ...(names === false && { names: [] }),
    ...(typeof names === 'string' && { names: names.split(',').filter((name) => name !== '') }),
    ...(canonical === false && { canonical: null }),
    ...(typeof canonical === 'string' && { canonical }),
    ...(redirectTo !== undefined && {
      servers: [],
      // A redirect sends every name elsewhere.
      ...(canonical === undefined && { canonical: null }),
      redirect: { to: String(redirectTo), status: statusOf(redirectStatus), keep_path: dropPath !== true },
    }),
  };
  if (Object.keys(change).length === 0 && options['https'] !== true)
    throw usageError(`give a server, ${serverForm}, or an option`);
  return change;
}

function statusOf(text: unknown = '301'): 301 | 302 | 307 | 308 {
  const status = ([301, 302, 307, 308] as const).find((known) => String(known) === text);
  if (status === undefined) throw usageError('--redirect-status must be 301, 302, 307 or 308');
  return status;
}

/** What the body does not name is kept, so that two commands at once do not undo each other. */
async function putSite(session: Session, domain: string, body: SiteRequest, options: Options): Promise<ExitCode> {
  session.interruption.reports(onInterruption);
  const { data: answer } = await session.api.PUT('/api/sites/{domain}', {
    params: { path: { domain }, query: { ...consentOf(options), keep_absent: true } },
    body,
  });
  await printAnswer(
    session,
    answer,
    () => [...setLines(answer).map(harmless), ...reloadLines(answer.reload)],
    harmlessLines,
  );
  const { enabled = true, served = true, ignored = [] } = answer;
  return ignored.length > 0 || (enabled && !served) ? exitCodes.partly : exitCodes.done;
}

/** An older service reports only the servers. */
export function setLines(
  answer: Pick<SiteRecord, 'domain' | 'servers'> & Partial<Omit<SiteAnswer, 'reload'>>,
): string[] {
  const { domain, names = [], canonical, enabled = true, served = true, ignored = [] } = answer;
  const why = ignored.length > 0 ? '' : ': the template does not use the sites';
  const unserved = enabled ? `stored, but not served${why}` : 'disabled: requests for its names get 404';
  const lines = [`${domain} is ${enabled && served ? `live: ${destination(answer)}` : unserved}`];
  if (names.length > 0) lines.push(`further names: ${names.join(', ')}`);
  if (canonical) lines.push(`its other names are redirected to ${canonical}`);
  if (ignored.length > 0) {
    const advice = 'use names_map in the template, as the built-in one does (docs/template.md)';
    lines.push(`the template does not apply ${ignored.join(', ')}; ${advice}`);
  }
  return lines;
}

function destination({
  servers,
  redirect,
}: Pick<SiteRecord, 'servers'> & Partial<Pick<SiteRecord, 'redirect'>>): string {
  if (!redirect) return servers.map(siteServerText).join(' ');
  const { to, status, keep_path: keepsPath } = redirect;
  return `redirects to ${to} (${status}${keepsPath ? ', with the path' : ''})`;
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
      { title: 'SERVERS', text: destination, mayShrink: true },
      { title: 'CHANGED', text: ({ updated_at: at }) => fromNow(at, now()), plain: ({ updated_at: at }) => at },
      { title: 'STATE', text: ({ enabled }) => (enabled === false ? 'off' : 'on') },
      { title: 'NAMES', text: ({ names = [] }) => names.join(' '), mayShrink: true },
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
