import { causeText, type Log } from '../../telemetry/log.ts';
import type { BackupContent } from './backup-files.ts';
import type { BackupStore } from './backup-store.ts';

/** Null also for an unreadable one, which is logged. */
export async function lastKnownGood(backups: BackupStore, log: Log): Promise<BackupContent | null> {
  try {
    return await backups.readKnownGood();
  } catch (error) {
    log.error('The last known good configuration cannot be read', { cause: causeText(error) });
    return null;
  }
}
