import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { InsightMode } from '../../domain/insight-mode.ts';
import type { Site, SiteServer } from '../../domain/site.ts';
import { backendName } from '../../domain/site-backend.ts';
import { accessLogOf, isSocket, syslogSocketPath } from './access-log.ts';
import type { DeniedPage } from './denied-page.ts';
import { boundAddresses } from './http-bind.ts';
import { refuseUnlessPlain, ValueRefused } from './template-values.ts';

export interface RenderInput {
  readonly blockedMap: string;
  readonly trustedMap: string;
  /** From the networks of upstreams to their mode (`domain/upstream-modes.ts`). */
  readonly upstreamsMap: string;
  /** The networks of upstreams that speak the PROXY protocol, with a value above 0. */
  readonly proxyProtocolMap: string;
  /** False: the configuration names neither of the two maps. */
  readonly hasUpstreams: boolean;
  /** As HAProxy writes addresses: `:80`, `127.0.0.1:8080`, `[::]:80`; or `any:80`, as in the settings. */
  readonly httpBind: readonly string[];
  readonly https: HttpsInput;
  /** The configuration that is replaced; null or absent: none. */
  readonly liveText?: string | null;
  readonly statsSocket: string;
  /** A number and a unit of `ms`, `s`, `m`, `h`, `d`, `w`; at most 24 days. */
  readonly hardStopAfter: string;
  /** For one untrusted source; null or absent: no limit. */
  readonly connectionsPerSource?: number | null;
  /** Absent: the built-in page. */
  readonly deniedPage?: DeniedPage;
  /** Absent: off. */
  readonly insight?: InsightMode;
  /** `auto`, `off` or a syslog address, as in the settings. Absent: off. */
  readonly accessLog?: string;
  readonly sites: Iterable<Site> | AsyncIterable<Site>;
  /** Such as `/etc/proxy/sites.map`; the map itself is named after its content. */
  readonly sitesMapBase: string;
  /**
   * For the answer to `show servers state`, written before every reload: a new worker starts with the resolved
   * addresses of the old one; without it a server found through DNS answers 503 until it is resolved. Must exist:
   * HAProxy 2.6 warns when it does not.
   */
  readonly serverStateFile?: string;
  /** Default: read from the machine. */
  readonly machine?: MachineFacts;
}

export interface HttpsInput {
  /** As `httpBind`; empty: the front end serves no TLS, and the configuration names none of the files. */
  readonly bind: readonly string[];
  /** At which clients reach it. */
  readonly publicPort: number;
  /** Certificate and key for a name that has none. */
  readonly defaultCertificate: string;
  /** The list of certificates, in the form of `crt-list`. */
  readonly list: string;
  /** Whether a handshake that names no host of the list is refused. */
  readonly strictSni: boolean;
  /** The map from name to redirect and HSTS (`domain/site-tls.ts`). */
  readonly sitesMap: string;
  /** The map from the path of a challenge to its answer (ADR 0085). */
  readonly challengesMap: string;
}

/** An address, a name in /etc/hosts, or a name to resolve by DNS. */
type ServerLookup = 'address' | 'hosts' | 'dns';

/** The template's variables, as documented in `docs/template.md`. Every name is always present; null means not set. */
export interface TemplateScope {
  readonly blocked_map: string;
  readonly trusted_map: string;
  readonly upstreams_map: string;
  readonly proxy_protocol_map: string;
  readonly has_upstreams: boolean;
  readonly http_bind: readonly string[];
  /** Empty: no TLS. */
  readonly https_bind: readonly string[];
  readonly https_public_port: number;
  readonly tls_default: string;
  readonly tls_list: string;
  readonly tls_strict_sni: boolean;
  readonly https_sites_map: string;
  readonly acme_challenges_map: string;
  readonly stats_socket: string;
  readonly hard_stop_after: string;
  readonly http_keep_alive: string;
  readonly maxconn: number;
  /** Null: no limit. */
  readonly connections_per_source: number | null;
  /** A syslog address; null: no access log. */
  readonly access_log: string | null;
  /** For `lf-file`; null: the operator has no page. */
  readonly denied_page: string | null;
  /** The same page, which counts its client; null: as above. */
  readonly counted_denied_page: string | null;
  /** Whether denied requests are counted. */
  readonly counts_denied: boolean;
  /** Whether requests of clients that are not blocked are counted; only with `counts_denied`. */
  readonly counts_clients: boolean;
  /** Through which a new worker gets the counts; null: they are not handed over. */
  readonly peers_socket: string | null;
  readonly resolv_conf: boolean;
  readonly server_state_file: string | null;
  /** From each name to what HAProxy does with it (`names-map.ts`). */
  readonly names_map: string;
  /** Whether one of these names is a wildcard. */
  readonly has_wildcards: boolean;
  /** From each host name of `sites` to its backend. */
  readonly sites_map: string;
  /** Those that their servers answer: neither disabled sites nor redirects. */
  readonly sites: readonly ScopeSite[];
}

