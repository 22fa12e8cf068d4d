// The very first start: an existing map file is imported as permanent blocks, so that the first rewrite of the file
// unblocks nobody. What cannot be read is told line by line and never guessed.

import { type IpEntry, parseIp } from '../domain/ip.ts';
import { crashPoint } from '../faults/crash-point.ts';
import { type MapFileLine, NO_VALUE, readMapFile } from '../haproxy/map-file.ts';
import type { BlockedIpsStore } from '../store/blocked-ips-store.ts';
import type { Log } from '../telemetry/log.ts';

const importedBy = 'import:map-file';
const groupSize = 2_000;
const shownLines = 20;

export interface MapImport {
  readonly imported: number;
  readonly refused: number;
}

/**
 * What blocks today goes on being blocked, whatever its spelling: HAProxy takes host bits and dotted masks, and a last
 * line without newline. A line that holds an address alone is taken as its writer meant it (the specification's guide
 * lists one IP per line), although HAProxy lets it pass until then. An entry with the value 0 says that it does not
 * block, and is not imported. `path` exists.
 */
export async function importMapFile(path: string, store: BlockedIpsStore, log: Log, now: Date): Promise<MapImport> {
  let [imported, refused] = [0, 0];
  const refuse = (line: number, why: string): void => {
    refused += 1;
    if (refused <= shownLines) log.warn('A line of the existing map file is not imported', { path, line, why });
  };
  for await (const lines of readMapFile(path)) {
    for (let start = 0; start < lines.length; start += groupSize) {
      const changes = lines.slice(start, start + groupSize).flatMap((line) => {
        const read = readLine(line);
        if (typeof read !== 'string') {
          return [{ op: 'add' as const, entry: read, blockedBy: importedBy, expiry: { kind: 'keep' as const } }];
        }
        refuse(line.line, read);
        return [];
      });
      if (changes.length === 0) continue;
      const { net } = await store.applyGroup(changes, now, () => undefined);
      imported += net.added.length;
      crashPoint('import.group-stored');
    }
  }
  log.info('Existing map file imported', { path, imported, refused });
  return { imported, refused };
}

const loadableLine = /^[ \t]*(\S+)[ \t]+(\d+)[ \t\r]*$/;
const dottedMask = /\/(\d+\.\d+\.\d+\.\d+)$/;

/** What the line blocks, or why it blocks nothing. */
function readLine(line: MapFileLine): IpEntry | string {
  const [key, value] = keyAndValue(line);
  if (line.kind === 'damaged' && value === '') return line.why;
  if (key === undefined || value === undefined || !/^[0-9]+$/.test(value) || Number(value) === 0) {
    return `its value ${JSON.stringify(value?.slice(0, 20))} does not block`;
  }
  const parsed = parseIp(key.replace(dottedMask, (text, mask: string) => prefixOf(mask) ?? text));
  return parsed.ok ? parsed.entry : (parsed.meant ?? parsed.why);
}

function keyAndValue(line: MapFileLine): readonly (string | undefined)[] {
  if (line.kind === 'entry') return [line.key, line.value];
  if (line.why === NO_VALUE) return [line.text.trim(), '1'];
  return loadableLine.exec(line.text)?.slice(1) ?? [line.text, ''];
}

/** `255.255.0.0` → `/16`; null for a mask with a gap, which names no network. */
function prefixOf(mask: string): string | null {
  const bits = mask.split('.').map((part) => Number(part).toString(2).padStart(8, '0'));
  const ones = /^(1+)0*$/.exec(bits.join(''))?.[1];
  return ones === undefined ? null : `/${ones.length}`;
}
