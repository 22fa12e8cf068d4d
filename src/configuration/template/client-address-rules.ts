// The built-in template's rules that decide which address is judged, and what servers receive (ADR 0060, 0061).
import { mostSteps } from '../../domain/client-address.ts';
import {
  chainMode,
  modePatterns,
  judgeUpstreamOffset as offset,
  oneStepMode,
  singleHeaderModes,
} from '../../domain/upstream-modes.ts';
import { sameAddress } from '../rules/rules.ts';
import { claimedDirectly, claimedThroughUpstreams, wholeNames } from './address-headers.ts';
import { forwardedProto } from './https-rules.ts';

/** Its stick table counts the requests in which an upstream named no client, by its address. */
export const unnamedTable = 'pm_unnamed';
export const unnamedExpiryMs = 86_400_000;

/** Of the three that HAProxy 2.6 has, the template uses 0 for connections and 2 for denied requests. */
export const builtInCounter = 1;

/** A value that no upstream has, by a foreign edit of the map, makes nothing an upstream. */
const isUpstream = `{ var(txn.pm_upstream) -m int ${modePatterns.join(' ')} }`;
const lookup = 'map_ip_int({{ upstreams_map }},0)';
const refuse = "http-request return status 400 content-type text/plain string 'unreadable client address' if";

/** Of one that was read, in a regular condition; HAProxy reads the conditions one after the other until one is false. */
const found = '-m found';
const mode = 'var(txn.pm_walk),mod(100)';

const xffModes = [`${oneStepMode}`, `${chainMode}`, `${oneStepMode + offset}`, `${chainMode + offset}`].join(' ');
const xffRefusing = `${chainMode} ${oneStepMode}`;
const singleRefusing = Object.values(singleHeaderModes).join(' ');

const valueNumbers = Array.from({ length: mostSteps }, (_, index) => index + 1);

const valueConditions = valueNumbers.map((number) => {
  const read = `req.hdr_ip(x-forwarded-for,-${number}),set-var(txn.pm_named)`;
  const walk = `${lookup},mul(txn.pm_chain),add(${100 * number}),set-var(txn.pm_walk)`;
  return `acl xff_value_${number} ${read},${walk} ${found}`;
});

const walkConditions = valueNumbers.map((number) => `xff_next xff_chain xff_value_${number}`).join(' ');

const singleConditions = Object.entries(singleHeaderModes).flatMap(([header, value]) => [
  `acl is_${header} ${mode} -m int ${value} ${value + offset}`,
  `acl one_${header} req.hdr_cnt(${header}),set-var(txn.pm_count) -m int 1`,
  // HAProxy 2.6 does not read an address in brackets, later versions do.
  `acl bracket_${header} req.hdr(${header}) -m beg [`,
  `acl value_${header} req.hdr_ip(${header},-1),set-var(txn.pm_named) ${found}`,
]);

const anySingle = Object.keys(singleHeaderModes)
  .map((header) => `is_${header} one_${header} !bracket_${header} value_${header} single_read`)
  .join(' or ');

const lookupRule = `http-request set-var(txn.pm_upstream) src,${lookup},set-var(txn.pm_walk)`;

const walkRules = [
  '# X-Forwarded-For, from its last value on: while an address read is that of an upstream, its own value is the next.',
  '# pm_named is the last address read, and pm_walk its mode plus 100 for each value read. All is done by conditions,',
  '# which HAProxy evaluates in their order up to the first false one, so other requests pay for one.',
  `acl xff_next ${mode} -m int ${xffModes}`,
  '# pm_chain is 0 if the upstream is believed for one value only: what that value names counts as no upstream.',
  `acl xff_chain var(txn.pm_walk),and(1),set-var(txn.pm_chain) ${found}`,
  ...valueConditions,
  '# [2001:db8::1]:443 is read as 2001:db8::1.',
  'http-request replace-value X-Forwarded-For ^[[]([0-9A-Fa-f:.]+)[]](:[0-9]+)?$ \\1 if xff_next { req.hdr(x-forwarded-for) -m beg [ }',
  `http-request unset-var(txn.pm_chain) if ${walkConditions}`,
  '',
  '# Headers of one address.',
  ...singleConditions,
  `acl single_read int(100),set-var(txn.pm_walk) ${found}`,
  `http-request unset-var(txn.pm_chain) if ${anySingle}`,
];

