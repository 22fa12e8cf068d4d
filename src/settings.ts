// Environment and command line become one frozen object here; nothing else of the product reads either.
// The table is docs/settings.md. Every error names the variable, the value and what would be right.

import { isIPv4, isIPv6 } from 'node:net';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { parseDuration } from './domain/duration.ts';
import { nearestNames } from './domain/nearest-names.ts';
import { crashVariable } from './faults/crash-point.ts';
import { attachedOnly, managedOnly, type SettingDefinition, settingDefinitions } from './setting-definitions.ts';
import { databaseFile } from './store/database-file.ts';

export { settingDefinitions } from './setting-definitions.ts';

export interface ListenAddress {
  readonly text: string;
  readonly target: { readonly host: string; readonly port: number } | { readonly path: string };
}

/** How an attached service reloads: by HAProxy's master process, by a unit of systemd, or not at all. */
export type ReloadBy =
  | { readonly kind: 'master' }
  | { readonly kind: 'systemd'; readonly unit: string }
  | { readonly kind: 'never' };

export interface Settings {
  readonly prefix: string;
  readonly listen: ListenAddress;
  /** The key given by the operator, always valid; null: one is made at the first start. Never printed. */
  readonly apiKey: string | null;
  /** Where the key given by the operator was read from; null: from the variable, or there is none. */
  readonly apiKeyFile: string | null;
  readonly databaseUrl: string;
  readonly configFile: string;
  readonly blockedMap: string;
  readonly trustedMap: string;
  readonly sitesMap: string;
  /** null: the built-in template. */
  readonly template: string | null;
  readonly masterSocket: string;
  readonly statsSocket: string;
  readonly pidFile: string;
  /** `-`: standard output only. */
  readonly logFile: string;
  readonly backupDir: string;
  readonly proxyBin: string;
  readonly httpBind: readonly string[];
  readonly hardStopAfter: string;
  /** Connections that one untrusted source may have at once; null: no limit. */
  readonly connectionsPerSource: number | null;
  readonly supervise: boolean;
  /** The configuration is the operator's: the service keeps the maps only (docs/attach.md). */
  readonly attached: boolean;
  /** Of an attached service. */
  readonly reloadBy: ReloadBy;
  /** Front ends of an attached service that are to have no rule for the blocked map. */
  readonly openFrontEnds: readonly string[];
  readonly metricsOpen: boolean;
  /** Holds the instance marker, the key made at the first start and the proxy's output. */
  readonly stateDir: string;
  readonly acceptEmptyDatabase: boolean;
  readonly acceptMapFile: boolean;
  /** The most entries that the blocked set takes; 0: no limit. */
  readonly maxEntries: number;
  readonly adoptMapFile: boolean;
}

export class SettingsError extends Error {
  readonly variable: string;
  constructor(variable: string, value: string, right: string) {
    super(`${variable}=${shown(value)} is not usable: ${right}`);
    this.name = 'SettingsError';
    this.variable = variable;
  }
}

/** On one line, whatever it holds. */
function shown(value: string): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** In the place of a secret. */
const masked = '********';
/** The form of a key that the service made. */
const ownKey = /^pm_[A-Za-z0-9_-]{43}$/;

/** `-S` of HAProxy takes 97 bytes (measured on 2.6). */
const masterSocketPathLimit = 97;
/** A Unix socket path of the kernel. */
const unixPathLimit = 107;
const mostPerSource = 1_000_000;
const longestHardStop = 24 * 86_400;

