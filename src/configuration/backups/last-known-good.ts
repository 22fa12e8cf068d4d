// The configuration that was last in force and proved, as a safe reload asks for it: one that cannot be read is told of
// and counts as none.
import { causeText, type Log } from '../../telemetry/log.ts';
import type { NamedFile } from '../template/sites-map.ts';
import type { BackupStore } from './backup-store.ts';

export async function lastKnownGood(
  backups: BackupStore,
  log: Log,
): Promise<{ configText: string; files: readonly NamedFile[] } | null> {
  try {
    return await backups.readKnownGood();
  } catch (error) {
    log.error('The last known good configuration cannot be read', { cause: causeText(error) });
    return null;
  }
}
