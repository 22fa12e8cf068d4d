// What the live configuration has of ours: the rule that denies what the blocked map holds, without which no reload of
// it could enforce a block, and the exception for the trusted map, without which trust has no effect.
import type { TrustInConfiguration } from '../../blocking/trusted-set.ts';
import { fileIdentity } from '../../files/file-identity.ts';
import type { Settings } from '../../settings.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import { acceptedRule, findBlockedRule } from '../rules/blocked-rule.ts';
import { configLines } from '../rules/config-lines.ts';
import type { LiveFile } from './live-file.ts';

const unknownTrust: TrustInConfiguration = { mapLoaded: null, hasEffect: null };

export class LiveRule {
  readonly #live: LiveFile;
  readonly #settings: Pick<Settings, 'blockedMap' | 'trustedMap' | 'configFile'>;
  readonly #log: Log;
  #missing = false;
  #trust: TrustInConfiguration = unknownTrust;
  #lookedAt: string | null = null;

  constructor(live: LiveFile, settings: Pick<Settings, 'blockedMap' | 'trustedMap' | 'configFile'>, log: Log) {
    this.#live = live;
    this.#settings = settings;
    this.#log = log;
  }

  /** As of the last look. A look that finds it missing is repeated behind the answer: it may be added by hand. */
  get missing(): boolean {
    if (this.#missing) void this.look();
    return this.#missing;
  }

  /** As of the last look. */
  get trust(): TrustInConfiguration {
    return this.#trust;
  }

  /** Never throws: a file that cannot be read is told elsewhere, and is no reason to leave a block unenforced. */
  async look(): Promise<void> {
    try {
      const identity = await fileIdentity(this.#live.path);
      if (identity === this.#lookedAt) return;
      const text = await this.#live.read();
      this.#missing = this.problemOf(text ?? '') !== null;
      this.#trust = text === null ? unknownTrust : this.#trustIn(text);
      // Whoever wrote it meanwhile is seen by the next look.
      this.#lookedAt = identity;
    } catch (error) {
      this.#trust = unknownTrust;
      this.#lookedAt = null;
      this.#log.warn('The live configuration could not be looked at', { cause: causeText(error) });
    }
  }

  #trustIn(text: string): TrustInConfiguration {
    const { blockedMap, trustedMap } = this.#settings;
    if (!namesFile(text, trustedMap)) return { mapLoaded: false, hasEffect: false };
    // Without a rule that is known to deny, nothing is known of its exceptions either.
    return { mapLoaded: true, hasEffect: findBlockedRule(text, blockedMap, trustedMap).sparesTrusted };
  }

  /** What is wrong with a configuration, and what to do; null: it has the rule, or there is none yet. */
  problemOf(text: string): string | null {
    const { blockedMap, trustedMap, configFile } = this.#settings;
    if (text === '' || findBlockedRule(text, blockedMap, trustedMap).lines.length > 0) return null;
    return `${configFile} has no rule for the blocked map, so nobody is denied: add ${acceptedRule(blockedMap, trustedMap)}, or replace it with the template's (it is kept as a backup): proxy-manager reload --replace-configuration`;
  }
}

/** In a line that says something; a comment does not. */
function namesFile(text: string, path: string): boolean {
  for (const { words } of configLines(text)) if (words.some((word) => word.includes(path))) return true;
  return false;
}
