import { type FileHandle, open } from 'node:fs/promises';
import { isIPv4, isIPv6 } from 'node:net';
import { isMissing } from '../../files/atomic-file.ts';
import {
  BODY_START,
  HASH,
  type MapFileHeader,
  NEWLINE,
  parseHeaderLine,
  parseNowLine,
  parseTag,
  TAG_BYTES,
} from './map-file-layout.ts';
import { parseUntil, UNTIL_BYTES } from './trusted-map-text.ts';

/**
 * How HAProxy reads one line; comments and blank lines are omitted. Line numbers begin at 1. `generation`: the number
 * of its change, for a line added since the last rewrite. `until`: the expiry of trust, from a comment above.
 */
export type MapFileLine =
  | {
      readonly kind: 'entry';
      readonly key: string;
      readonly value: string;
      readonly line: number;
      readonly generation?: number;
      readonly until?: string;
    }
  | {
      readonly kind: 'damaged';
      readonly text: string;
      readonly line: number;
      readonly why: string;
      readonly until?: string;
    };

/** HAProxy (2.6, 3.0) reads with fgets into a buffer of `tune.bufsize`, 16384 by default; the rest becomes another line. */
const LONGEST_READABLE_LINE = 16_383;
/** A multiple of 64, so that no slot is split between two reads. */
const CHUNK_BYTES = 65_536;
const QUOTED_BYTES = 200;

/**
 * Reads any map file in batches: the entries that HAProxy would load, and damaged lines. Keys are spelled as in the
 * file. Memory is bounded for any content. Rejects with the system's error (`ENOENT` for a missing file).
 */
export async function* readMapFile(path: string): AsyncGenerator<MapFileLine[], void, undefined> {
  const file = await open(path, 'r');
  try {
    const parser = new MapLineParser();
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
      const lines = bytesRead === 0 ? parser.end() : parser.push(chunk.subarray(0, bytesRead));
      if (lines.length > 0) yield lines;
      if (bytesRead === 0) return;
    }
  } finally {
    await file.close();
  }
}

export interface MapFileIdentity {
  readonly exists: boolean;
  /** Null: no file, not written by this service, or a damaged first line. */
  readonly header: MapFileHeader | null;
  /** The last recorded change; null without a header, or when an older version wrote the file. */
  readonly last: number | null;
}

export async function readMapFileHeader(path: string): Promise<MapFileIdentity> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return { exists: false, header: null, last: null };
    throw error;
  }
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BODY_START), 0, BODY_START, 0);
    const [first, second] = buffer.toString('latin1', 0, bytesRead).split('\n');
    const header = first === undefined || second === undefined ? null : parseHeaderLine(first);
    if (header === null) return { exists: true, header, last: null };
    const [now, tag] = [parseNowLine(second ?? ''), await latestTag(file)];
    const numbered = now !== null || tag !== null;
    return { exists: true, header, last: numbered ? Math.max(header.generation, now ?? 0, tag ?? 0) : null };
  } finally {
    await file.close();
  }
}

/**
 * At least as many as the entries that `readMapFile` returns: all whole lines but those that begin as a comment. A
 * million lines take a tenth of its time.
 */
export async function countMapFileLines(path: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    const chunk = Buffer.allocUnsafe(16 * CHUNK_BYTES);
    let [count, atStart, comment] = [0, true, false];
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
      if (bytesRead === 0) return count;
      for (let at = 0; at < bytesRead; at += 1) {
        const byte = chunk[at];
        if (atStart) comment = byte === HASH;
        atStart = byte === NEWLINE;
        if (atStart && !comment) count += 1;
      }
    }
  } finally {
    await file.close();
  }
}

const TAG_BEGIN = '\n#0';

/** The highest number of a slot, null when there is none. Some ms for a million entries: few lines have this prefix. */
async function latestTag(file: FileHandle): Promise<number | null> {
  const buffer = Buffer.allocUnsafe(16 * CHUNK_BYTES);
  let latest: number | null = null;
  // The end of a part, which may contain the beginning of a tag, is read again with the next part.
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    const part = buffer.subarray(0, bytesRead);
    for (let at = part.indexOf(TAG_BEGIN); at !== -1; at = part.indexOf(TAG_BEGIN, at + 1)) {
      if (part[at + TAG_BYTES] !== NEWLINE) continue;
      const tag = parseTag(part.toString('latin1', at + 1, at + TAG_BYTES));
      if (tag !== null && (latest === null || tag > latest)) latest = tag;
    }
    if (bytesRead <= TAG_BYTES) return latest;
    position += bytesRead - TAG_BYTES;
  }
}

/** Accepts pieces of any size and keeps the remainder; call `end` after the last piece. */
export class MapLineParser {
  #rest: Buffer = Buffer.alloc(0);
  #skipping = false;
  #line = 1;
  #tag: number | null = null;
  #until: string | null = null;

