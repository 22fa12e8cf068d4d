import { configLines } from '../configuration/rules/config-lines.ts';
import { type FrontEnd, missingRuleText, stickCountersIn } from '../configuration/rules/front-ends.ts';
import type { ConfigurationFile } from '../configuration/rules/proxy-sections.ts';
import { judgesClients } from '../configuration/rules/upstream-use.ts';
import { challengeLine } from '../configuration/template/challenge-rule.ts';
import { builtInCounter } from '../configuration/template/client-address-rules.ts';
import { ownCountingLines } from '../configuration/template/counting-rules.ts';
import { deniedTable } from '../haproxy/process/counting-tables.ts';
import type { Settings } from '../settings.ts';
import type { Facts } from './facts.ts';
import { type Maps, ruleLines, type UpstreamMaps, upstreamLines } from './texts.ts';

export function report({ proxy, version, files, frontEnds, socket }: Facts, open: readonly string[]): string[] {
  const unit = proxy.unit === null ? '' : ` of ${proxy.unit}`;
  return [
    `HAProxy ${version}, master ${proxy.pid}${unit}, runs with ${files.join(', ')}`,
    socketLine(proxy.arguments.masterSocket !== null, socket),
    ...(frontEnds.length === 0 ? ['It has no front end that binds an address.'] : ['Front ends:']),
    ...frontEnds.map((frontEnd) => frontEndLine(frontEnd, open)),
  ];
}

function socketLine(isThere: boolean, { path, usable }: Facts['socket']): string {
  if (usable) return `The service can use the master socket ${path}.`;
  const why = isThere ? `The service cannot use the master socket ${path} yet.` : 'HAProxy has no master socket yet.';
  return `${why} A stats socket is not sufficient: it belongs to one worker and ends with it.`;
}

function frontEndLine(frontEnd: FrontEnd, open: readonly string[]): string {
  const { name, mode, place, hasRule, answersBefore } = frontEnd;
  const where = `  ${name} (${mode}, ${place})`;
  if (!hasRule) return `${where}: ${open.includes(name) ? 'exempt (--open)' : missingRuleText(answersBefore)}`;
  return `${where}: ${ruleText(frontEnd)}${upstreamText(frontEnd)}`;
}

/** To follow what it says of the rule; empty without any rule for upstreams. */
function upstreamText({ upstreamUse: use }: FrontEnd): string {
  if (!use.looksUp) return '';
  return `; ${judgesClients(use, false).reason ?? 'it judges the clients of upstreams'}`;
}

/** For a front end with the rule; to follow its name. */
export function ruleText({ answersBefore, sourceSetAt }: FrontEnd): string {
  const before = answersBefore === null ? '' : `, but ${answersBefore} may answer before it`;
  const source =
    sourceSetAt === null
      ? ''
      : `, which checks the address of the connection; ${sourceSetAt} sets the client's address only later, so behind a CDN the rule sees the CDN; upstreams judge its client (attach --upstreams)`;
  return `has the rule${before}${source}`;
}

export function withoutRule(frontEnds: readonly FrontEnd[], open: readonly string[]): readonly FrontEnd[] {
  return frontEnds.filter(({ name, hasRule }) => !hasRule && !open.includes(name));
}

export function pasteLines(lacking: readonly FrontEnd[], maps: Maps): string[] {
  if (lacking.length === 0) return [];
  const [one] = lacking;
  const whom = lacking.length === 1 ? `${one?.kind} ${one?.name}` : 'each of these sections';
  return [
    '',
    `Paste two lines at the start of ${whom}. To leave a front end open, run attach again with --open NAME.`,
    ...linesOfEach(lacking, maps),
  ];
}

/** For a dry run, which creates no list: HAProxy does not start with a rule for a list that does not exist. */
export function laterPasteLines(lacking: readonly FrontEnd[], maps: Maps): string[] {
  if (lacking.length === 0) return [];
  return [
    '',
    `attach will then ask for these lines. Do not paste them before: HAProxy does not start with them until attach has created ${maps.blockedMap}. To leave a front end open: attach --open NAME.`,
    ...linesOfEach(lacking, maps),
  ];
}

