// Reads the values of single settings.

import { isIPv4, isIPv6 } from 'node:net';
import { basename, isAbsolute, join } from 'node:path';
import { parseAccessLog } from './domain/access-log.ts';
import { type InsightMode, insightModes } from './domain/insight-mode.ts';

export interface ListenAddress {
  readonly text: string;
  readonly target: { readonly host: string; readonly port: number } | { readonly path: string };
}

/** How an attached service reloads: by HAProxy's master process, by a unit of systemd, or not at all. */
export type ReloadBy =
  | { readonly kind: 'master' }
  | { readonly kind: 'systemd'; readonly unit: string }
  | { readonly kind: 'never' };

export class SettingsError extends Error {
  readonly variable: string;
  constructor(variable: string, value: string, right: string) {
    super(`${variable}=${shown(value)} is not usable: ${right}`);
    this.name = 'SettingsError';
    this.variable = variable;
  }
}

/** On one line. */
function shown(value: string): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** HAProxy's `-S` takes 97 bytes (measured on 2.6). */
export const masterSocketPathLimit = 97;
/** The kernel's limit. */
const unixPathLimit = 107;
const certificateId = /^c-[a-z2-7]{10}$/;
const mostPerSource = 1_000_000;

/** As the setting takes it. */
export function describeReloadBy(reloadBy: ReloadBy): string {
  return reloadBy.kind === 'systemd' ? `systemd:${reloadBy.unit}` : reloadBy.kind;
}

/** The file of a certificate of the service, if `value` is the id of one. */
export function ownCertificateFile(value: string, tlsDir: string): string | null {
  return certificateId.test(value) ? join(tlsDir, `${value}.pem`) : null;
}

/** The id of the certificate of the service whose file this is; null: it is another file. */
function ownCertificateId(file: string, tlsDir: string): string | null {
  const id = basename(file, '.pem');
  return ownCertificateFile(id, tlsDir) === file ? id : null;
}

interface ListenSettings {
  readonly listen: ListenAddress;
  readonly listenCertificate: string | null;
  readonly listenKey: string | null;
  readonly tlsDir: string;
}

/** The certificate of the service with which the API serves HTTPS; null: files of the operator, or plain HTTP. */
export function listenCertificateId({
  listenCertificate: file,
  tlsDir,
}: Pick<ListenSettings, 'listenCertificate' | 'tlsDir'>): string | null {
  return file === null ? null : ownCertificateId(file, tlsDir);
}

/** @throws SettingsError */
export function refuseListenFiles(settings: ListenSettings, usesCertificates: boolean): void {
  const { listen, listenCertificate, listenKey } = settings;
  const id = listenCertificateId(settings);
  if (id !== null && listenKey !== null)
    throw new SettingsError('PROXY_MANAGER_LISTEN_KEY', listenKey, `the service has the key of ${id}; remove it`);
  if (id !== null && !usesCertificates)
    throw new SettingsError(
      'PROXY_MANAGER_LISTEN_CERTIFICATE',
      id,
      'the service serves no certificates; set PROXY_MANAGER_HTTPS_BIND, or name the files of another certificate',
    );
  if (listenKey !== null && listenCertificate === null)
    throw new SettingsError('PROXY_MANAGER_LISTEN_KEY', listenKey, 'requires PROXY_MANAGER_LISTEN_CERTIFICATE');
  if (listenCertificate !== null && 'path' in listen.target)
    throw new SettingsError(
      'PROXY_MANAGER_LISTEN_CERTIFICATE',
      listenCertificate,
      `not possible on a Unix socket (PROXY_MANAGER_LISTEN=${listen.text}), which needs no TLS; remove it`,
    );
}

export function parseMaxEntries(value: string): number {
  if (/^(0|[1-9][0-9]{0,8})$/.test(value)) return Number(value);
  throw new SettingsError(
    'PROXY_MANAGER_MAX_ENTRIES',
    value,
    'must be a whole number from 1 to 999999999, or 0 for no limit',
  );
}

/** @param variable named in the error. @throws SettingsError */
export function parseReloadBy(value: string, variable = 'PROXY_MANAGER_RELOAD_BY'): ReloadBy {
  if (value === 'master' || value === 'never') return { kind: value };
  const unit = /^systemd:([A-Za-z0-9:_.@\\-]{1,200}\.service)$/.exec(value)?.[1];
  if (unit !== undefined && !unit.startsWith('-')) return { kind: 'systemd', unit };
  throw new SettingsError(variable, value, 'must be master, never or systemd:UNIT, such as systemd:haproxy.service');
}