export interface ScopeSite {
  readonly domain: string;
  readonly names: readonly string[];
  readonly canonical: string | null;
  readonly backend: string;
  /** Whether any of its servers is found through DNS. */
  readonly asks_dns: boolean;
  readonly servers: readonly ScopeServer[];
}

interface ScopeServer extends PlainServer {
  /** The rest of a `server` line, made of the fields above. */
  readonly parameters: string;
}

interface PlainServer {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly endpoint: string;
  readonly lookup: ServerLookup;
  readonly sni: string;
  readonly options: ScopeOptions;
}

interface ScopeOptions {
  readonly weight: number | null;
  readonly backup: boolean;
  readonly max_connections: number | null;
  readonly check: boolean;
  readonly ssl: 'none' | 'verify' | 'insecure';
}

/** Facts about the machine, read at every render. */
export interface MachineFacts {
  /** Whether /etc/resolv.conf names a server; without one `parse-resolv-conf` is fatal or warns (2.6 and 3.0). */
  readonly resolvConf: boolean;
  /** Lower-case names in /etc/hosts, which HAProxy's resolver ignores. */
  readonly hosts: ReadonlySet<string>;
  /** Whether a network interface has an IPv6 address, at least `lo`. */
  readonly ipv6: boolean;
  /** Whether the system's syslog socket exists. */
  readonly syslogSocket: boolean;
  /** The hard limit of this process, inherited by HAProxy it starts. */
  readonly openFiles: number;
}

