import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { LiveOriginFinding } from './live-origin.ts';

export interface ReplaceConsent {
  readonly replace: boolean;
}

/** @throws ServiceError 409, always: who wrote the live file, and what to do */
export function refuseToReplace(path: string, { live, backup }: LiveOriginFinding): never {
  const what =
    live === 'restored'
      ? `${path} is the backup ${backup}, which was restored`
      : `${path} was written or edited by hand, not by proxy-manager`;
  throw new ServiceError(
    codes.LiveConfigurationKept,
    'safe reload',
    `${what}; the template's configuration would replace it, so nothing was changed. To see the difference: proxy-manager config diff (GET /api/config/diff). To keep it, put its lines into a template of your own (PROXY_MANAGER_TEMPLATE). To replace it, repeat with --replace-configuration (?replace_configuration=true); a backup keeps it`,
  );
}

/** @throws ServiceError 409, always: the live file changed since the reload began */
export function refuseEditedMeanwhile(path: string): never {
  throw new ServiceError(
    codes.Conflict,
    'safe reload',
    `${path} was edited or removed while a reload was being prepared, so nothing was changed. To see the difference: proxy-manager config diff (GET /api/config/diff). Then repeat`,
  );
}
