import type { Log } from '../../telemetry/log.ts';
import type { BackupStore } from '../backups/backup-store.ts';
import { lastKnownGood } from '../backups/last-known-good.ts';
import { filesNamedIn } from '../template/sites-map.ts';
import type { LiveFile } from './live-file.ts';
import type { LiveOrigin } from './live-origin.ts';
import type { ReloadMarker } from './reload-marker.ts';
import type { ReloadRequest } from './reload-request.ts';

/**
 * What a scheduled reload deploys: the live configuration, including an operator's own edit. Null: render it from
 * database and template, which then replaces only what proxy-manager rendered itself.
 */
export async function scheduledConfiguration(deps: {
  readonly live: LiveFile;
  readonly origin: LiveOrigin;
  readonly backups: BackupStore;
  readonly marker: Pick<ReloadMarker, 'interrupted'>;
  /** Of the content-addressed files that a configuration may name. */
  readonly fileBases: readonly string[];
  readonly log: Log;
}): Promise<NonNullable<ReloadRequest['restore']> | null> {
  const { live, origin, backups, marker, fileBases, log } = deps;
  const isUnfinished = marker.interrupted === 'rendered';
  const configText = await live.read();
  if (configText === null) return isUnfinished ? null : await lastKnownGood(backups, log);
  // The database decides whether an unfinished change is completed or undone. Its text is recorded as rendered; any
  // other is an operator's repair, or what was live before the change.
  if (isUnfinished && (await origin.of(configText)).live === 'rendered') return null;
  return { configText, files: await filesNamedIn(fileBases, configText) };
}
