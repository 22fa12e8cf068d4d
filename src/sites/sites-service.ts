import type { Caller } from '../api/caller.ts';
import type { ServerState, SiteAnswer, SiteRecord, SiteRemoved } from '../api/site-records.ts';
import type { ReplaceConsent } from '../configuration/reload/replace-consent.ts';
import type { Site } from '../domain/site.ts';

export type SiteChange = (stored: SiteRecord | null) => Site | null;

export interface SitePut {
  readonly created: boolean;
  readonly answer: SiteAnswer;
}

export interface SitesService {
  list(): Promise<readonly SiteRecord[]>;
  /** Errors: 1100. */
  get(domain: string): Promise<SiteRecord>;
  /**
   * Live by a safe reload before the response. Errors: 6054, 6055, 6020, 422, and then nothing is stored; 503 when not confirmed.
   */
  put(site: Site, consent: ReplaceConsent, caller: Caller): Promise<SitePut>;
  /**
   * @param change the site as it is to be, from the one that there is, if any; called in the turn. Null: there is nothing
   * to change. Its errors are passed on.
   * Errors: 1100, and those of `put`.
   */
  change(domain: string, change: SiteChange, consent: ReplaceConsent, caller: Caller): Promise<SitePut>;
  remove(domain: string, consent: ReplaceConsent, caller: Caller): Promise<SiteRemoved>;
  servers(domain: string): Promise<readonly ServerState[]>;
}
