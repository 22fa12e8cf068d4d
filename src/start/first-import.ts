// Imports the entries of a map file as permanent blocks, so that the rewrite of the file unblocks none: at the first
// start, and when the file is newer than the database. Unreadable lines are logged and never guessed.

import { type IpEntry, parseIp } from '../domain/ip.ts';
import { crashPoint } from '../faults/crash-point.ts';
import { isMissing } from '../files/atomic-file.ts';
import { type MapFileLine, NO_VALUE, readMapFile } from '../haproxy/map-file/map-file.ts';
import type { BlockedIpsStore } from '../store/blocked-ips-store.ts';
import type { TrustedIpsStore } from '../store/trusted-ips-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';

const lineRefused = 'Line of the existing map file not imported';
const trustedNote = 'from the map file';
const groupSize = 2_000;
const shownLines = 20;

export interface MapImport {
  readonly imported: number;
  readonly refused: number;
}

interface MapImportOptions {
  readonly path: string;
  /** `blocked_by` of each new entry. */
  readonly blockedBy: string;
  /** Which lines to import; absent: all. */
  readonly only?: (line: MapFileLine) => boolean;
}

/**
 * Keeps blocking what the file blocks, in any spelling: HAProxy accepts host bits and dotted masks, and a last line
 * without newline. A line with only an address is imported as meant (older guides write one address a line), although
 * HAProxy loads it without effect. Entries with the value 0 do not block and are not imported. Existing blocks stay
 * unchanged; an expired one by `now` is renewed, since the file shows that it was blocked again. `path` exists.
 */
export async function importMapFile(
  { path, blockedBy, only = () => true }: MapImportOptions,
  store: Pick<BlockedIpsStore, 'takeOver'>,
  log: Log,
  now: Date,
): Promise<MapImport> {
  let [imported, refused] = [0, 0];
  const refuse = (line: number, why: string): void => {
    refused += 1;
    if (refused <= shownLines) log.warn(lineRefused, { path, line, why });
  };
  for await (const batch of readMapFile(path)) {
    const lines = batch.filter(only);
    for (let start = 0; start < lines.length; start += groupSize) {
      const additions = lines.slice(start, start + groupSize).flatMap((line) => {
        const read = readLine(line);
        if (typeof read !== 'string') {
          return [{ op: 'add' as const, entry: read, defaultBlockedBy: blockedBy, expiry: { kind: 'keep' as const } }];
        }
        refuse(line.line, read);
        return [];
      });
      if (additions.length === 0) continue;
      imported += await store.takeOver(additions, now);
      crashPoint('import.group-stored');
    }
  }
  log.info('Existing map file imported', { path, imported, refused });
  return { imported, refused };
}

/**
 * The same for trusted addresses with their expiry, in case the database was lost: existing trust stays unchanged, and
 * expired trust is omitted. `path` exists.
 */
export async function importTrustedMap(
  path: string,
  store: Pick<TrustedIpsStore, 'get' | 'put'>,
  log: Log,
  now: Date,
): Promise<MapImport & { readonly over: number }> {
  let [imported, refused, over] = [0, 0, 0];
  for await (const lines of readMapFile(path)) {
    for (const line of lines) {
      const read = readLine(line);
      if (typeof read === 'string') {
        refused += 1;
        if (refused <= shownLines) log.warn(lineRefused, { path, line: line.line, why: read });
      } else if (line.until !== undefined && line.until <= now.toISOString()) {
        over += 1;
        const fields = { path, line: line.line, ip_address: read.text, ended_at: line.until };
        if (over <= shownLines) log.warn('Expired trusted address of the existing map file not imported', fields);
      } else if ((await store.get(read.text)) === null) {
        const expiry =
          line.until === undefined ? { kind: 'keep' as const } : { kind: 'at' as const, at: new Date(line.until) };
        await store.put(read, { note: trustedNote, expiry }, now);
        imported += 1;
      }
    }
  }
  log.info('Existing map file imported', { path, imported, refused, over });
  return { imported, refused, over };
}

/**
 * Trust follows the database, even an older restored one. Differences to the file are logged before it is rewritten:
 * addresses, at most twenty of each kind.
 */
export async function logTrustDrift(path: string, store: Pick<TrustedIpsStore, 'list'>, log: Log): Promise<void> {
  const wanted = new Set((await store.list()).map((row) => row.ip_address));
  const inFile = new Set<string>();
  try {
    for await (const lines of readMapFile(path)) {
      for (const line of lines) {
        const read = readLine(line);
        if (typeof read !== 'string') inFile.add(read.text);
      }
    }
  } catch (error) {
    // Not fatal: the start rewrites the file next, and reports a failure of that.
    if (!isMissing(error)) log.warn('Trusted map file cannot be read', { path, cause: causeText(error) });
    return;
  }
  const fileOnly = [...inFile].filter((text) => !wanted.has(text));
  const databaseOnly = [...wanted].filter((text) => !inFile.has(text));
  if (fileOnly.length + databaseOnly.length === 0) return;
  log.warn('Trusted map file differs from the database, which is in force', {
    path,
    only_in_file: fileOnly.slice(0, shownLines),
    only_in_database: databaseOnly.slice(0, shownLines),
  });
}

const loadableLine = /^[ \t]*(\S+)[ \t]+(\d+)[ \t\r]*$/;
const dottedMask = /\/(\d+\.\d+\.\d+\.\d+)$/;

/** The listed address, or why there is none. */
export function readLine(line: MapFileLine): IpEntry | string {
  const [key, value] = keyAndValue(line);
  if (line.kind === 'damaged' && value === '') return line.why;
  if (key === undefined || value === undefined || !/^[0-9]+$/.test(value) || Number(value) === 0) {
    return `its value ${JSON.stringify(value?.slice(0, 20))} does not count`;
  }
  const parsed = parseIp(key.replace(dottedMask, (text, mask: string) => prefixOf(mask) ?? text));
  return parsed.ok ? parsed.entry : (parsed.meant ?? parsed.why);
}

function keyAndValue(line: MapFileLine): readonly (string | undefined)[] {
  if (line.kind === 'entry') return [line.key, line.value];
  if (line.why === NO_VALUE) return [line.text.trim(), '1'];
  return loadableLine.exec(line.text)?.slice(1) ?? [line.text, ''];
}

/** `255.255.0.0` → `/16`; null for a mask with a gap, which is not a network. */
function prefixOf(mask: string): string | null {
  const bits = mask.split('.').map((part) => Number(part).toString(2).padStart(8, '0'));
  const ones = /^(1+)0*$/.exec(bits.join(''))?.[1];
  return ones === undefined ? null : `/${ones.length}`;
}
