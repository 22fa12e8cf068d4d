// The log is the first file that a run opens. Before that, the umask is tightened and user and path are checked.
import type { Settings } from '../../settings.ts';
import { checkLogRights, checkUser } from '../../start/rights-check.ts';

/**
 * @param refuses false for a trial, which may run in a folder that other users can write to
 * @throws StartRefused if other users could redirect the log, or root would run in a folder of another user; nothing was
 * written then
 */
export function guardLog(settings: Settings, refuses = true): void {
  tightenUmask();
  if (!refuses) return;
  checkUser(settings);
  checkLogRights(settings);
}

/** So that other users cannot write to new files of the service and HAProxy. Some containers set the umask 0. */
export function tightenUmask(): void {
  process.umask(process.umask() | 0o022);
}
