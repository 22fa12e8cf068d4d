// A typical operator's configuration: two defaults sections, a stick table, front ends with the rule in three forms,
// and a folder of more files.
import { join } from 'node:path';
import { frontEnd, rule } from '../testkit/attached-service.ts';
import type { ServicePaths } from '../testkit/real-service.ts';
import { hardStopSeconds } from './hard-stop.ts';

export interface ConfigurationState {
  /** Changes with each edit. */
  readonly comment: number;
  readonly clientTimeoutSeconds: number;
  /** Ports of more front ends with the rule. */
  readonly more: readonly number[];
  readonly withoutRule: readonly string[];
}

export const firstState: ConfigurationState = { comment: 0, clientTimeoutSeconds: 60, more: [], withoutRule: [] };

export interface Ports {
  readonly web: number;
  readonly api: number;
  readonly mail: number;
  /** Server of the TCP front end. */
  readonly server: number;
}

/** For the second `-f`. */
export const includeFolder = ({ config }: Pick<ServicePaths, 'config'>): string => join(config, '../conf.d');

export const nameOfMore = (port: number): string => `more-${port}`;

/** By path. */
export function filesOf(state: ConfigurationState, paths: ServicePaths, ports: Ports): ReadonlyMap<string, string> {
  const { blockedMap, trustedMap } = paths;
  const ruleOf = (name: string, lines: string): string[] => (state.withoutRule.includes(name) ? [] : [lines]);
  const more = state.more.map((port) => {
    const name = nameOfMore(port);
    return frontEnd(name, port, ...ruleOf(name, rule(paths)));
  });
  const main = `# The operator's, edit ${state.comment}
global
  maxconn 500
  nbthread 2
  hard-stop-after ${hardStopSeconds}s

defaults
  mode http
  option idle-close-on-response
  timeout connect 5s
  timeout client ${state.clientTimeoutSeconds}s
  timeout server 60s
  timeout http-keep-alive 60s

${frontEnd(
  'web',
  ports.web,
  '  stick-table type ip size 10k expire 30s store http_req_rate(10s)',
  '  http-request track-sc0 src',
  ...ruleOf('web', rule(paths)),
  '  http-request deny deny_status 429 if { sc_http_req_rate(0) gt 1000000 }',
)}
${frontEnd(
  'api',
  ports.api,
  ...ruleOf(
    'api',
    `  acl is_blocked src,map_ip(${blockedMap}) -m found
  acl is_trusted src,map_ip(${trustedMap}) -m found
  http-request deny if is_blocked !is_trusted`,
  ),
)}
${more.join('\n')}`;
  const mail = `defaults
  mode tcp
  timeout connect 5s
  timeout client ${state.clientTimeoutSeconds}s
  timeout server 60s

frontend mail
  bind 127.0.0.1:${ports.mail}
${ruleOf(
  'mail',
  `  tcp-request connection reject if { src,map_ip(${blockedMap},0) -m int gt 0 } !{ src,map_ip(${trustedMap},0) -m int gt 0 }\n`,
).join('')}  default_backend mail-server

backend mail-server
  server own 127.0.0.1:${ports.server}
`;
  return new Map([
    [paths.config, main],
    [join(includeFolder(paths), '10-mail.cfg'), mail],
  ]);
}
