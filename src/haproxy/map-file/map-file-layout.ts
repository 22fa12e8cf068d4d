/**
 * The layout of the map file, in bytes. Pure.
 *
 *   header    one comment line of 128 bytes: the database of the file, and the last change that its body contains; then
 *             one of 64 bytes, rewritten by a change that writes no slot: the last change that the file contains
 *   body      `<canonical> 1` lines in address order, as the last rewrite wrote them
 *   padding   one comment line up to the next multiple of 64
 *   slots     of 64 bytes, each of two lines at fixed offsets: a comment that names the change that wrote it, and the
 *             line itself, a comment until its first byte is replaced by that of an address
 *
 * Everything that changes after the rewrite is a 64-byte aligned slot or one single byte, so that no reader's buffer
 * (4096 bytes in HAProxy's fgets) and no disk sector ever contains half of a change (promise 10).
 */
import { type IpEntry, mapLine, parseIp } from '../../domain/ip.ts';
import { MapFileError } from './map-file-error.ts';

export interface MapFileHeader {
  /** The identity of the database: at most 64 letters, digits and hyphens; a UUID. */
  readonly database: string;
  /** The number of the last change that the body contains. */
  readonly generation: number;
}

/** A UUID and a number do not fit into 64. */
export const HEADER_BYTES = 128;
/** The second line: the file's own generation, unless a slot names a later one. */
export const NOW_BYTES = 64;
export const BODY_START = HEADER_BYTES + NOW_BYTES;
export const SLOT_BYTES = 64;
/** Of a slot: `#`, its number (blanks until its first use) and a newline. */
export const TAG_BYTES = 18;
/** One page. */
export const SLOTS_PER_BLOCK = 64;
/** An IPv6 network: 43 characters, the value and the newline. */
export const LONGEST_LINE = 46;

export const HASH = 0x23;
const BLANK = 0x20;
export const NEWLINE = 0x0a;
/** Written over the first byte of a removed line. For HAProxy `#` begins a comment in column 0 only. */
export const HASH_BYTE: Uint8Array = Uint8Array.of(HASH);

const HEADER = /^# proxy-manager database=([0-9A-Za-z-]{1,64}) generation=(0|[1-9]\d{0,15}) *$/;

/** Newline included. Throws a RangeError for a header that could not be read back. */
export function headerLine(header: MapFileHeader): Buffer {
  const text = `# proxy-manager database=${header.database} generation=${header.generation}`;
  if (!HEADER.test(text) || !Number.isSafeInteger(header.generation)) {
    throw new RangeError(`not a map file header: ${JSON.stringify(header)}`);
  }
  return Buffer.from(`${text.padEnd(HEADER_BYTES - 1)}\n`, 'latin1');
}

/** Null for a line that this service did not write. */
export function parseHeaderLine(line: string): MapFileHeader | null {
  const match = HEADER.exec(line);
  if (match?.[1] === undefined) return null;
  const generation = Number(match[2]);
  return Number.isSafeInteger(generation) ? { database: match[1], generation } : null;
}

const NOW = /^# now at generation (\d{16}), (\d{16}) *$/;

/** Newline included. Contains the number twice, so that a partial write is recognised. */
export function nowLine(generation: number): Buffer {
  const text = `# now at generation ${digits(generation)}, ${digits(generation)}`;
  return Buffer.from(`${text.padEnd(NOW_BYTES - 1)}\n`, 'latin1');
}

/** Null for any other line: older versions wrote none. */
export function parseNowLine(line: string): number | null {
  const match = NOW.exec(line);
  if (match === null || match[1] !== match[2]) return null;
  const generation = Number(match[1]);
  return Number.isSafeInteger(generation) ? generation : null;
}

const TAG = /^#([0-9a-z]{8})\1$/;

/** A slot's first line, newline included: the number twice, in base 36, so that a partial write is recognised. */
export function tagLine(generation: number): string {
  const number = generation.toString(36).padStart(8, '0');
  if (number.length > 8) throw new RangeError(`the number ${generation} does not fit into a slot`);
  return `#${number}${number}\n`;
}

export function parseTag(line: string): number | null {
  const match = TAG.exec(line);
  return match === null ? null : Number.parseInt(match[1]!, 36);
}

export function bodyLine(ip: string): string {
  return `${mapLine(ip)}\n`;
}

/** The comment line that extends a file of this length to a multiple of 64 bytes; empty when it is one. */
export function padding(length: number): Buffer {
  const missing = (SLOT_BYTES - (length % SLOT_BYTES)) % SLOT_BYTES;
  if (missing === 0) return Buffer.alloc(0);
  // One byte has no room for the `#` and the newline.
  return commentLine(missing === 1 ? SLOT_BYTES + 1 : missing);
}

/**
 * Empty slots. Both lines begin with `#` and the newlines stay at their offsets: bytes written later are part of a
 * comment at any time, in whatever order a reader sees them.
 */
export function emptySlots(count: number): Buffer {
  return Buffer.alloc(count * SLOT_BYTES, Buffer.concat([commentLine(TAG_BYTES), commentLine(SLOT_BYTES - TAG_BYTES)]));
}

/** Writes the line of `ip`, hidden by `#` in place of its first character. */
export function writeHiddenSlot(target: Buffer, offset: number, ip: string, generation: number): void {
  const line = offset + TAG_BYTES;
  target.fill(BLANK, line, offset + SLOT_BYTES - 1);
  target.write(tagLine(generation), offset, 'latin1');
  target.write(mapLine(ip), line, 'latin1');
  target[line] = HASH;
  target[offset + SLOT_BYTES - 1] = NEWLINE;
}

export function firstByte(ip: string): Uint8Array {
  return Uint8Array.of(ip.charCodeAt(0));
}

/** Throws for text that is not canonical: nothing else is written to the file (promise 8). */
export function canonicalEntry(ip: string): IpEntry {
  const parsed = parseIp(ip);
  if (parsed.ok && parsed.entry.text === ip) return parsed.entry;
  const why = parsed.ok ? `its canonical form is ${parsed.entry.text}` : parsed.why;
  throw new MapFileError('not-canonical', `Not written to the map file: ${JSON.stringify(ip.slice(0, 60))}: ${why}`);
}

function digits(generation: number): string {
  return String(generation).padStart(16, '0');
}

function commentLine(bytes: number): Buffer {
  const line = Buffer.alloc(bytes, BLANK);
  line[0] = HASH;
  line[bytes - 1] = NEWLINE;
  return line;
}