/**
 * Reads the settings.
 * @param environment process environment
 * @param flags values of command-line flags by flag name; they win over the environment
 * @param readFile reads the key file
 * @throws SettingsError naming the variable
 */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Record<string, string | boolean | undefined>>,
  readFile: (path: string) => string,
): Settings {
  refuseUnknown(environment);
  const given = (definition: SettingDefinition): string | undefined => {
    const flag = definition.flag === null ? undefined : flags[definition.flag];
    const value = flag !== undefined ? String(flag) : environment[definition.variable];
    if (flag === undefined && value === '') return undefined;
    if (value !== undefined) refuseControlCharacters(definition, value);
    return value;
  };
  const byName = new Map(settingDefinitions.map((definition) => [definition.variable, definition]));
  const raw = (name: string): string => {
    const definition = byName.get(`PROXY_MANAGER_${name}`)!;
    return given(definition) ?? definition.fallback;
  };
  const isGiven = (name: string): boolean => given(byName.get(`PROXY_MANAGER_${name}`)!) !== undefined;

  const prefix = raw('PREFIX') === '' ? '' : resolve(raw('PREFIX'));
  const path = (name: string): string => {
    const value = raw(name);
    if (!isGiven(name)) return value === '' ? '' : `${prefix}${value}`;
    checkPathText(`PROXY_MANAGER_${name}`, value);
    return isAbsolute(value) ? value : resolve(value);
  };
  const boolean = (name: string): boolean => {
    const value = raw(name).toLowerCase();
    if (value === 'true' || value === '1' || value === 'yes') return true;
    if (value === 'false' || value === '0' || value === 'no') return false;
    throw new SettingsError(`PROXY_MANAGER_${name}`, raw(name), 'must be true or false');
  };

  if (prefix !== '') checkPathText('PROXY_MANAGER_PREFIX', prefix);
  const attached = boolean('ATTACHED');
  for (const name of attached ? managedOnly : attachedOnly) {
    if (!isGiven(name) || (name === 'SUPERVISE' && !boolean(name))) continue;
    throw new SettingsError(
      `PROXY_MANAGER_${name}`,
      raw(name),
      attached
        ? 'not allowed with PROXY_MANAGER_ATTACHED=true, where the operator configures and starts HAProxy; remove it'
        : 'requires PROXY_MANAGER_ATTACHED=true',
    );
  }
  const masterSocket = path('MASTER_SOCKET');
  limitPath('PROXY_MANAGER_MASTER_SOCKET', masterSocket, masterSocketPathLimit);
  const statsSocket = path('STATS_SOCKET');
  limitPath('PROXY_MANAGER_STATS_SOCKET', statsSocket, masterSocketPathLimit);
  const hardStopAfter = raw('HARD_STOP_AFTER');
  const hardStop = parseDuration(hardStopAfter);
  // HAProxy keeps times in 31 bits of milliseconds.
  if (!hardStop.ok || hardStop.value < 10 || hardStop.value > longestHardStop) {
    throw new SettingsError(
      'PROXY_MANAGER_HARD_STOP_AFTER',
      hardStopAfter,
      'must be a time from 10s to 24d, such as 30m or 2h',
    );
  }

  const [acceptMapFile, adoptMapFile] = [boolean('ACCEPT_MAP_FILE'), boolean('ADOPT_MAP_FILE')];
  if (acceptMapFile && adoptMapFile) {
    throw new SettingsError(
      'PROXY_MANAGER_ADOPT_MAP_FILE',
      raw('ADOPT_MAP_FILE'),
      'PROXY_MANAGER_ACCEPT_MAP_FILE loses what this one keeps: set one of the two',
    );
  }

  const settings: Settings = Object.freeze({
    prefix,
    listen: parseListen(raw('LISTEN')),
    apiKey: readKey(given(byName.get('PROXY_MANAGER_API_KEY')!), path('API_KEY_FILE'), readFile),
    apiKeyFile: isGiven('API_KEY') || !isGiven('API_KEY_FILE') ? null : path('API_KEY_FILE'),
    databaseUrl: databaseUrl(raw('DATABASE_URL'), isGiven('DATABASE_URL'), prefix),
    configFile: path('CONFIG_FILE'),
    blockedMap: path('BLOCKED_MAP'),
    trustedMap: path('TRUSTED_MAP'),
    sitesMap: path('SITES_MAP'),
    template: isGiven('TEMPLATE') ? path('TEMPLATE') : null,
    masterSocket,
    statsSocket,
    pidFile: path('PID_FILE'),
    logFile: raw('LOG_FILE') === '-' ? '-' : path('LOG_FILE'),
    backupDir: path('BACKUP_DIR'),
    proxyBin: raw('PROXY_BIN'),
    httpBind: parseHttpBind(raw('HTTP_BIND')),
    hardStopAfter,
    connectionsPerSource: connectionsPerSource(raw('CONNECTIONS_PER_SOURCE')),
    supervise: boolean('SUPERVISE'),
    attached,
    reloadBy: parseReloadBy(raw('RELOAD_BY')),
    openFrontEnds: parseOpenFrontEnds(raw('OPEN_FRONT_ENDS')),
    metricsOpen: boolean('METRICS_OPEN'),
    stateDir: `${prefix}/var/lib/proxy-manager`,
    acceptEmptyDatabase: boolean('ACCEPT_EMPTY_DATABASE'),
    acceptMapFile,
    adoptMapFile,
    maxEntries: parseMaxEntries(raw('MAX_ENTRIES')),
  });
  refuseSharedPaths(settings);
  return settings;
}

