// Whether a front end judges the clients that upstreams name (ADR 0061), as far as its text alone proves it: the one
// place that decides this, for a template, `/health`, `/api/upstreams`, `/api/client-address` and `attach`.
import type { InForce, UpstreamsInConfiguration } from '../../blocking/upstream-set.ts';
import { unnamedTable } from '../template/client-address-rules.ts';
import { type ProxySection, type SectionLine, settingsOf, unknown } from './proxy-sections.ts';
import type { Maps, Source, Truth } from './rule-conditions.ts';
import type { Rule } from './rules.ts';
import {
  acts,
  findRule,
  inheritedLines,
  isOpaque,
  isRun,
  mayDeny,
  ownSourceSet,
  placeText,
  rulesInOrder,
  ruleText,
} from './section-rules.ts';
import {
  denialsOfPeer,
  type Finding,
  findingByHeader,
  isUpstreamLookup,
  lackingException,
  upstreamPeer,
} from './upstream-walk.ts';

export interface UpstreamUse {
  /** Of the section: `frontend http`. */
  readonly frontEnd: string;
  /** Whether it denies blocked addresses: another front end needs no rules for upstreams. */
  readonly deniesBlocked: Truth;
  /** Whether it has a lookup of upstreams, the first of their rules. */
  readonly looksUp: boolean;
  /** Why nothing is known about it; null: it can be judged. */
  readonly doubt: readonly string[] | null;
  /** For the clients that headers name; empty without HTTP, where no header is read. */
  readonly byHeader: Finding;
  /** For the clients that the PROXY protocol names. */
  readonly byProxyProtocol: Finding;
  /** Its own rule that replaces the address of clients that are no upstreams; null: none. */
  readonly ownSource: string | null;
  /** Its own rule that takes the stick counter before the rule that counts requests without a client; null: none. */
  readonly sharesCounter: string | null;
}

/** In which header the rules read the client is not checked, only that they judge the client that they read. */
export function upstreamUse(section: ProxySection, maps: Maps): UpstreamUse {
  const { kind, name, mode } = section;
  const doubt = doubtAbout(section);
  const rules = rulesInOrder(section).filter((rule) => mode === unknown || isRun(rule, mode));
  return {
    frontEnd: `${kind} ${name}`,
    deniesBlocked: deniesBlocked(rules, maps, doubt !== null),
    looksUp: rules.some((rule) => isUpstreamLookup(rule, maps)),
    doubt,
    byHeader: mode === 'http' ? findingByHeader(section, rules, maps) : { lacks: [], unsure: [] },
    byProxyProtocol: findingByProxyProtocol(section, rules, maps),
    ownSource: ownSourceSet(rules, maps)?.place ?? null,
    sharesCounter: counterSharedAt(rules),
  };
}

/** Of the front ends that deny blocked addresses, or may do so. */
export function inForceOf(uses: readonly UpstreamUse[]): Pick<UpstreamsInConfiguration, 'frontEnds' | 'uncounted'> {
  const denying = uses.filter(({ deniesBlocked: denies }) => denies !== false);
  return {
    frontEnds: (needsProxyProtocol) => denying.map((use) => judgesClients(use, needsProxyProtocol)),
    uncounted: uses.flatMap(({ frontEnd, sharesCounter }) =>
      sharesCounter === null
        ? []
        : [
            `${frontEnd} may not count requests without a client, because the rule at ${placeText(sharesCounter)} uses the same stick counter: give one of them another (docs/upstreams.md)`,
          ],
    ),
  };
}

/** @param needsProxyProtocol whether an upstream uses it */
export function judgesClients(use: UpstreamUse, needsProxyProtocol: boolean): InForce {
  const lacking = lackText(use, needsProxyProtocol);
  if (lacking !== null && use.deniesBlocked === true) return { inForce: false, reason: lacking };
  const why =
    use.doubt ??
    (lacking === null
      ? findingsOf(use, needsProxyProtocol).flatMap(({ unsure }) => unsure)
      : ['it is not certain that it denies blocked addresses']);
  const clauses = [...new Set(why)];
  if (clauses.length === 0) return { inForce: true, reason: null };
  return { inForce: null, reason: `${use.frontEnd} may not check the clients of upstreams: ${clauses.join('; ')}` };
}

