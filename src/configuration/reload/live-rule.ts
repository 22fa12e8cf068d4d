// Whether the live configuration has the rule that denies blocked addresses, without which no reload can enforce a
// block, and its exception for trusted addresses, without which trust has no effect; and what else its text says.

import { type ChallengesInConfiguration, unknownChallenges } from '../../blocking/challenge-set.ts';
import { type HttpsInConfiguration, unknownHttps } from '../../blocking/https-set.ts';
import type { TrustInConfiguration } from '../../blocking/trusted-set.ts';
import { type UpstreamsInConfiguration, unknownUpstreams } from '../../blocking/upstream-set.ts';
import { shared } from '../../concurrency/shared.ts';
import { fileIdentity } from '../../files/file-identity.ts';
import type { Settings } from '../../settings.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import { acceptedRule, findBlockedRule, upstreamUsesIn } from '../rules/blocked-rule.ts';
import { challengesIn } from '../rules/challenge-use.ts';
import { configLines } from '../rules/config-lines.ts';
import { inForceOf } from '../rules/upstream-use.ts';
import { logSocketsIn } from '../template/access-log.ts';
import { challengeLine } from '../template/challenge-rule.ts';
import { type BindAddress, bindAddresses } from './listeners.ts';
import type { LiveFile } from './live-file.ts';

const unknownTrust: TrustInConfiguration = { mapLoaded: null, hasEffect: null };

/** What the text of the live configuration says. */
interface LiveFindings {
  readonly exists: boolean;
  /** Why it denies no address, and what to do; null: it has the rule, or is empty. */
  readonly problem: string | null;
  readonly trust: TrustInConfiguration;
  readonly upstreams: UpstreamsInConfiguration;
  readonly https: HttpsInConfiguration;
  readonly challenges: ChallengesInConfiguration;
  readonly binds: readonly BindAddress[];
  readonly logSockets: readonly string[];
}

interface LiveRuleDeps {
  readonly live: LiveFile;
  readonly settings: Pick<
    Settings,
    | 'blockedMap'
    | 'trustedMap'
    | 'upstreamsMap'
    | 'proxyProtocolMap'
    | 'httpsSitesMap'
    | 'acmeChallengesMap'
    | 'configFile'
  >;
  readonly log: Log;
}

export class LiveRule {
  /** Reads the file only if it was changed. @throws if it cannot be read */
  readonly findings = shared(() => this.#find());
  readonly #deps: LiveRuleDeps;
  #missing = false;
  #found: { readonly identity: string; readonly findings: LiveFindings } | null = null;

  constructor(deps: LiveRuleDeps) {
    this.#deps = deps;
  }

  /** As of the last check. While the rule is missing, each call starts another check: an operator may add it. */
  get missing(): boolean {
    if (this.#missing) void this.check();
    return this.#missing;
  }

  get trust(): TrustInConfiguration {
    return this.#found?.findings.trust ?? unknownTrust;
  }

  get upstreams(): UpstreamsInConfiguration {
    return this.#found?.findings.upstreams ?? unknownUpstreams;
  }

  get https(): HttpsInConfiguration {
    return this.#found?.findings.https ?? unknownHttps;
  }

  get challenges(): ChallengesInConfiguration {
    return this.#found?.findings.challenges ?? unknownChallenges;
  }

  /** Never throws: health reports an unreadable file, which is no reason to leave a block unenforced. */
  async check(): Promise<void> {
    try {
      await this.findings();
    } catch (error) {
      this.#deps.log.warn('The live configuration could not be checked', { cause: causeText(error) });
    }
  }

  async #find(): Promise<LiveFindings> {
    try {
      // Before the read, so that the next check notices a write meanwhile.
      const identity = await fileIdentity(this.#deps.live.path);
      if (identity === this.#found?.identity) return this.#found.findings;
      const findings = this.#findingsIn(await this.#deps.live.read());
      this.#missing = findings.problem !== null;
      this.#found = { identity, findings };
      return findings;
    } catch (error) {
      this.#found = null;
      throw error;
    }
  }

  #findingsIn(text: string | null): LiveFindings {
    return {
      exists: text !== null,
      problem: this.#problemOf(text ?? ''),
      trust: text === null ? unknownTrust : this.#trustIn(text),
      upstreams: text === null ? unknownUpstreams : this.#upstreamsIn(text),
      https: text === null ? unknownHttps : { mapLoaded: namesFile(text, this.#deps.settings.httpsSitesMap) },
      challenges: text === null ? unknownChallenges : this.#challengesIn(text),
      binds: bindAddresses(text ?? ''),
      logSockets: logSocketsIn(text ?? ''),
    };
  }

  #challengesIn(text: string): ChallengesInConfiguration {
    const add = `reload HAProxy (proxy-manager reload); a template of your own needs this line before all other rules: ${challengeLine('{{ acme_challenges_map }}')}`;
    return challengesIn([{ path: '', text }], { ...this.#deps.settings, valuesOnly: true }, add);
  }

  #trustIn(text: string): TrustInConfiguration {
    if (!namesFile(text, this.#deps.settings.trustedMap)) return { mapLoaded: false, hasEffect: false };
    // Without the rule its exceptions are unknown too.
    return { mapLoaded: true, hasEffect: findBlockedRule(text, this.#deps.settings).sparesTrusted };
  }

  #upstreamsIn(text: string): UpstreamsInConfiguration {
    const uses = upstreamUsesIn(text, this.#deps.settings);
    return { mapLoaded: namesFile(text, this.#deps.settings.upstreamsMap), ...inForceOf(uses) };
  }

  #problemOf(text: string): string | null {
    const { blockedMap, trustedMap, configFile } = this.#deps.settings;
    if (text === '' || findBlockedRule(text, this.#deps.settings).lines.length > 0) return null;
    return `${configFile} has no rule for the blocked map, so no address is denied: add ${acceptedRule(blockedMap, trustedMap)}, or replace it with the rendered configuration (a backup keeps it): proxy-manager reload --replace-configuration`;
  }
}

function namesFile(text: string, path: string): boolean {
  for (const { words } of configLines(text)) if (words.some((word) => word.includes(path))) return true;
  return false;
}