/** Two that name one file would overwrite each other: a trusted map in the blocked map's place trusts whom it blocks. */
function refuseSharedPaths(settings: Settings): void {
  const owners = new Map<string, string>();
  const claim = (variable: string, path: string | null): void => {
    if (path === null || path === '' || path === '-') return;
    const owner = owners.get(resolve(path));
    if (owner !== undefined) throw new SettingsError(variable, path, `${owner} names the same file`);
    owners.set(resolve(path), variable);
  };
  claim('PROXY_MANAGER_DATABASE_URL', databaseFile(settings.databaseUrl));
  claim('PROXY_MANAGER_CONFIG_FILE', settings.configFile);
  claim('PROXY_MANAGER_BLOCKED_MAP', settings.blockedMap);
  claim('PROXY_MANAGER_TRUSTED_MAP', settings.trustedMap);
  claim('PROXY_MANAGER_SITES_MAP', settings.sitesMap);
  claim('PROXY_MANAGER_TEMPLATE', settings.template);
  claim('PROXY_MANAGER_MASTER_SOCKET', settings.masterSocket);
  claim('PROXY_MANAGER_STATS_SOCKET', settings.statsSocket);
  claim('PROXY_MANAGER_PID_FILE', settings.pidFile);
  claim('PROXY_MANAGER_LOG_FILE', settings.logFile);
  claim('PROXY_MANAGER_BACKUP_DIR', settings.backupDir);
  if ('path' in settings.listen.target) claim('PROXY_MANAGER_LISTEN', settings.listen.target.path);
}

/** The effective settings for `config show`; secrets masked. */
export function describeSettings(settings: Settings): Record<string, string> {
  const { listen, apiKey, apiKeyFile, httpBind, template, reloadBy, openFrontEnds, ...rest } = settings;
  const shown: Record<string, string> = {
    listen: listen.text,
    apiKey: apiKey === null ? '(made at the first start)' : masked,
    ...(apiKeyFile === null ? {} : { apiKeyFile }),
    httpBind: httpBind.join(','),
    template: template ?? '(built in)',
    reloadBy: describeReloadBy(reloadBy),
    openFrontEnds: openFrontEnds.join(','),
  };
  for (const [name, value] of Object.entries(rest)) shown[name] = String(value);
  return shown;
}

/** As the setting takes it. */
export function describeReloadBy(reloadBy: ReloadBy): string {
  return reloadBy.kind === 'systemd' ? `systemd:${reloadBy.unit}` : reloadBy.kind;
}

/** More edits make another word of most names. */
const likelySlips = 3;

/** A misspelt variable would be ignored in silence otherwise. */
function refuseUnknown(environment: Readonly<Record<string, string | undefined>>): void {
  const known = new Set(settingDefinitions.map((definition) => definition.variable));
  // These belong to the command line and to the launcher; the last is ADR 0022's.
  const others = new Set(['PROXY_MANAGER_URL', 'PROXY_MANAGER_NODE', crashVariable]);
  for (const [name, value] of Object.entries(environment)) {
    if (name.startsWith('PROXY_MANAGER_TEST_')) continue;
    if (name.startsWith('PROXY_MANAGER_') && !known.has(name) && !others.has(name)) {
      const { edits, names } = nearestNames(name, [...known]);
      const meant = edits <= likelySlips && names.length === 1 ? `did you mean ${names[0]}?` : 'see `serve --help`';
      // Its value is not shown: what is misspelt may be the key's name.
      throw new SettingsError(
        name,
        value === undefined || value === '' ? '' : masked,
        `there is no such setting; ${meant}`,
      );
    }
  }
}

/** None means anything in a path, an address or a time; in a log or a terminal they would. */
function refuseControlCharacters({ variable, flag }: SettingDefinition, value: string): void {
  if (!/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(value)) return;
  throw new SettingsError(variable, flag === null ? '********' : value, 'must not contain control characters');
}

function readKey(key: string | undefined, file: string, readFile: (path: string) => string): string | null {
  const check = (variable: string, value: string): string => {
    // RFC 6750's token characters: what an Authorization header can carry whole.
    if (/^[A-Za-z0-9\-._~+/]{16,512}=*$/.test(value)) return value;
    throw new SettingsError(
      variable,
      masked,
      'the key must be 16 to 512 characters of A-Z a-z 0-9 - . _ ~ + /, with = only at the end',
    );
  };
  if (key !== undefined) return check('PROXY_MANAGER_API_KEY', key);
  if (file === '') return null;
  if (ownKey.test(basename(file))) {
    throw new SettingsError('PROXY_MANAGER_API_KEY_FILE', masked, 'must be the path of a file, but this is a key');
  }
  let content: string;
  try {
    content = readFile(file);
  } catch (error) {
    throw new SettingsError('PROXY_MANAGER_API_KEY_FILE', file, `the file cannot be read: ${(error as Error).message}`);
  }
  return check('PROXY_MANAGER_API_KEY_FILE', content.trim());
}