  push(chunk: Buffer): MapFileLine[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const lines: MapFileLine[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.#finish(bytes, start, end, lines);
      start = end + 1;
    }
    this.#keep(bytes.subarray(start), lines);
    return lines;
  }

  end(): MapFileLine[] {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    // Incomplete comments and blanks hide nothing.
    if (this.#skipping || isCommentOrBlank(rest, 0, rest.length)) return [];
    return [this.#withUntil(damaged(rest, this.#line, 'the last line has no newline: it may be truncated'))];
  }

  #finish(bytes: Buffer, start: number, end: number, lines: MapFileLine[]): void {
    if (this.#skipping) this.#skipping = false;
    else if (end - start >= LONGEST_READABLE_LINE) lines.push(tooLong(bytes.subarray(start, end), this.#line));
    else {
      const line = readLine(bytes, start, end, this.#line);
      if (line !== null) lines.push(this.#withUntil(this.#withTag(line)));
      this.#tag = readTag(bytes, start, end);
      this.#until = readUntil(bytes, start, end);
    }
    this.#line += 1;
  }

  #withTag(line: MapFileLine): MapFileLine {
    return line.kind === 'entry' && this.#tag !== null ? { ...line, generation: this.#tag } : line;
  }

  #withUntil(line: MapFileLine): MapFileLine {
    return this.#until === null ? line : { ...line, until: this.#until };
  }

  #keep(rest: Buffer, lines: MapFileLine[]): void {
    if (this.#skipping) return;
    if (rest.length < LONGEST_READABLE_LINE) {
      // A copy: the caller reuses its buffer.
      this.#rest = Buffer.from(rest);
      return;
    }
    lines.push(tooLong(rest, this.#line));
    this.#rest = Buffer.alloc(0);
    this.#skipping = true;
  }
}

function readTag(bytes: Buffer, start: number, end: number): number | null {
  if (end - start !== TAG_BYTES - 1 || bytes[start] !== HASH) return null;
  return parseTag(bytes.toString('latin1', start, end));
}

function readUntil(bytes: Buffer, start: number, end: number): string | null {
  if (end - start !== UNTIL_BYTES || bytes[start] !== HASH) return null;
  return parseUntil(bytes.toString('latin1', start, end));
}

/** Separate because a list of addresses looks like this. */
export const NO_VALUE = 'no value: HAProxy loads it, and it does not block';

function readLine(bytes: Buffer, start: number, end: number, line: number): MapFileLine | null {
  if (isCommentOrBlank(bytes, start, end)) return null;
  const text = bytes.toString('latin1', start, end);
  if (text.includes('\0')) {
    return damaged(bytes.subarray(start, end), line, 'a NUL byte: HAProxy loses what follows it');
  }
  // As HAProxy's pat_ref_read_from_file_smp: blanks, key, blanks, then the value up to CR or newline.
  const match = /^[ \t]*([^ \t\r]+)[ \t]*([^\r]*)/.exec(text);
  const key = match?.[1] ?? '';
  const value = (match?.[2] ?? '').replace(/[ \t]+$/, '');
  if (!isLoadableAddress(key)) {
    return damaged(
      bytes.subarray(start, end),
      line,
      'the key is not an IPv4 or IPv6 address or network: HAProxy refuses the file',
    );
  }
  if (value === '') {
    return damaged(bytes.subarray(start, end), line, NO_VALUE);
  }
  return { kind: 'entry', key, value, line };
}

/** A comment with a NUL byte is damage: NUL marks a disk block that was never written. */
function isCommentOrBlank(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[start] === HASH && start < end) return !includesNul(bytes, start, end);
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === 0x0d) return true;
    if (byte !== 0x20 && byte !== 0x09) return false;
  }
  return true;
}

function includesNul(bytes: Buffer, start: number, end: number): boolean {
  const at = bytes.subarray(start, end).indexOf(0);
  return at !== -1;
}

/** HAProxy accepts more than the canonical form: host bits, dotted masks, any spelling. */
function isLoadableAddress(key: string): boolean {
  const slash = key.indexOf('/');
  const address = slash === -1 ? key : key.slice(0, slash);
  const mask = slash === -1 ? null : key.slice(slash + 1);
  if (isIPv4(address)) return mask === null || isPrefix(mask, 32) || isIPv4(mask);
  // node:net accepts a zone id, inet_pton does not.
  return isIPv6(address) && !address.includes('%') && (mask === null || isPrefix(mask, 128));
}

function isPrefix(text: string, longest: number): boolean {
  return /^\d{1,3}$/.test(text) && Number(text) <= longest;
}

function tooLong(bytes: Buffer, line: number): MapFileLine {
  return damaged(bytes, line, `longer than ${LONGEST_READABLE_LINE} bytes: HAProxy reads the rest as another line`);
}

function damaged(bytes: Buffer, line: number, why: string): MapFileLine {
  return { kind: 'damaged', text: bytes.toString('utf8', 0, QUOTED_BYTES), line, why };
}