/** A sentence; null: nothing is certainly missing. */
export function lackText(use: UpstreamUse, needsProxyProtocol: boolean): string | null {
  const { frontEnd, doubt, ownSource } = use;
  const lacks = new Set(findingsOf(use, needsProxyProtocol).flatMap((finding) => finding.lacks));
  if (doubt !== null || lacks.size === 0) return null;
  const own =
    ownSource === null
      ? ''
      : `; its own rule for the client's address (${placeText(ownSource)}) ${whatOwnSourceMisses}`;
  return `${frontEnd} lacks ${[...lacks].join(', and ')}${own}`;
}

/** To follow a rule that replaces the address. */
export const whatOwnSourceMisses =
  'leaves the address of the proxy in front if the header is missing or cannot be read, and believes any peer that its condition does not exclude';

function findingsOf({ byHeader, byProxyProtocol }: UpstreamUse, needsProxyProtocol: boolean): Finding[] {
  return needsProxyProtocol ? [byHeader, byProxyProtocol] : [byHeader];
}

function doubtAbout(section: ProxySection): readonly string[] | null {
  if (section.defaults === unknown) return ['it is not certain which defaults section it has'];
  const opaque = [...inheritedLines(section), ...section.lines].find(isOpaque);
  if (opaque !== undefined) return [`${placeText(opaque.place)} may be any rule`];
  return section.mode === unknown ? ['its mode is not certain'] : null;
}

const plainSource: Source = { blocked: true, trusted: false, inUpstream: false, upstream: 'none' };

function deniesBlocked(rules: readonly Rule[], maps: Maps, isDoubtful: boolean): Truth {
  const denying = rules.filter((rule) => mayDeny(rule, maps));
  if (denying.some((rule) => acts(rule, maps, plainSource) === true)) return true;
  return denying.length > 0 || isDoubtful ? unknown : false;
}

/**
 * `expect-proxy` for every peer of the PROXY protocol map, or `accept-proxy` on every bind line, and a rule for the
 * blocked map behind the rules of connections, which see the peer.
 */
function findingByProxyProtocol(section: ProxySection, rules: readonly Rule[], maps: Maps): Finding {
  const connection = rules.filter(({ phase }) => phase === 'connection');
  const expecting = connection.filter(({ action }) => action === 'expect-proxy');
  const expects = expecting.map((rule) => acts(rule, maps, upstreamPeer));
  const lacks: string[] = [];
  const unsure: string[] = [];
  const accepts = settingsOf(section, 'bind').map(acceptsProxy);
  if (!accepts.every((one) => one === true) && !expects.includes(true)) {
    const possible = expecting.filter((_, index) => expects[index] === unknown);
    const someAccept = accepts.some((one) => one !== false);
    unsure.push(...possible.map((rule) => `${ruleText(rule)} may not apply to every upstream with PROXY protocol`));
    if (possible.length === 0 && someAccept) unsure.push('not all of its bind lines have accept-proxy');
    if (possible.length === 0 && !someAccept)
      lacks.push(
        `tcp-request connection expect-proxy layer4 if { src,map_ip_int(${maps.proxyProtocolMap},0) -m int gt 0 }`,
      );
  }
  const { certain, possible: denying } = denialsOfPeer(connection, maps);
  if (certain.length > 0) lacks.push(lackingException);
  unsure.push(...denying.map((rule) => `${ruleText(rule)} may deny the upstream itself`));
  if (!rules.some((rule) => rule.phase !== 'connection' && mayDeny(rule, maps)))
    lacks.push('a rule for the blocked map behind those of connections, which see the peer');
  if (lacks.length === 0 && unsure.length === 0 && !findRule(section, maps).hasRule)
    unsure.push('the rule for the blocked map may not apply to the client that PROXY protocol names');
  return { lacks, unsure };
}

function acceptsProxy({ words, certainWords, conditional }: SectionLine): Truth {
  const isCertain = certainWords === words.length && !conditional;
  return words.includes('accept-proxy') ? isCertain || unknown : isCertain ? false : unknown;
}

/** HAProxy ignores a rule for a stick counter that the request or its connection uses already. */
function counterSharedAt(rules: readonly Rule[]): string | null {
  const counts = ({ words }: Rule) => words.includes(unnamedTable);
  const at = rules.findIndex((rule) => /^track-sc\d+$/.test(rule.action) && counts(rule));
  if (at === -1) return null;
  // HAProxy ignores a rule whose counter is in use, so only one before it matters.
  return rules.slice(0, at).find((rule) => rule.action === rules[at]!.action && !counts(rule))?.place ?? null;
}