const upstreamRules = [
  '# The mode of the upstream that sends the request: which header names the client (docs/template.md). 0: no upstream.',
  lookupRule,
  '# What clients say about addresses is not believed. From a peer that is no upstream nothing of it reaches a server;',
  '# from an upstream, no name that servers prefer to X-Forwarded-For. A dot is any separator: servers may read',
  '# X_Forwarded_For as X-Forwarded-For. The first condition is a cheap one that most requests do not meet.',
  `http-request del-header ${claimedDirectly.pattern} -m reg if !${isUpstream} { req.hdr_names -m sub ${claimedDirectly.parts} }`,
  ...wholeNames.map((name) => `http-request del-header ${name}`),
  `http-request del-header ${claimedThroughUpstreams.pattern} -m reg if ${isUpstream} { req.hdr_names -m sub ${claimedThroughUpstreams.parts} }`,
  '',
  ...walkRules,
  '',
  `# A value cannot be read: the next one of X-Forwarded-For, which may be one more than ${mostSteps}, or a header of one address.`,
  `${refuse} { ${mode} -m int ${xffRefusing} } { var(txn.pm_walk),div(100),set-var(txn.pm_read) ${found} } { req.hdr_cnt(x-forwarded-for),sub(txn.pm_read) -m int gt 0 } or { ${mode} -m int ${singleRefusing} } { var(txn.pm_count) -m int gt 0 }`,
  '',
  '# An address that was named is judged, also inside the networks of upstreams. An upstream that names none is served.',
  `http-request set-src var(txn.pm_named) if ${isUpstream}`,
  `http-request set-var(txn.pm_upstream) int(0) if { var(txn.pm_named) ${found} }`,
  '# Counted for each upstream address: a balancer sends health checks without a client, but no other requests.',
  countRule(builtInCounter),
];

/** Only these peers begin their connections with a PROXY protocol header, and then always. */
export const expectProxy =
  'tcp-request connection expect-proxy layer4 if { src,map_ip_int({{ proxy_protocol_map }},0) -m int gt 0 }';

const rulesWithoutUpstreams = [
  '# What clients say about addresses is not believed, and does not reach a server. A dot is any separator: servers may',
  '# read X_Forwarded_For as X-Forwarded-For. The condition is a cheap one that most requests do not meet.',
  `http-request del-header ${claimedDirectly.pattern} -m reg if { req.hdr_names -m sub ${claimedDirectly.parts} }`,
];

/** After the front end. */
export const unnamedSection = `
# Requests in which an upstream named no client: the rule for the blocked map does not apply to them.
backend ${unnamedTable}
    stick-table type ipv6 size 10k expire ${unnamedExpiryMs}ms store http_req_cnt`;

/** Before the 403 rule. */
export const clientAddressRules = `\
{%- if has_upstreams %}

${lines(upstreamRules)}
{%- else %}

${lines(rulesWithoutUpstreams)}
{%- endif %}
${lines([
  '# A listener for both address families reports an IPv4 client as ::ffff:a.b.c.d.',
  `http-request set-src ${sameAddress}`,
])}`;

const otherHeaderRules = Object.keys(singleHeaderModes).map(
  (header) => `http-request set-header ${spelled(header)} %[src] if { req.fhdr(${header}) -m found }`,
);

const judgedAddressRules = [
  '# Servers receive one address: the one that the rules above judged. A server that is a proxy removes what Connection',
  '# names (RFC 9110, 7.6.1).',
  'http-request set-header X-Forwarded-For %[src]',
  `http-request del-header connection if { req.hdr(connection) -m sub -i ${claimedDirectly.parts} }`,
];

/** After redirects. */
export const serverHeaderRules = `\
${lines(judgedAddressRules)}
{%- if has_upstreams %}
${lines(otherHeaderRules)}
{%- endif %}
${lines([forwardedProto])}`;

/** The lines that name the client in `txn.pm_named`, in this order. */
export function clientWalk(upstreamsMap: string): readonly string[] {
  return [lookupRule, ...walkRules]
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replaceAll('{{ upstreams_map }}', upstreamsMap));
}

/**
 * The same rules for a front end that an operator writes, and the section that they need.
 * @param counter the stick counter for requests in which an upstream names no client; null: they are not counted
 */
export function upstreamLinesFor(
  maps: { readonly upstreamsMap: string; readonly proxyProtocolMap: string },
  counter: number | null,
): { readonly frontEnd: readonly string[]; readonly section: readonly string[] } {
  const inMaps = (line: string) =>
    line
      .replaceAll('{{ upstreams_map }}', maps.upstreamsMap)
      .replaceAll('{{ proxy_protocol_map }}', maps.proxyProtocolMap);
  const rules = [
    expectProxy,
    ...upstreamRules.map((line) =>
      line === countRule(builtInCounter) ? (counter === null ? '' : countRule(counter)) : line,
    ),
    `http-request set-src ${sameAddress}`,
    ...judgedAddressRules,
    ...otherHeaderRules,
  ];
  const section = counter === null ? [] : unnamedSection.split('\n');
  const isRule = (line: string) => line !== '' && !line.startsWith('#');
  return { frontEnd: rules.filter(isRule).map(inMaps), section: section.filter(isRule) };
}

/** Of the 403 rule: an upstream that names no client is served. */
export const exceptUnnamedUpstream = `!${isUpstream}`;

/** For rules of connections, after their condition. */
export const exceptUpstreams = `{% if has_upstreams %} !{ src,${lookup} -m int ${modePatterns.join(' ')} }{% endif %}`;

function countRule(counter: number): string {
  return `http-request track-sc${counter} src table ${unnamedTable} if ${isUpstream}`;
}

function lines(rules: readonly string[]): string {
  return rules.map((rule) => (rule === '' ? '' : `    ${rule}`)).join('\n');
}

/** `cf-connecting-ip` is spelled CF-Connecting-IP. */
function spelled(header: string): string {
  return header
    .replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
    .replace(/^Cf-/, 'CF-')
    .replace(/Ip$/, 'IP');
}
