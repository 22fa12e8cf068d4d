// The log is the first file that a run opens: before that, umask, user and path are checked.
import type { Settings } from '../../settings.ts';
import { checkLogRights, checkUser } from '../../start/rights-check.ts';

/**
 * @param refuses false for a trial, which may run in a folder that other users can write to
 * @throws StartRefused before anything is written
 */
export function guardLog(settings: Settings, refuses = true): void {
  tightenUmask();
  if (!refuses) return;
  checkUser(settings);
  checkLogRights(settings);
}

/** Some containers set the umask 0. */
export function tightenUmask(): void {
  process.umask(process.umask() | 0o022);
}
