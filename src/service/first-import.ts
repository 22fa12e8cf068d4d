// The very first start: an existing map file is imported as permanent blocks, so that the first rewrite of the file
// unblocks nobody. What cannot be read is told line by line and never guessed.
import { parseIp } from '../domain/ip.ts';
import { readMapFile } from '../haproxy/map-file.ts';
import type { BlockedIpsStore } from '../store/blocked-ips-store.ts';
import type { Log } from '../telemetry/log.ts';

const importedBy = 'import:map-file';
const groupSize = 2_000;
const shownLines = 20;

export interface MapImport {
  readonly imported: number;
  readonly refused: number;
}

/** `path` exists. Entries with the value 0, or none, do not block today and are not imported. */
export async function importMapFile(path: string, store: BlockedIpsStore, log: Log, now: Date): Promise<MapImport> {
  let [imported, refused] = [0, 0];
  const refuse = (line: number, why: string): void => {
    refused += 1;
    if (refused <= shownLines) log.warn('A line of the existing map file is not imported', { path, line, why });
  };
  for await (const lines of readMapFile(path)) {
    for (let start = 0; start < lines.length; start += groupSize) {
      const changes = lines.slice(start, start + groupSize).flatMap((line) => {
        if (line.kind === 'damaged') {
          refuse(line.line, line.why);
          return [];
        }
        if (!/^[0-9]+$/.test(line.value) || Number(line.value) === 0) {
          refuse(line.line, `its value ${JSON.stringify(line.value.slice(0, 20))} does not block`);
          return [];
        }
        const parsed = parseIp(line.key);
        if (!parsed.ok) {
          refuse(line.line, parsed.why);
          return [];
        }
        return [{ op: 'add' as const, entry: parsed.entry, blockedBy: importedBy, expiry: { kind: 'keep' as const } }];
      });
      if (changes.length === 0) continue;
      const { net } = await store.applyGroup(changes, now, () => undefined);
      imported += net.added.length;
    }
  }
  log.info('Existing map file imported', { path, imported, refused });
  return { imported, refused };
}