export async function readMachineFacts(
  resolvConf = '/etc/resolv.conf',
  hosts = '/etc/hosts',
  syslog = syslogSocketPath,
): Promise<MachineFacts> {
  const [resolvText, hostsText, limits, ipv6Addresses, syslogSocket] = await Promise.all([
    readText(resolvConf),
    readText(hosts),
    readText('/proc/self/limits'),
    readText('/proc/net/if_inet6'),
    isSocket(syslog),
  ]);
  const names = new Set(['localhost']);
  for (const line of hostsText.split('\n')) {
    const [, ...words] = line.replace(/#.*/, '').trim().split(/\s+/);
    for (const word of words) names.add(word.toLowerCase());
  }
  return {
    resolvConf: /^[ \t]*nameserver[ \t]+[^\s#;]/m.test(resolvText),
    hosts: names,
    ipv6: ipv6Addresses !== '',
    syslogSocket,
    openFiles: openFilesOf(limits),
  };
}

/** The hard limit is the second: `Max open files            1024                 20000                files`. */
function openFilesOf(limits: string): number {
  const hard = /^Max open files\s+\S+\s+(\d+)/m.exec(limits)?.[1];
  return hard === undefined ? Number.POSITIVE_INFINITY : Number(hard);
}

/** Without the file nothing is resolved through it; sites with plain addresses do not need it. */
async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

/** Every variable; only sites are checked. */
export function scopeOf(
  input: RenderInput,
  sites: readonly ScopeSite[],
  maps: Pick<TemplateScope, 'names_map' | 'has_wildcards' | 'sites_map'>,
  machine: MachineFacts,
): TemplateScope {
  return {
    blocked_map: input.blockedMap,
    trusted_map: input.trustedMap,
    upstreams_map: input.upstreamsMap,
    proxy_protocol_map: input.proxyProtocolMap,
    has_upstreams: input.hasUpstreams,
    http_bind: boundAddresses(input.httpBind, machine.ipv6, input.liveText ?? null),
    https_bind: boundAddresses(input.https.bind, machine.ipv6, input.liveText ?? null),
    https_public_port: input.https.publicPort,
    tls_default: input.https.defaultCertificate,
    tls_list: input.https.list,
    tls_strict_sni: input.https.strictSni,
    https_sites_map: input.https.sitesMap,
    acme_challenges_map: input.https.challengesMap,
    stats_socket: input.statsSocket,
    ...timesOf(input.hardStopAfter),
    maxconn: maxconnFor(sites, machine.openFiles),
    connections_per_source: input.connectionsPerSource ?? null,
    access_log: accessLogOf(input.accessLog ?? 'off', machine.syslogSocket),
    denied_page: input.deniedPage?.file?.path ?? null,
    counted_denied_page: input.deniedPage?.counted?.path ?? null,
    ...countingOf(input.insight ?? 'off', input.statsSocket),
    resolv_conf: machine.resolvConf,
    server_state_file: input.serverStateFile ?? null,
    ...maps,
    sites,
  };
}

/** Bytes, as HAProxy takes it: it binds a temporary name first. */
const longestSocketPath = 97;

function countingOf(
  insight: InsightMode,
  statsSocket: string,
): Pick<TemplateScope, 'counts_denied' | 'counts_clients' | 'peers_socket'> {
  const counts = insight !== 'off';
  return {
    counts_denied: counts,
    counts_clients: insight === 'on',
    peers_socket: counts ? peersSocket(statsSocket) : null,
  };
}

/** Beside the stats socket, whose folder HAProxy may write to; null: HAProxy does not take a path of this length. */
function peersSocket(statsSocket: string): string | null {
  const path = `${statsSocket.replace(/\.sock$/, '')}-peers.sock`;
  return Buffer.byteLength(path) > longestSocketPath ? null : path;
}

/**
 * A connection takes two open files and a health check one or two. A proxy that wants more files than allowed passes
 * `-c` and then does not start (2.6 and 3.0), so this stays below the limit. Room for servers is reserved in powers of
 * two, so that adding a server rarely changes this line.
 */
function maxconnFor(sites: readonly ScopeSite[], openFiles: number): number {
  const servers = sites.reduce((sum, site) => sum + site.servers.length, 0);
  const room = 2 ** Math.ceil(Math.log2(Math.max(minReservedServers, servers)));
  return Math.max(minMaxconn, Math.min(maxMaxconn, Math.floor((openFiles - 256 - 2 * room) / 2)));
}

/** Throws ValueRefused for text that is unsafe in a configuration. */
export function scopeSite(site: Site, hosts: ReadonlySet<string>): ScopeSite {
  const path = `sites[${site.domain.slice(0, 80)}]`;
  const { domain, names = [], canonical = null } = site;
  const plain = { domain, names, canonical, backend: backendName(domain) };
  refuseUnlessPlain(plain, path);
  const servers = site.servers.map((server, index) => {
    const fields = plainServer(site, server, index, hosts);
    refuseUnlessPlain(fields, `${path}.servers[${index}]`);
    return { ...fields, parameters: parametersOf(fields) };
  });
  return { ...plain, asks_dns: servers.some(({ lookup }) => lookup === 'dns'), servers };
}

function plainServer(site: Site, server: SiteServer, index: number, hosts: ReadonlySet<string>): PlainServer {
  const { address, port, options = {} } = server;
  const family = isIP(address);
  const known = hosts.has(address) || address.endsWith('.localhost');
  return {
    address,
    port,
    endpoint: family === 6 ? `[${address}]:${port}` : `${address}:${port}`,
    // The endpoint is part of the name: saved state is loaded by name, and would restore an old port.
    name: `s${index + 1}_${address}:${port}`,
    lookup: family !== 0 ? 'address' : known ? 'hosts' : 'dns',
    // A certificate is for a name: the server's own, or the site's if the server is only an address.
    sni: family === 0 ? address : site.domain,
    options: {
      weight: options.weight ?? null,
      backup: options.backup ?? false,
      max_connections: options.max_connections ?? null,
      check: options.check ?? true,
      ssl: options.ssl ?? 'none',
    },
  };
}

/** An unresolvable name never stops HAProxy (`none`); HAProxy asks DNS itself, while it runs. */
const lookupParameters: Readonly<Record<ServerLookup, string>> = {
  address: '',
  hosts: 'init-addr libc,none',
  dns: 'resolvers system resolve-prefer ipv4 init-addr last,none',
};

function parametersOf({ lookup, sni, options }: PlainServer): string {
  const words = [lookupParameters[lookup]];
  if (options.weight !== null) words.push(`weight ${options.weight}`);
  if (options.max_connections !== null) words.push(`maxconn ${options.max_connections}`);
  if (options.backup) words.push('backup');
  words.push(options.check ? 'check' : 'no-check');
  if (options.ssl !== 'none') {
    words.push(`ssl sni str(${sni})`);
    if (options.check) words.push(`check-sni ${sni}`);
    words.push(options.ssl === 'verify' ? 'verify required ca-file @system-ca' : 'verify none');
  }
  return words.filter((word) => word !== '').join(' ');
}

const millisecondsPer: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** HAProxy keeps times in signed 32-bit milliseconds: 24 days. */
const maxDurationMs = 24 * 86_400_000;
const keepAlive = 15_000;
const minReservedServers = 64;
const minMaxconn = 100;
const maxMaxconn = 10_000;

function timesOf(hardStopAfter: string): { hard_stop_after: string; http_keep_alive: string } {
  const parts = /^(\d{1,9})(ms|s|m|h|d|w)$/.exec(hardStopAfter);
  const milliseconds = Number(parts?.[1]) * (millisecondsPer[parts?.[2] ?? ''] ?? Number.NaN);
  if (!(milliseconds >= 2 && milliseconds <= maxDurationMs)) {
    throw new ValueRefused(
      `hard_stop_after ${JSON.stringify(hardStopAfter)} is not a duration of at most 24 days, such as 30m`,
    );
  }
  return {
    // HAProxy knows no weeks.
    hard_stop_after: hardStopAfter.endsWith('w') ? `${milliseconds}ms` : hardStopAfter,
    http_keep_alive: `${Math.min(keepAlive, Math.floor(milliseconds / 2))}ms`,
  };
}
