// The files and texts of `attach`. Each file names its origin; `detach` keeps files that were changed since.
import { exceptUnnamedUpstream, upstreamLinesFor } from '../configuration/template/client-address-rules.ts';
import { describeReloadBy, type ReloadBy } from '../settings.ts';

export const user = 'proxy-manager';

export interface Maps {
  readonly blockedMap: string;
  readonly trustedMap: string;
}

export interface UpstreamMaps {
  readonly upstreamsMap: string;
  readonly proxyProtocolMap: string;
}

/** The name of the condition in the pasted lines. */
export const ruleAcl = 'proxy_manager_blocked';

/**
 * The lines to paste at the beginning of one section. Without HTTP the session is rejected, not the connection: only
 * then has a PROXY protocol header named the client.
 */
export function ruleLines(mode: string, { blockedMap, trustedMap }: Maps): readonly string[] {
  const unlessTrusted = `!{ src,map_ip(${trustedMap},0) -m int gt 0 }`;
  const action = mode === 'http' ? 'http-request deny deny_status 403' : 'tcp-request session reject';
  return [`acl ${ruleAcl} src,map_ip(${blockedMap},0) -m int gt 0`, `${action} if ${ruleAcl} ${unlessTrusted}`];
}

/**
 * In place of the two lines, behind a proxy that names its client. Only in mode http.
 * @param counter the stick counter that they may use; null: none
 */
export function upstreamLines(maps: Maps & UpstreamMaps, counter: number | null): readonly string[] {
  const { frontEnd, section } = upstreamLinesFor(maps, counter);
  const [acl = '', deny = ''] = ruleLines('http', maps);
  const at = frontEnd.findIndex((line) => line.startsWith('http-request set-header'));
  if (at < 0) throw new Error('the lines for upstreams set no header for servers');
  return [
    ...[...frontEnd.slice(0, at), acl, `${deny} ${exceptUnnamedUpstream}`, ...frontEnd.slice(at)].map(
      (line) => `    ${line}`,
    ),
    ...(section.length === 0 ? [] : ['', ...section]),
  ];
}

const writtenBy = '# Written by "proxy-manager attach", and removed by "proxy-manager detach" unless it was edited.';

/** The unit has an address for TLS; an attached service binds nothing. */
export const noTlsOfItsOwn = 'Environment=PROXY_MANAGER_HTTPS_BIND=';

interface ServiceDropIn {
  /** The folder of the program. */
  readonly root: string;
  readonly configFile: string;
  readonly masterSocket: string;
  readonly pidFile: string;
  readonly proxyBin: string;
  /** HAProxy's unit; null: none. */
  readonly unit: string | null;
  readonly reloadBy: ReloadBy;
  readonly openFrontEnds: readonly string[];
}

/** For `proxy-manager.service`: the settings, and no right that only a proxy of its own would need. */
export function serviceDropIn(of: ServiceDropIn): string {
  const settings: readonly (readonly [name: string, value: string])[] = [
    ['ATTACHED', 'true'],
    ['CONFIG_FILE', of.configFile],
    ['MASTER_SOCKET', of.masterSocket],
    ['PID_FILE', of.pidFile],
    ['PROXY_BIN', of.proxyBin],
    ['RELOAD_BY', describeReloadBy(of.reloadBy)],
    ['OPEN_FRONT_ENDS', of.openFrontEnds.join(',')],
  ];
  return [
    writtenBy,
    '[Unit]',
    ...(of.unit === null ? [] : [`After=${of.unit}`]),
    '',
    '[Service]',
    'ExecStart=',
    `ExecStart=${of.root}/bin/proxy-manager serve`,
    noTlsOfItsOwn,
    'AmbientCapabilities=',
    'CapabilityBoundingSet=',
    ...settings
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `Environment=PROXY_MANAGER_${name}=${value}`),
    '',
  ].join('\n');
}

/** For HAProxy's unit: sets its variable in a file that systemd reads after the unit's own. */
export function haproxyDropIn(variablesFile: string): string {
  return [
    writtenBy,
    '# Lets the group of the service use the socket of the HAProxy master.',
    '[Service]',
    `EnvironmentFile=${variablesFile}`,
    '',
  ].join('\n');
}

/** As `-S` takes it: for the group of the service. */
export function haproxySocket(path: string): string {
  return `${path},mode,660,group,${user}`;
}

/** @param extraOptions of the unit as it is now */
export function haproxyVariables(extraOptions: string, masterSocket: string): string {
  const words = extraOptions.split(/\s+/).filter((word) => word !== '');
  const kept = words.filter((word, index) => word !== '-S' && words[index - 1] !== '-S');
  return [
    writtenBy,
    '# It replaces EXTRAOPTS of /etc/default/haproxy: edit it here.',
    `EXTRAOPTS="${[...kept, '-S', haproxySocket(masterSocket)].join(' ')}"`,
    '',
  ].join('\n');
}

/** Lets the service request a reload of this unit from systemd, and nothing else. */
export function polkitRule(unit: string): readonly string[] {
  return [
    'polkit.addRule(function (action, subject) {',
    `  if (subject.user == "${user}" && action.id == "org.freedesktop.systemd1.manage-units" &&`,
    `      action.lookup("unit") == ${JSON.stringify(unit)} && action.lookup("verb") == "reload") return polkit.Result.YES;`,
    '});',
  ];
}
