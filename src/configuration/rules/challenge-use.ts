// How a configuration answers ACME challenges (ADR 0085): where authorities ask, and what its text shows to be in the way.
import type { ChallengeAddress, ChallengesInConfiguration } from '../../blocking/challenge-set.ts';
import { bindAddresses } from '../reload/listeners.ts';
import { isDisabled } from './front-ends.ts';
import { type ConfigurationFile, type ProxySection, proxySections, settingsOf } from './proxy-sections.ts';
import type { Maps } from './rule-conditions.ts';
import { enforcingRules, isRun, mayDeny, placeText, rulesInOrder, ruleText } from './section-rules.ts';

interface Listener {
  readonly section: ProxySection;
  readonly address: ChallengeAddress;
}

/** Where authorities ask (RFC 8555, 8.3). */
const CHALLENGE_PORT = 80;
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

type ChallengeMaps = Maps & { readonly acmeChallengesMap: string };

/**
 * @param files in the order in which HAProxy reads them
 * @param add how to add the rule if it is missing, a clause
 */
export function challengesIn(
  files: readonly ConfigurationFile[],
  maps: ChallengeMaps,
  add: string,
): ChallengesInConfiguration {
  const all = proxySections(files);
  const found = all
    .filter(({ kind }) => kind === 'frontend' || kind === 'listen')
    .filter((section) => !isDisabled(section))
    .flatMap((section) => listenersOf(section, maps));
  const listeners = found.filter((one): one is Listener => typeof one !== 'string');
  const atPort = listeners.filter(({ address }) => address.port === CHALLENGE_PORT);
  const asked = atPort.length > 0 ? atPort : listeners;
  const mapLoaded = all.some(({ lines }) => lines.some((line) => names(line.words, maps.acmeChallengesMap)));
  return {
    mapLoaded,
    obstacle: mapLoaded ? obstacleIn(asked, maps) : `the configuration has no rule for ACME challenges; ${add}`,
    addresses: asked.map(({ address }) => address),
    // Which of them the internet reaches is not known.
    oneSuffices: atPort.length === 0,
    untried: found.filter((one) => typeof one === 'string'),
  };
}

function obstacleIn(listeners: readonly Listener[], maps: ChallengeMaps): string | null {
  for (const section of new Set(listeners.map((one) => one.section))) {
    const rules = rulesInOrder(section).filter((rule) => isRun(rule, section.mode));
    const at = rules.findIndex(({ words }) => names(words, maps.acmeChallengesMap));
    if (at < 0) continue;
    const denying = new Set(enforcingRules(section, maps).map(({ rule }) => rule.place));
    const before = rules
      .slice(0, at)
      .find((rule) => denying.has(rule.place) || (rule.phase === 'http' && mayDeny(rule, maps)));
    if (before !== undefined) {
      return `${ruleText(before)} denies blocked addresses before the rule for ACME challenges (${placeText(rules[at]!.place)}) can answer them, and authorities ask from many networks; put the rule for challenges first`;
    }
  }
  return null;
}

function names(words: readonly string[], map: string): boolean {
  return words.some((word) => word.includes(map));
}

/** Or, for each address that this process cannot try, why. */
function listenersOf(section: ProxySection, { proxyProtocolMap }: Maps): (Listener | string)[] {
  const expects = settingsOf(section, 'tcp-request').find(
    ({ words }) =>
      words.some((word) => /^expect-(proxy|netscaler-cip)$/.test(word)) &&
      !(proxyProtocolMap !== undefined && names(words, proxyProtocolMap)),
  );
  return section.lines
    .filter(({ words }) => words[0] === 'bind' && !words.includes('ssl'))
    .flatMap(({ words }) =>
      (words[1] ?? '').split(',').flatMap((word): (Listener | string)[] => {
        if (expects !== undefined) {
          return [`a rule decides who speaks PROXY protocol at ${word} (${placeText(expects.place)})`];
        }
        const found = bindAddresses(['bind', word, ...words.slice(2)].join(' '));
        if (found.length === 0 || words.includes('accept-netscaler-cip')) {
          return [`the address ${word} cannot be reached by TCP from here`];
        }
        const proxyProtocol = words.includes('accept-proxy');
        return found.map(({ host, port }) => ({
          section,
          address: { host: LOOPBACK[host] ?? host, port, proxyProtocol },
        }));
      }),
    );
}
