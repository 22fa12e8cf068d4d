import type { SiteTlsRecord, SiteTlsRequest } from '../../api/site-tls.ts';
import { parseDuration } from '../../domain/duration.ts';
import { mostHstsSeconds } from '../../domain/site-tls.ts';
import type { CommandLine } from '../command-line.ts';
import { type ExitCode, exitCodes, usageError } from '../failure.ts';
import { printAnswer, type Session } from '../session.ts';
import { type Options, Verb } from '../verb.ts';

export function siteTlsVerb(cli: CommandLine): Verb {
  const verb = new Verb('tls', 'show or change whether a site redirects to https and sends HSTS; without a reload')
    .argument('<domain>')
    .option('--redirect', 'redirect plain HTTP to https, as long as a certificate for the name is served')
    .option('--no-redirect', 'answer plain HTTP')
    .option('--hsts <time>', 'browsers use https alone for this time, such as 365d; 0: they forget it')
    .option('--no-hsts', 'send no HSTS')
    .option('--include-subdomains', 'with --hsts: for every name below the site too')
    .option('--preload', 'with --hsts: browsers may contain the name as a default; hard to undo')
    .example('site tls www.example.org', 'what it has, and whether that is in force')
    .example('site tls www.example.org --redirect', 'from plain HTTP to https')
    .example(
      'site tls www.example.org --hsts 365d --include-subdomains',
      'HSTS for a year; the redirect stays as it is',
    );
  return cli.calling(verb, siteTls);
}

async function siteTls(session: Session, [domain = '']: readonly string[], options: Options): Promise<ExitCode> {
  const change = changeOf(options);
  const path = { params: { path: { domain } } };
  if (change === null) {
    const { data: now } = await session.api.GET('/api/sites/{domain}/tls', path);
    await printAnswer(session, now, () => siteTlsLines(now));
    return exitCodes.done;
  }
  session.interruption.reports(() => `the service continues the change; see: proxy-manager site tls ${domain}`);
  const { data: answer } = await session.api.PUT('/api/sites/{domain}/tls', {
    params: { path: { domain }, query: { keep_absent: true } },
    body: change,
  });
  await printAnswer(session, answer, () => siteTlsLines(answer));
  return answer.in_force ? exitCodes.done : exitCodes.partly;
}

/** Null: nothing is to be changed. @throws Failure (usage) */
function changeOf({ redirect, hsts, includeSubdomains, preload }: Options): SiteTlsRequest | null {
  const scope = { include_subdomains: includeSubdomains === true, preload: preload === true };
  if ((scope.include_subdomains || scope.preload) && typeof hsts !== 'string') {
    throw usageError('--include-subdomains and --preload need --hsts');
  }
  if (redirect === undefined && hsts === undefined) return null;
  return {
    ...(redirect === undefined ? {} : { redirect: redirect === true ? 'auto' : 'off' }),
    ...(hsts === undefined ? {} : { hsts: typeof hsts === 'string' ? { max_age: seconds(hsts), ...scope } : null }),
  };
}

function seconds(text: string): number {
  if (text === '0') return 0;
  const duration = parseDuration(text);
  if (!duration.ok) throw usageError(`--hsts: ${duration.why}`);
  if (duration.value > mostHstsSeconds) throw usageError('--hsts: at most 3650d');
  return duration.value;
}

export function siteTlsLines(record: SiteTlsRecord): string[] {
  const { domain, redirect, hsts, tls_enabled: tls, certificate, in_force: inForce, reason } = record;
  const without = record.names_without_certificate.filter((name) => name !== domain);
  const scope = hsts?.preload ? ', with subdomains and preload' : hsts?.include_subdomains ? ', with subdomains' : '';
  return [
    `${domain}: redirect ${redirect}, HSTS ${hsts === null ? 'off' : `${hsts.max_age} s${scope}`}`,
    tls
      ? `certificate: ${certificate ?? 'none'}`
      : `${inForce ? '' : 'not in force: '}TLS is off; set PROXY_MANAGER_HTTPS_BIND, restart the service, and reload HAProxy (docs/tls.md)`,
    ...(tls && without.length > 0 ? [`other names without a certificate: ${without.join(', ')}`] : []),
    ...(inForce || !tls ? [] : [`not in force: ${reason}`]),
    ...(inForce && (redirect === 'auto' || hsts !== null) ? ['in force'] : []),
  ];
}