/** If a front end takes the client from a header itself, or on request. */
export function upstreamPasteLines(
  { frontEnds, texts }: Pick<Facts, 'frontEnds' | 'texts'>,
  isAsked: boolean,
  maps: Maps & UpstreamMaps,
): string[] {
  const own = frontEnds.filter(({ sourceSetAt }) => sourceSetAt !== null);
  if (own.length === 0 && !isAsked) return [];
  const where =
    own.length === 0 ? '' : ` Here ${own.map(({ name, sourceSetAt }) => `${name} (${sourceSetAt})`).join(', ')}.`;
  const counter = freeCounter(texts);
  return [
    '',
    `Behind a CDN, a load balancer or another proxy, a front end needs these lines to judge its client (docs/upstreams.md).${where} Paste them once attach has created the lists, at the start of the section in place of the two lines, of set-src and of option forwardfor.${counterText(counter)}`,
    '',
    ...upstreamLines(maps, counter),
  ];
}

/** For front ends with TLS, until the configuration names the list of certificates. */
export function certificateLines(texts: readonly ConfigurationFile[], tlsDir: string): string[] {
  const list = `${tlsDir}/certificates.list`;
  const places = tlsPlaces(texts);
  if (places.length === 0 || texts.some(({ text }) => text.includes(list))) return [];
  return [
    '',
    `HAProxy serves certificates that are uploaded to the service (docs/tls.md) if its bind lines with TLS (here ${places.join(', ')}) end in these words. Your own certificates stay, and the first one is the default. Add them once attach has created the list:`,
    '',
    `    crt-list ${list}`,
  ];
}

/** Where HAProxy serves TLS, until the configuration names the map of challenges. */
export function challengeLines(texts: readonly ConfigurationFile[], map: string): string[] {
  if (tlsPlaces(texts).length === 0 || texts.some(({ text }) => text.includes(map))) return [];
  return [
    '',
    'To order certificates of an authority by http-01 (docs/lets-encrypt.md), each front end that the internet reaches at port 80 needs this line before all its other rules, also before the two lines for blocked addresses. Add it once attach has created the lists:',
    '',
    `    ${challengeLine(map)}`,
  ];
}

/** Until the configuration has the table of denied requests. */
export function countingLines(
  { frontEnds, texts }: Pick<Facts, 'frontEnds' | 'texts'>,
  insight: Settings['insight'],
): string[] {
  if (insight === 'off') return [];
  const names = frontEnds.filter(({ mode }) => mode === 'http').map(({ name }) => name);
  if (names.length === 0 || texts.some(({ text }) => text.includes(deniedTable.name))) return [];
  const counter = insight === 'on' ? freeCounter(texts) : null;
  const { frontEnd, sections } = ownCountingLines(counter);
  const [lines, first, section] =
    counter === null ? ['this line', 'It', 'the section'] : ['these lines', 'The first line', 'the two sections'];
  return [
    '',
    `To show what each entry denies (docs/insight.md), HAProxy has to count it: each front end (here ${names.join(', ')}) needs ${lines} behind the rule for blocked addresses, and the configuration ${section} once. ${first} is the page for denied clients, in place of an errorfile 403 of your own.${clientsText(counter, insight)}`,
    '',
    ...frontEnd.map((line) => `    ${line}`),
    ...sections,
  ];
}

function clientsText(counter: number | null, insight: Settings['insight']): string {
  if (counter !== null) return ` No other rule may use the stick counter sc${counter}.`;
  if (insight === 'denied') return '';
  return ` Without lines for them, clients that are not blocked are not counted, and there are no candidates: your rules use the stick counters ${allCounters}. Set PROXY_MANAGER_INSIGHT=denied, or the service reports a missing table.`;
}

/** Null: the rules of the configuration use all. */
function freeCounter(texts: readonly ConfigurationFile[]): number | null {
  const used = stickCountersIn(texts);
  return [builtInCounter, 2, 0].find((number) => !used.has(number)) ?? null;
}

function tlsPlaces(texts: readonly ConfigurationFile[]): string[] {
  return texts.flatMap(({ path, text }) =>
    [...configLines(text)]
      .filter(({ words }) => words[0] === 'bind' && words.includes('ssl'))
      .map(({ number }) => `${path}:${number}`),
  );
}

const allCounters = 'sc0, sc1 and sc2';

/** HAProxy 2.6 has three. A rule for one that is in use already has no effect. */
function counterText(counter: number | null): string {
  if (counter === null)
    return ` They count no requests in which an upstream names no client: your rules use the stick counters ${allCounters}.`;
  const which = counter === builtInCounter ? '' : `, as your rules use sc${builtInCounter}`;
  return ` The last two are a section of its own. No other rule may use the stick counter sc${counter}${which}.`;
}

function linesOfEach(lacking: readonly FrontEnd[], maps: Maps): string[] {
  return lacking.flatMap(({ kind, name, place, mode }) => [
    '',
    `  # ${kind} ${name}, ${place}`,
    ...ruleLines(mode, maps).map((line) => `    ${line}`),
  ]);
}