function databaseUrl(value: string, given: boolean, prefix: string): string {
  if (!value.startsWith('sqlite:/')) {
    const shown = value.replace(/\/\/.*@/, `//${masked}@`);
    throw new SettingsError('PROXY_MANAGER_DATABASE_URL', shown, 'must be sqlite:/absolute/path');
  }
  return given ? value : `sqlite:${join(prefix === '' ? '/' : prefix, databaseFile(value))}`;
}

function parseMaxEntries(value: string): number {
  if (/^(0|[1-9][0-9]{0,8})$/.test(value)) return Number(value);
  throw new SettingsError(
    'PROXY_MANAGER_MAX_ENTRIES',
    value,
    'must be a whole number from 1 to 999999999, or 0 for no limit',
  );
}

/** @param variable who gave it, for the error. @throws SettingsError */
export function parseReloadBy(value: string, variable = 'PROXY_MANAGER_RELOAD_BY'): ReloadBy {
  if (value === 'master' || value === 'never') return { kind: value };
  const unit = /^systemd:([A-Za-z0-9:_.@\\-]{1,200}\.service)$/.exec(value)?.[1];
  if (unit !== undefined && !unit.startsWith('-')) return { kind: 'systemd', unit };
  throw new SettingsError(variable, value, 'must be master, never or systemd:UNIT, such as systemd:haproxy.service');
}

/** Names as HAProxy takes them for a section. @param variable who gave them, for the error. @throws SettingsError */
export function parseOpenFrontEnds(value: string, variable = 'PROXY_MANAGER_OPEN_FRONT_ENDS'): readonly string[] {
  const names = value === '' ? [] : value.split(',').map((name) => name.trim());
  if (!names.every((name) => /^[A-Za-z0-9_.:-]{1,256}$/.test(name)) || new Set(names).size < names.length) {
    throw new SettingsError(
      variable,
      value,
      'must be names of frontend or listen sections, separated by commas, each once',
    );
  }
  return Object.freeze(names);
}

export function parseListen(value: string): ListenAddress {
  const wrong = (): never => {
    throw new SettingsError('PROXY_MANAGER_LISTEN', value, 'must be HOST:PORT, [IPv6]:PORT or unix:/absolute/path');
  };
  if (value.startsWith('unix:')) {
    const path = value.slice('unix:'.length);
    if (!isAbsolute(path)) return wrong();
    limitPath('PROXY_MANAGER_LISTEN', path, unixPathLimit);
    return { text: value, target: { path } };
  }
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(value);
  if (match === null) return wrong();
  const port = Number(match[3]);
  if (port > 65_535) return wrong();
  const [, bracketed, plain] = match;
  if (bracketed !== undefined && !isIPv6(bracketed)) return wrong();
  // What looks like an IPv4 address has to be one; a resolver would read 127.1 or 010.0.0.1 its own way.
  if (plain !== undefined && /^[0-9.]+$/.test(plain) && !isIPv4(plain)) return wrong();
  return { text: value, target: { host: (bracketed ?? plain)!, port } };
}

function connectionsPerSource(value: string): number | null {
  if (/^(0|[1-9]\d{0,6})$/.test(value) && Number(value) <= mostPerSource) return Number(value) || null;
  throw new SettingsError(
    'PROXY_MANAGER_CONNECTIONS_PER_SOURCE',
    value,
    `must be a whole number from 1 to ${mostPerSource}, or 0 for no limit`,
  );
}

/** What goes into a `bind` line: an address and a port, nothing that could carry another word. */
function parseHttpBind(value: string): readonly string[] {
  const binds = value.split(',').map((bind) => bind.trim());
  if (!binds.every(isBind) || new Set(binds).size < binds.length) {
    throw new SettingsError(
      'PROXY_MANAGER_HTTP_BIND',
      value,
      'must be :PORT, IPV4:PORT or [IPV6]:PORT, several separated by commas, each once',
    );
  }
  return Object.freeze(binds);
}

function isBind(text: string): boolean {
  const match = /^(?:\*|([0-9.]+)|\[([0-9a-fA-F:.]+)\])?:([1-9]\d{0,4})$/.exec(text);
  if (match === null || Number(match[3]) > 65_535) return false;
  return (match[1] === undefined || isIPv4(match[1])) && (match[2] === undefined || isIPv6(match[2]));
}

/** Paths go into the configuration and onto the command socket: only characters that mean nothing there. */
function checkPathText(variable: string, value: string): void {
  if (!/^[A-Za-z0-9._/+@=-]+$/.test(value)) {
    throw new SettingsError(variable, value, 'must be a path of these characters only: A-Z a-z 0-9 . _ / + @ = -');
  }
}

function limitPath(variable: string, path: string, limit: number): void {
  if (Buffer.byteLength(path) > limit) {
    throw new SettingsError(
      variable,
      path,
      `a socket path can have at most ${limit} bytes; this one has ${Buffer.byteLength(path)}`,
    );
  }
}
