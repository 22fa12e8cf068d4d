import { causeText, type Log } from '../../telemetry/log.ts';
import type { BackupContent } from './backup-set.ts';
import type { BackupStore } from './backup-store.ts';

/** The configuration that a reload was last confirmed with. One that cannot be read is logged and counts as none. */
export async function lastKnownGood(backups: BackupStore, log: Log): Promise<BackupContent | null> {
  try {
    return await backups.readKnownGood();
  } catch (error) {
    log.error('The last known good configuration cannot be read', { cause: causeText(error) });
    return null;
  }
}
