import type { Caller } from '../api/caller.ts';
import type { ServerState, SiteAnswer, SiteRecord, SiteRemoved } from '../api/sites.ts';
import type { ReplaceConsent } from '../configuration/reload/replace-consent.ts';
import type { Site } from '../domain/site.ts';

export interface SitesService {
  list(): Promise<readonly SiteRecord[]>;
  /** Errors: 1100. */
  get(domain: string): Promise<SiteRecord>;
  /**
   * Live by a safe reload before the response. Errors: 6054, 6055, 6020, 422, and then nothing is stored; 503 when not confirmed.
   */
  put(
    site: Site,
    consent: ReplaceConsent,
    caller: Caller,
  ): Promise<{ readonly created: boolean; readonly answer: SiteAnswer }>;
  remove(domain: string, consent: ReplaceConsent, caller: Caller): Promise<SiteRemoved>;
  servers(domain: string): Promise<readonly ServerState[]>;
}
