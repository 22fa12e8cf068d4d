// What a reload that the service makes for itself puts in force: what is live, an operator's own edit included.
import type { Log } from '../../telemetry/log.ts';
import type { BackupStore } from '../backups/backup-store.ts';
import { filesNamedIn } from '../template/sites-map.ts';
import type { LiveFile } from './live-file.ts';
import type { LiveOrigin } from './live-origin.ts';
import type { ReloadRequest } from './reload-request.ts';
import type { ReloadUnderWay } from './reload-under-way.ts';
import { readableKnownGood } from './start-configuration.ts';

/** Null: what the database and the template say. That replaces nothing but what proxy-manager rendered itself. */
export async function configurationInForce(options: {
  readonly live: LiveFile;
  readonly origin: LiveOrigin;
  readonly backups: BackupStore;
  readonly underWay: Pick<ReloadUnderWay, 'interrupted'>;
  readonly sitesMapBase: string;
  readonly log: Log;
}): Promise<ReloadRequest['restore'] | null> {
  const { live, origin, backups, underWay, sitesMapBase, log } = options;
  const changeIsUnfinished = underWay.interrupted === 'rendered';
  const configText = await live.read();
  if (configText === null) return changeIsUnfinished ? null : await readableKnownGood(backups, log);
  // A change that was not finished is made or unmade by what the database says. Its text, when in place, is known as
  // rendered; any other is a repair by hand, or what was live before the change.
  if (changeIsUnfinished && (await origin.of(configText)).live === 'rendered') return null;
  return { configText, files: await filesNamedIn(sitesMapBase, configText) };
}
