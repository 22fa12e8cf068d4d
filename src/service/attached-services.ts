// What an attached service answers of sites and of the configuration: reloads and their history work; what needs a
// configuration that is written here says so, and how to switch.

import type { ReloadAnswer, ReloadPage, ReloadRecord, ValidationAnswer } from '../api/configuration.ts';
import type { PageQuery } from '../api/schema.ts';
import type { Caller } from '../blocking/answers.ts';
import type { AttachedCheck } from '../configuration/reload/attached-reload.ts';
import type { ConfigurationService } from '../configuration/reload/configuration-service.ts';
import { proxyWarnings } from '../configuration/reload/proxy-warnings.ts';
import type { ReloadCoordinator } from '../configuration/reload/reload-coordinator.ts';
import { ReloadHistory } from '../configuration/reload/reload-history.ts';
import type { ReplaceConsent } from '../configuration/reload/replace-consent.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Emit } from '../events/facts.ts';
import type { SitesService } from '../sites/sites-service.ts';
import type { ReloadsStore } from '../store/reloads-store.ts';

/** What is off in attached mode. */
type Off = 'sites' | 'backups' | 'the configuration';

/** Of a file that others write. */
function refuse(configFile: string, off: Off): never {
  const verb = off === 'the configuration' ? 'is' : 'are';
  throw new ServiceError(
    codes.Attached,
    `use ${off}`,
    `${off} ${verb} not kept here: this service is attached to a HAProxy whose configuration is your own (${configFile}), and keeps its maps only. To let it write the configuration: docs/attach.md, “Switch to sites and templates”`,
  );
}

export function noSites(configFile: string): SitesService {
  const off = async (): Promise<never> => refuse(configFile, 'sites');
  return { list: off, get: off, put: off, remove: off, servers: off };
}

export class OthersConfiguration implements ConfigurationService {
  readonly #configFile: string;
  readonly #reloads: ReloadCoordinator;
  readonly #check: () => Promise<AttachedCheck>;
  readonly #history: ReloadHistory;
  readonly #emit: Emit;

  constructor(options: {
    readonly configFile: string;
    readonly reloads: ReloadCoordinator;
    readonly check: () => Promise<AttachedCheck>;
    readonly history: ReloadsStore;
    readonly emit: Emit;
  }) {
    this.#configFile = options.configFile;
    this.#reloads = options.reloads;
    this.#check = options.check;
    this.#history = new ReloadHistory(options.history);
    this.#emit = options.emit;
  }

  /** Of the files as they are. */
  async reload(consent: ReplaceConsent, caller: Caller): Promise<ReloadAnswer> {
    const answer = await this.#reloads.reload(`requested by ${caller.keyName}`, consent);
    this.#emit('operation.done', { operation: 'reload', caller, subject: {}, reload: answer.id });
    return answer;
  }

  /** HAProxy's own check of the files as they are. */
  async validate(): Promise<ValidationAnswer> {
    const { verdict, output } = await this.#reloads.exclusively(this.#check);
    if (verdict === 'unknown') {
      throw new ServiceError(
        codes.ConfigurationFilesUnusable,
        'validate configuration',
        `this service may not read all that HAProxy reads, so it cannot check it: ${output}; as root: haproxy -c -f ${this.#configFile}`,
      );
    }
    const warnings = verdict === 'valid' ? proxyWarnings(output) : [];
    return { valid: verdict === 'valid', output, sha256: '', warnings, needs_replace_configuration: false };
  }

  async reloads(query: PageQuery): Promise<ReloadPage> {
    return await this.#history.reloads(query);
  }

  async reloadRecord(id: string): Promise<ReloadRecord> {
    return await this.#history.reloadRecord(id);
  }

  async current(): Promise<never> {
    return refuse(this.#configFile, 'the configuration');
  }

  async diff(): Promise<never> {
    return refuse(this.#configFile, 'the configuration');
  }

  async backups(): Promise<never> {
    return refuse(this.#configFile, 'backups');
  }

  async restore(): Promise<never> {
    return refuse(this.#configFile, 'backups');
  }
}
