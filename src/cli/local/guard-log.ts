// The log is the first file that a run opens: before it the umask is tightened, and its place and who runs looked at.

import type { Settings } from '../../settings.ts';
import { checkLogRights, checkUser } from '../../start/rights-check.ts';

/**
 * @param refuses false: a place that others may write to does not stop the start, for a trial in any folder
 * @throws StartRefused when others could say where the log leads, and for root where it is not root's; then nothing was made or written
 */
export function guardLog(settings: Settings, refuses = true): void {
  tightenUmask();
  if (!refuses) return;
  checkUser(settings);
  checkLogRights(settings);
}

/** A loose umask (0 in some containers) must not make what we make, or the proxy does, anybody's to write to. */
export function tightenUmask(): void {
  process.umask(process.umask() | 0o022);
}
