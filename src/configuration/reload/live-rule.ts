// Whether the live configuration has the rule that denies blocked addresses, without which no reload can enforce a
// block, and its exception for trusted addresses, without which trust has no effect.

import { type HttpsInConfiguration, unknownHttps } from '../../blocking/https-set.ts';
import type { TrustInConfiguration } from '../../blocking/trusted-set.ts';
import { type UpstreamsInConfiguration, unknownUpstreams } from '../../blocking/upstream-set.ts';
import { fileIdentity } from '../../files/file-identity.ts';
import type { Settings } from '../../settings.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import { acceptedRule, findBlockedRule, gapTexts, upstreamGapsInText } from '../rules/blocked-rule.ts';
import { configLines } from '../rules/config-lines.ts';
import type { LiveFile } from './live-file.ts';

const unknownTrust: TrustInConfiguration = { mapLoaded: null, hasEffect: null };

interface LiveRuleDeps {
  readonly live: LiveFile;
  readonly settings: Pick<
    Settings,
    'blockedMap' | 'trustedMap' | 'upstreamsMap' | 'proxyProtocolMap' | 'httpsSitesMap' | 'configFile'
  >;
  readonly log: Log;
}

export class LiveRule {
  readonly #deps: LiveRuleDeps;
  #missing = false;
  #trust: TrustInConfiguration = unknownTrust;
  #upstreams = unknownUpstreams;
  #https = unknownHttps;
  #checkedFile: string | null = null;

  constructor(deps: LiveRuleDeps) {
    this.#deps = deps;
  }

  /** As of the last check. While the rule is missing, each call starts another check: an operator may add it. */
  get missing(): boolean {
    if (this.#missing) void this.check();
    return this.#missing;
  }

  get trust(): TrustInConfiguration {
    return this.#trust;
  }

  get upstreams(): UpstreamsInConfiguration {
    return this.#upstreams;
  }

  get https(): HttpsInConfiguration {
    return this.#https;
  }

  /** Never throws: health reports an unreadable file, which is no reason to leave a block unenforced. */
  async check(): Promise<void> {
    try {
      const identity = await fileIdentity(this.#deps.live.path);
      if (identity === this.#checkedFile) return;
      const text = await this.#deps.live.read();
      this.#missing = this.problemOf(text ?? '') !== null;
      this.#trust = text === null ? unknownTrust : this.#trustIn(text);
      this.#upstreams = text === null ? unknownUpstreams : this.#upstreamsIn(text);
      this.#https = text === null ? unknownHttps : { mapLoaded: namesFile(text, this.#deps.settings.httpsSitesMap) };
      // Recorded before the read, so that the next check notices a write meanwhile.
      this.#checkedFile = identity;
    } catch (error) {
      this.#trust = unknownTrust;
      this.#upstreams = unknownUpstreams;
      this.#https = unknownHttps;
      this.#checkedFile = null;
      this.#deps.log.warn('The live configuration could not be checked', { cause: causeText(error) });
    }
  }

  #trustIn(text: string): TrustInConfiguration {
    if (!namesFile(text, this.#deps.settings.trustedMap)) return { mapLoaded: false, hasEffect: false };
    // Without the rule its exceptions are unknown too.
    return { mapLoaded: true, hasEffect: findBlockedRule(text, this.#deps.settings).sparesTrusted };
  }

  #upstreamsIn(text: string): UpstreamsInConfiguration {
    const { upstreamsMap, proxyProtocolMap } = this.#deps.settings;
    const gaps = upstreamGapsInText(text, this.#deps.settings).filter(({ usesBlockedMap }) => usesBlockedMap);
    return {
      mapLoaded: namesFile(text, upstreamsMap),
      gaps: (needsProxyProtocol) => gapTexts(gaps, { proxyProtocolMap, needsProxyProtocol }),
    };
  }

  /** The problem and what to do; null: the configuration has the rule, or is empty. */
  problemOf(text: string): string | null {
    const { blockedMap, trustedMap, configFile } = this.#deps.settings;
    if (text === '' || findBlockedRule(text, this.#deps.settings).lines.length > 0) return null;
    return `${configFile} has no rule for the blocked map, so no address is denied: add ${acceptedRule(blockedMap, trustedMap)}, or replace it with the rendered configuration (a backup keeps it): proxy-manager reload --replace-configuration`;
  }
}

function namesFile(text: string, path: string): boolean {
  for (const { words } of configLines(text)) if (words.some((word) => word.includes(path))) return true;
  return false;
}
