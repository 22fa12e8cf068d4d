// `site`: which servers answer for a domain.

import type { ServerRequest, ServerState, SiteRecord } from '../../api/sites.ts';
import { quote } from '../../domain/quote.ts';
import { type ExitCode, exitCodes, misused } from '../failure.ts';
import { harmless, harmlessLines } from '../output/harmless.ts';
import { fromNow } from '../output/times.ts';
import { consentOf, reloadLines, replaceHelp } from '../reload-text.ts';
import type { Session } from '../session.ts';
import { Verb } from '../verb.ts';

// A server of a site as it is typed: `HOST:PORT`, `[IPV6]:PORT`, and options behind commas.

const form = 'HOST:PORT[,weight=N][,backup][,max_connections=N][,check=false][,ssl=verify]';

/** The API judges host and options; here it is only taken apart. @throws Failure (usage) */
export function parseSiteServer(text: string): ServerRequest {
  const [place = '', ...words] = text.split(',');
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):([0-9]{1,5})$/.exec(place);
  if (match === null) throw misused(`${quote(text)} is no server; write ${form}`);
  const options = Object.fromEntries(words.map((word) => parseOption(word, text)));
  return {
    address: match[1] ?? match[2] ?? '',
    port: Number(match[3]),
    ...(words.length > 0 && { options }),
  };
}

function parseOption(word: string, text: string): [string, boolean | number | string] {
  const [, name, value] = /^([a-z_]+)(?:=(.+))?$/.exec(word) ?? [];
  if (name === undefined) throw misused(`${quote(text)} has no proper option ${quote(word)}; write ${form}`);
  if (value === undefined || value === 'true') return [name, true];
  if (value === 'false') return [name, false];
  return [name, /^[0-9]{1,9}$/.test(value) ? Number(value) : value];
}

/** As it would be typed. */
export function siteServerText({ address, port, options = {} }: ServerRequest): string {
  const place = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  const words = Object.entries(options)
    .filter(([name, value]) => !(name === 'check' && value === true))
    .map(([name, value]) => (value === true ? name : `${name}=${value}`));
  return [place, ...words].join(',');
}

export function siteVerbs(): { group: Verb; verbs: Readonly<Record<'set' | 'rm' | 'ls', Verb>> } {
  const group = new Verb('site', 'which servers answer for a domain');
  const verbs = {
    set: new Verb('set', 'make a site, or give it other servers; live by a safe reload before it returns')
      .argument('<domain>', 'such as www.example.org')
      .argument(
        '<server...>',
        'HOST:PORT, and behind commas weight=N, backup, max_connections=N, check=false, ssl=verify',
      )
      .option('--replace-configuration', replaceHelp)
      .example('site set www.example.org 10.0.0.5:8080', 'one server')
      .example(
        'site set www.example.org 10.0.0.5:8080,weight=10 10.0.0.6:8080,backup',
        'a second one for when it is down',
      )
      .example('site set www.example.org app.internal:8443,ssl=verify', 'TLS to the server') as Verb,
    rm: new Verb('rm', 'take a site away')
      .argument('<domain>')
      .option('--replace-configuration', replaceHelp)
      .example('site rm www.example.org', 'its domain gets 404 from then on') as Verb,
    ls: new Verb('ls', 'list the sites; of one, its servers as the proxy sees them')
      .argument('[domain]')
      .example('site ls', 'all of them')
      .example('site ls www.example.org', 'which of its servers are up') as Verb,
  };
  for (const verb of Object.values(verbs)) group.addCommand(verb);
  return { group, verbs };
}

export async function siteSet(
  session: Session,
  [domain = '', ...servers]: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<ExitCode> {
  const wanted = servers.map(parseSiteServer);
  session.interruption.reports(
    () => 'the change was not answered; the service goes on with it, see: proxy-manager site ls',
  );
  const { data: answer } = await session.api.PUT('/api/sites/{domain}', {
    params: { path: { domain }, query: consentOf(options) },
    body: { servers: wanted },
  });
  if (session.format === 'json') await session.output.json(answer);
  else {
    const line = `${answer.domain} is ${liveText(answer)}: ${answer.servers.map(siteServerText).join(' ')}`;
    await session.output.lines([harmless(line), ...reloadLines(answer.reload).map(harmlessLines)]);
  }
  return answer.served === false ? exitCodes.partly : exitCodes.done;
}

/** A service that is older than this does not say whether. */
export function liveText({ served }: { readonly served?: boolean }): string {
  return served === false ? 'stored, but not served: the template of the configuration has nothing for it' : 'live';
}

export async function siteRemove(
  session: Session,
  [domain = '']: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<ExitCode> {
  session.interruption.reports(
    () => 'the change was not answered; the service goes on with it, see: proxy-manager site ls',
  );
  const { data: answer } = await session.api.DELETE('/api/sites/{domain}', {
    params: { path: { domain }, query: consentOf(options) },
  });
  if (session.format === 'json') await session.output.json(answer);
  else {
    const line = `${answer.domain} is served no more`;
    await session.output.lines([harmless(line), ...reloadLines(answer.reload).map(harmlessLines)]);
  }
  return exitCodes.done;
}

export async function siteList(session: Session, [domain]: readonly string[]): Promise<ExitCode> {
  return domain === undefined ? await allSites(session) : await serversOf(session, domain);
}

async function allSites({ api, output, format, now }: Session): Promise<ExitCode> {
  const { data: answer } = await api.GET('/api/sites');
  if (format === 'json') await output.json(answer);
  else if (answer.items.length === 0 && output.isTerminal) await output.lines(['there are no sites']);
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
        text: ({ status }) => status ?? 'not known',
        style: ({ status }) =>
          status === null ? 'warning' : status.startsWith('UP') || status === 'no check' ? 'good' : 'trouble',
      },
      { title: 'CHECK', text: ({ check }) => check ?? '' },
      { title: 'RESOLVED', text: ({ resolved_address: address }) => address ?? '' },
    ])(answer.items);
  }
  return exitCodes.done;
}
