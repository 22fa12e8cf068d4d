import { causeText } from '../telemetry/cause-text.ts';
import type { Log } from '../telemetry/log.ts';
import type { TlsFiles } from './files.ts';
import type { WantedCertificates } from './installation.ts';
import type { NewerFiles } from './newer-files.ts';

const SHOWN = 20;

interface Deps {
  readonly files: Pick<TlsFiles, 'ids' | 'pathOf'>;
  readonly newer: Pick<NewerFiles, 'remove'>;
  readonly wanted: Pick<WantedCertificates, 'removedAmong'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/**
 * Files that have the name of a certificate and no row in the database, as after a restored backup of the folder. A
 * certificate that this service removed leaves no key behind; any other may be the only copy of its key. Never throws.
 */
export async function removeStrays(
  { files, newer, wanted, log }: Deps,
  isWanted: (id: string) => boolean,
): Promise<void> {
  try {
    const strays = (await files.ids()).filter((id) => !isWanted(id));
    if (strays.length === 0) return;
    const removed = await wanted.removedAmong(strays);
    for (const [id, own] of removed) {
      const isDeleted = await newer.remove(id, own);
      if (isDeleted) log.info('File of a removed certificate deleted', { file: files.pathOf(id) });
    }
    const left = strays.filter((id) => !removed.has(id)).map((id) => files.pathOf(id));
    if (left.length === 0) return;
    log.warn('Files of certificates that the database does not have; upload them, or remove the files', {
      files: left.slice(0, SHOWN),
      total: left.length,
    });
  } catch (error) {
    log.warn('Files without a certificate could not be found', { cause: causeText(error) });
  }
}
