// The built-in template's rules that decide which address is judged, and what servers receive (ADR 0060, 0061).
import { mostSteps } from '../../domain/client-address.ts';
import { chainMode, judgeUpstreamOffset, oneStepMode, singleHeaderModes } from '../../domain/upstream-modes.ts';
import { sameAddress } from '../rules/rules.ts';
import { claimedDirectly, claimedThroughUpstreams } from './address-headers.ts';

const upstream = 'var(txn.pm_upstream)';
const isUpstream = `{ ${upstream} -m int gt 0 }`;
const isNamed = `{ ${upstream},mod(10) -m int gt 0 }`;
const lookup = 'map_ip_int({{ upstreams_map }},0)';
const refuse = "http-request return status 400 content-type text/plain string 'unreadable client address' if";

/** A term: whether the variable has one of the values, or is in one of the ranges. */
function has(...values: readonly string[]): string {
  return `{ ${upstream} -m int ${values.join(' ')} }`;
}

function afterAnySteps(mode: number): string {
  return `${10 * mode}:${10 * mode + mostSteps}`;
}

/** The mode, and the one that differs only in what follows from a value that cannot be read. */
function both(mode: number): [number, number] {
  return [mode, mode + judgeUpstreamOffset];
}

/** How many values of X-Forwarded-For were read before. */
const steps = Array.from({ length: mostSteps }, (_, read) => read);

// The variable is ten times the mode plus the number of values read.
const chainRules = steps.map((read) => {
  const next = `req.hdr_ip(x-forwarded-for,-${read + 1}),set-var(txn.pm_named),${lookup},mul(10),add(${read + 1})`;
  return `http-request set-var(txn.pm_upstream) ${next} if ${has(...both(chainMode).map((mode) => `${10 * mode + read}`))}`;
});

const oneStepRules = steps.map((read) => {
  const isOneStep = has(...both(oneStepMode).map((mode) => `${10 * mode + read}`));
  const isRead = `{ req.hdr_ip(x-forwarded-for,-${read + 1}),set-var(txn.pm_named) -m found }`;
  return `http-request set-var(txn.pm_upstream) int(1) if ${isOneStep} ${isRead}`;
});

/** A term that only holds where a value is left. */
function isLeft(mode: number): string {
  return `${has(afterAnySteps(mode))} { req.hdr_cnt(x-forwarded-for),add(${10 * mode}),sub(txn.pm_upstream) -m int gt 0 }`;
}

const singleRules = Object.entries(singleHeaderModes).flatMap(([header, mode]) => {
  // HAProxy 2.6 does not read an address in brackets, later versions do.
  const isRead = `{ req.hdr_cnt(${header}) 1 } !{ req.hdr(${header}) -m beg [ } { req.hdr_ip(${header},-1),set-var(txn.pm_named) -m found }`;
  return [
    `http-request set-var(txn.pm_upstream) int(1) if ${has(...both(mode).map(afterAnySteps))} ${isRead}`,
    `${refuse} ${has(afterAnySteps(mode))} { req.hdr_cnt(${header}) gt 0 }`,
  ];
});

const xffModes = [...both(chainMode), ...both(oneStepMode)].map((mode) => `${10 * mode}`);

const upstreamRules = [
  '# 0: the peer is no upstream. Else ten times its mode: which header names the client (docs/template.md).',
  `http-request set-var(txn.pm_upstream) src,${lookup},mul(10)`,
  '# What clients say about addresses is not believed, and does not reach a server: nothing from a peer that is no',
  '# upstream, and from an upstream only what it sets itself. A dot is any separator: servers may read X_Forwarded_For',
  '# as X-Forwarded-For.',
  `http-request del-header ${claimedDirectly} -m reg unless ${isUpstream}`,
  `http-request del-header ${claimedThroughUpstreams} -m reg if ${isUpstream}`,
  `http-request set-var(txn.pm_peer) src if ${isUpstream}`,
  '# X-Forwarded-For, from its last value on: while an address read is that of an upstream, its own value is the next.',
  '# pm_named is the last address read, and pm_upstream ten times its mode plus the number of values read.',
  '# [2001:db8::1]:443 is read as 2001:db8::1.',
  `http-request replace-value X-Forwarded-For ^[[]([0-9A-Fa-f:.]+)[]](:[0-9]+)?$ \\1 if ${has(...xffModes)}`,
  ...chainRules,
  '# An upstream that is believed for one value only.',
  ...oneStepRules,
  `# The next value cannot be read, or is one more than ${mostSteps}.`,
  `${refuse} ${isLeft(chainMode)} or ${isLeft(oneStepMode)}`,
  '# Headers of one address.',
  ...singleRules,
  '# An address that was named is judged, also inside the networks of upstreams. An upstream that names none is served.',
  `http-request set-src var(txn.pm_named) if ${isNamed}`,
  `http-request set-var(txn.pm_upstream) int(0) if ${isNamed}`,
];

const rulesWithoutUpstreams = [
  '# What clients say about addresses is not believed, and does not reach a server. A dot is any separator: servers may',
  '# read X_Forwarded_For as X-Forwarded-For.',
  `http-request del-header ${claimedDirectly} -m reg`,
];

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

const httpsRules = [
  '# Whether the client used https: here, or as the upstream says in X-Forwarded-Proto or by the port in PROXY protocol.',
  'http-request set-var(txn.https_seen) ssl_fc',
  'http-request set-var(txn.https_seen) bool(true) if { var(txn.pm_peer) -m found } { req.hdr(x-forwarded-proto,-1) -m str -i https } or { fc_rcvd_proxy } { dst_port 443 }',
  'http-request set-header X-Forwarded-Proto %[var(txn.https_seen),iif(https,http)]',
];

const otherHeaderRules = Object.keys(singleHeaderModes).map(
  (header) =>
    `http-request set-header ${spelled(header)} %[src] if { var(txn.pm_peer) -m found } { req.fhdr(${header}) -m found }`,
);

/** After the site is known. */
export const serverHeaderRules = `\
${lines(['# Servers receive one address: the one that the rules above judged.', 'http-request set-header X-Forwarded-For %[src]'])}
{%- if has_upstreams %}
${lines([...otherHeaderRules, ...httpsRules])}
{%- else %}
${lines(['http-request set-header X-Forwarded-Proto %[ssl_fc,iif(https,http)]'])}
{%- endif %}`;

/** Of the 403 rule: an upstream that names no client is served. */
export const exceptNamelessUpstream = `!${isUpstream}`;

/** For rules of connections, after their condition. */
export const exceptUpstreams = `{% if has_upstreams %} !{ src,${lookup} -m int gt 0 }{% endif %}`;

function lines(rules: readonly string[]): string {
  return rules.map((rule) => `    ${rule}`).join('\n');
}

/** `cf-connecting-ip` is spelled CF-Connecting-IP. */
function spelled(header: string): string {
  return header
    .replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
    .replace(/^Cf-/, 'CF-')
    .replace(/Ip$/, 'IP');
}
