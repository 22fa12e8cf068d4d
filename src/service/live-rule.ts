// Whether the live configuration denies what the blocked map holds. Without our rule in it no reload of it could
// enforce a block, and health has to say so.
import { acceptedRule, findBlockedRule } from '../configuration/blocked-rule.ts';
import type { LiveFile } from '../configuration/live-file.ts';
import type { Settings } from '../settings.ts';
import { causeText, type Log } from '../telemetry/log.ts';

export class LiveRule {
  readonly #live: LiveFile;
  readonly #settings: Pick<Settings, 'blockedMap' | 'trustedMap' | 'configFile'>;
  readonly #log: Log;
  #missing = false;

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

  /** Never throws: a file that cannot be read is told elsewhere, and is no reason to leave a block unenforced. */
  async look(): Promise<void> {
    try {
      this.#missing = this.problemOf((await this.#live.read()) ?? '') !== null;
    } catch (error) {
      this.#log.warn('The live configuration could not be looked at', { cause: causeText(error) });
    }
  }

  /** What is wrong with a configuration, and what to do; null: it has the rule, or there is none yet. */
  problemOf(text: string): string | null {
    const { blockedMap, trustedMap, configFile } = this.#settings;
    if (text === '' || findBlockedRule(text, blockedMap, trustedMap).lines.length > 0) return null;
    return `${configFile} has no rule for the blocked map, so nobody is denied: POST /api/config/reload replaces it with the template's (it is kept as a backup), or add: ${acceptedRule(blockedMap, trustedMap)}`;
  }
}