/** Names that HAProxy accepts for a section. @param variable named in the error. @throws SettingsError */
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
  // What looks like an IPv4 address must be one; a resolver would read 127.1 or 010.0.0.1 differently.
  if (plain !== undefined && /^[0-9.]+$/.test(plain) && !isIPv4(plain)) return wrong();
  return { text: value, target: { host: (bracketed ?? plain)!, port } };
}

export function connectionsPerSource(value: string): number | null {
  if (/^(0|[1-9]\d{0,6})$/.test(value) && Number(value) <= mostPerSource) return Number(value) || null;
  throw new SettingsError(
    'PROXY_MANAGER_CONNECTIONS_PER_SOURCE',
    value,
    `must be a whole number from 1 to ${mostPerSource}, or 0 for no limit`,
  );
}

export function insight(value: string): InsightMode {
  const mode = insightModes.find((one) => one === value);
  if (mode !== undefined) return mode;
  throw new SettingsError(
    'PROXY_MANAGER_INSIGHT',
    value,
    `must be ${insightModes.slice(0, -1).join(', ')} or ${insightModes.at(-1)}`,
  );
}

export function accessLog(value: string): string {
  const access = parseAccessLog(value);
  if (access.ok) return access.value;
  throw new SettingsError('PROXY_MANAGER_ACCESS_LOG', value, access.why);
}

/** For a `bind` line: an address and a port, nothing that could contain another word. `any:80`: `boundAddresses`. */
export function parseBinds(name: 'HTTP_BIND' | 'HTTPS_BIND', value: string): readonly string[] {
  const binds = value.split(',').map((bind) => bind.trim());
  const bound = boundBy(binds);
  if (!binds.every(isBind) || new Set(bound).size < bound.length) {
    throw new SettingsError(
      `PROXY_MANAGER_${name}`,
      value,
      'must be any:PORT, :PORT, IPV4:PORT or [IPV6]:PORT, several separated by commas, each once',
    );
  }
  return Object.freeze(binds);
}

/** HAProxy would bind it twice, and the kernel would spread the connections over both. */
export function refuseSharedBinds(settings: {
  readonly httpBind: readonly string[];
  readonly httpsBind: readonly string[];
}): void {
  const [http, https] = [settings.httpBind, settings.httpsBind].map((binds) =>
    boundBy(binds).map((bind) => bind.replace(/^\*/, '')),
  );
  const shared = https?.find((bind) => http?.includes(bind));
  if (shared === undefined) return;
  throw new SettingsError(
    'PROXY_MANAGER_HTTPS_BIND',
    settings.httpsBind.join(','),
    `requires ports of its own: PROXY_MANAGER_HTTP_BIND has ${shared} too`,
  );
}

/** `any:80` is two addresses. */
function boundBy(binds: readonly string[]): readonly string[] {
  return binds.flatMap((bind) => (bind.startsWith('any:') ? [bind.slice(3), `[::]${bind.slice(3)}`] : [bind]));
}

export function httpsPublicPort(value: string): number {
  if (/^[1-9]\d{0,4}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new SettingsError('PROXY_MANAGER_HTTPS_PUBLIC_PORT', value, 'must be a port from 1 to 65535');
}

function isBind(text: string): boolean {
  const match = /^(?:any|\*|([0-9.]+)|\[([0-9a-fA-F:.]+)\])?:([1-9]\d{0,4})$/.exec(text);
  if (match === null || Number(match[3]) > 65_535) return false;
  return (match[1] === undefined || isIPv4(match[1])) && (match[2] === undefined || isIPv6(match[2]));
}

/** Paths go into the configuration and onto the command socket: only characters without special meaning there. */
export function checkPathText(variable: string, value: string): void {
  if (!/^[A-Za-z0-9._/+@=-]+$/.test(value)) {
    throw new SettingsError(variable, value, 'must be a path of these characters only: A-Z a-z 0-9 . _ / + @ = -');
  }
}

export function limitPath(variable: string, path: string, limit: number): void {
  if (Buffer.byteLength(path) > limit) {
    throw new SettingsError(
      variable,
      path,
      `a socket path can have at most ${limit} bytes; this one has ${Buffer.byteLength(path)}`,
    );
  }
}
