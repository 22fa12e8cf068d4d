import type { Caller } from '../../api/caller.ts';
import type {
  Backup,
  ConfigDiff,
  CurrentConfig,
  ReloadAnswer,
  ReloadPage,
  ReloadRecord,
  ValidationAnswer,
} from '../../api/configuration.ts';
import type { PageQuery } from '../../api/schema.ts';
import type { ReplaceConsent } from './replace-consent.ts';

export interface ConfigurationService {
  /** Errors: 6020 without consent; 422 with HAProxy's own messages, `restored` and the workers; 503 when it was rolled back. */
  reload(consent: ReplaceConsent, caller: Caller): Promise<ReloadAnswer>;
  current(): Promise<CurrentConfig>;
  /** A dry run: an invalid configuration is an answer, not an error. */
  validate(caller: Caller): Promise<ValidationAnswer>;
  /** What a reload, or a restore of `backup`, would change, as a unified diff. Errors: 1100. */
  diff(backup: string | null): Promise<ConfigDiff>;
  reloads(query: PageQuery): Promise<ReloadPage>;
  /** Errors: 1100. */
  reloadRecord(id: string): Promise<ReloadRecord>;
  backups(): Promise<readonly Backup[]>;
  /** Through the same safe reload. Errors: 1100, and those of `reload`. */
  restore(id: string, caller: Caller): Promise<ReloadAnswer>;
}
