// What is told where a reload would replace a live configuration that proxy-manager did not render, or does not know.
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { LiveOriginFinding } from './live-origin.ts';

/** What a caller agrees to beforehand. */
export interface ReplaceConsent {
  /** A live configuration that was not rendered by proxy-manager may be replaced. */
  readonly replace: boolean;
}

/** @throws ServiceError 409, always: what is live, whose it is, and what can be done */
export function refuseToReplace(path: string, { live, backup }: LiveOriginFinding): never {
  const what =
    live === 'restored'
      ? `${path} is the backup ${backup}, which was restored`
      : `${path} was written or edited by hand, not by proxy-manager`;
  throw new ServiceError(
    codes.LiveConfigurationKept,
    'safe reload',
    `${what}; the template's configuration would replace it, so nothing was changed. See the difference: proxy-manager config diff (GET /api/config/diff). To keep it, put its lines into a template of your own (PROXY_MANAGER_TEMPLATE). To replace it, repeat with --replace-configuration (?replace_configuration=true); it is kept as a backup`,
  );
}

/** @throws ServiceError 409, always: the live configuration is not what the reload began with */
export function refuseEditedMeanwhile(path: string): never {
  throw new ServiceError(
    codes.Conflict,
    'safe reload',
    `${path} was edited or removed while a reload was being prepared; it was left as it is, and nothing was changed. See the difference: proxy-manager config diff (GET /api/config/diff). Then repeat`,
  );
}
