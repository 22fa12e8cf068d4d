import { open } from 'node:fs/promises';
import { isIPv4, isIPv6 } from 'node:net';
import { isMissing } from '../files/atomic-file.ts';
import { HASH, HEADER_BYTES, type MapFileHeader, NEWLINE, parseHeaderLine } from './map-file-layout.ts';

/** What HAProxy makes of one line; comments and blank lines are left out. Line numbers begin at 1. */
export type MapFileLine =
  | { readonly kind: 'entry'; readonly key: string; readonly value: string; readonly line: number }
  | { readonly kind: 'damaged'; readonly text: string; readonly line: number; readonly why: string };

/** HAProxy (2.6, 3.0) reads with fgets into a buffer of `tune.bufsize`, 16384 by default; the rest becomes a line of its own. */
const LONGEST_READABLE_LINE = 16_383;
/** A multiple of 64, so that a slot never lies across two reads. */
const CHUNK_BYTES = 65_536;
const QUOTED_BYTES = 200;

/**
 * Reads any map file, ours or foreign, in batches: what HAProxy would load of it, and what is damaged. The keys are as
 * the file spells them, not canonical. Memory is bounded whatever the file holds. Rejects with the system's error
 * (`ENOENT` for a missing file).
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

/** Whose file this is. A header of null: there is a file and it is not one of ours (or its first line is damaged). */
export async function readMapFileHeader(
  path: string,
): Promise<{ readonly exists: boolean; readonly header: MapFileHeader | null }> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return { exists: false, header: null };
    throw error;
  }
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES * 2), 0, HEADER_BYTES * 2, 0);
    const end = buffer.subarray(0, bytesRead).indexOf(NEWLINE);
    return { exists: true, header: end === -1 ? null : parseHeaderLine(buffer.toString('latin1', 0, end)) };
  } finally {
    await file.close();
  }
}

/** Bytes of a map file, cut anywhere → lines. Keeps its own remainder; `end` when there are no more. */
export class MapLineParser {
  #rest: Buffer = Buffer.alloc(0);
  #skipping = false;
  #line = 1;

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
    // A torn comment or torn blanks hide nothing and hurt nobody.
    if (this.#skipping || isCommentOrBlank(rest, 0, rest.length)) return [];
    return [damaged(rest, this.#line, 'the last line has no newline: it may be cut short')];
  }

  #finish(bytes: Buffer, start: number, end: number, lines: MapFileLine[]): void {
    if (this.#skipping) this.#skipping = false;
    else if (end - start >= LONGEST_READABLE_LINE) lines.push(tooLong(bytes.subarray(start, end), this.#line));
    else {
      const line = readLine(bytes, start, end, this.#line);
      if (line !== null) lines.push(line);
    }
    this.#line += 1;
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

/** Why a line that holds an address alone is damaged; told apart because a list of addresses looks like this. */
export const NO_VALUE = 'no value: HAProxy loads it, and it does not block';

function readLine(bytes: Buffer, start: number, end: number, line: number): MapFileLine | null {
  if (isCommentOrBlank(bytes, start, end)) return null;
  const text = bytes.toString('latin1', start, end);
  if (text.includes('\0')) {
    return damaged(bytes.subarray(start, end), line, 'a NUL byte: HAProxy loses what follows it');
  }
  // As HAProxy's pat_ref_read_from_file_smp: blanks before the key, blanks between, then the value up to CR or newline.
  const match = /^[ \t]*([^ \t\r]+)[ \t]*([^\r]*)/.exec(text);
  const key = match?.[1] ?? '';
  const value = (match?.[2] ?? '').replace(/[ \t]+$/, '');
  if (!isLoadableAddress(key)) {
    return damaged(
      bytes.subarray(start, end),
      line,
      'the key is no IPv4 or IPv6 address or network: HAProxy refuses the file',
    );
  }
  if (value === '') {
    return damaged(bytes.subarray(start, end), line, NO_VALUE);
  }
  return { kind: 'entry', key, value, line };
}

/** A NUL makes even a comment worth a look: it is the mark of a block that never reached the disk. */
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

/** What HAProxy takes for a key of an ip map: wider than our canonical form (host bits, dotted masks, any spelling). */
function isLoadableAddress(key: string): boolean {
  const slash = key.indexOf('/');
  const address = slash === -1 ? key : key.slice(0, slash);
  const mask = slash === -1 ? null : key.slice(slash + 1);
  if (isIPv4(address)) return mask === null || isPrefix(mask, 32) || isIPv4(mask);
  // node:net lets a zone id pass, inet_pton does not.
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
