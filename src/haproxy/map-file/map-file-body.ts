import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { compareEntries, type IpEntry } from '../../domain/ip.ts';
import { type MapFileError, surprise } from './map-file-error.ts';
import { bodyLine, canonicalEntry, HASH, LONGEST_LINE, NEWLINE } from './map-file-layout.ts';

/** At this size the search stops halving and reads the remaining part. */
const WINDOW_BYTES = 4096;
const READ_BYTES = WINDOW_BYTES * 4;
/**
 * Probes of parts larger than one 512th of the body are cached: the first nine halvings, at most about a thousand probes
 * of 200 bytes. Without the cache these would read a long run of dead lines again for every search.
 */
const CACHED_PARTS = 512;

/** Cached permanently: lines do not move, and a dead line stays dead. */
interface Probe {
  readonly firstLine: number;
  /** The first live line from there on; null when all up to the end of the search were dead. */
  readonly live: { readonly at: number; readonly end: number; readonly entry: IpEntry } | null;
}

interface MapFileBodyDeps {
  readonly path: string;
  readonly file: FileHandle;
  readonly start: number;
  readonly end: number;
}

/**
 * The sorted lines of the last rewrite, searched on disk: of a million entries only the lines at which searches begin
 * are in memory. Reads are synchronous, since they take 2 µs from the page cache.
 */
export class MapFileBody {
  readonly #deps: MapFileBodyDeps;
  readonly #probes = new Map<number, Probe>();
  readonly #buffer = Buffer.allocUnsafe(READ_BYTES);

  constructor(deps: MapFileBodyDeps) {
    this.#deps = deps;
  }

  /** The offset of the live line of a canonical address, -1 when there is none. Throws a MapFileError (`surprise`). */
  find(entry: IpEntry): number {
    let low = this.#deps.start;
    let high = this.#deps.end;
    while (high - low > WINDOW_BYTES) {
      const middle = Math.floor((low + high) / 2);
      const { firstLine, live } = this.#probe(low, middle, high);
      const order = live === null ? -1 : compareEntries(entry, live.entry);
      if (live === null || order < 0) high = firstLine;
      else if (order > 0) low = live.end;
      else {
        low = live.at;
        high = live.end;
      }
    }
    return this.#findWithin(entry, low, high);
  }

  /** Searches for the complete line with the newlines around it: a dead line (`#.2.3.4 1`) never matches. */
  #findWithin(entry: IpEntry, low: number, high: number): number {
    if (high <= low) return -1;
    const window = this.#read(low - 1, high - low + 1);
    const at = window.indexOf(`\n${bodyLine(entry.text)}`, 0, 'latin1');
    return at === -1 ? -1 : low + at;
  }

  #probe(low: number, middle: number, high: number): Probe {
    const known = this.#probes.get(middle);
    if (known !== undefined) return known;
    const probe = this.#readProbe(middle, high);
    // By the part's size and not by a count: the probes on the way to a cached one must be cached too, or the parts could
    // shift as lines die and this probe would be used for another part.
    if ((high - low) * CACHED_PARTS > this.#deps.end - this.#deps.start) this.#probes.set(middle, probe);
    return probe;
  }

  #readProbe(middle: number, high: number): Probe {
    let window = this.#read(middle, Math.min(WINDOW_BYTES, high - middle));
    const firstLine = middle + window.indexOf(NEWLINE) + 1;
    let offset = middle;
    let at = firstLine;
    for (;;) {
      at = offset + skipDeadLines(window, at - offset);
      if (at >= high) return { firstLine, live: null };
      if (window.indexOf(NEWLINE, at - offset) !== -1)
        return { firstLine, live: this.#liveLine(window, at, at - offset) };
      if (at === offset) throw this.#foreign(at);
      offset = at;
      window = this.#read(offset, Math.min(READ_BYTES, high - offset));
    }
  }

  #liveLine(window: Buffer, at: number, index: number): NonNullable<Probe['live']> {
    const end = window.indexOf(NEWLINE, index);
    const text = window.toString('latin1', index, end);
    if (end - index >= LONGEST_LINE || !text.endsWith(' 1')) throw this.#foreign(at);
    try {
      return { at, end: at + end - index + 1, entry: canonicalEntry(text.slice(0, -2)) };
    } catch (error) {
      throw this.#foreign(at, error);
    }
  }

  #read(position: number, length: number): Buffer {
    const window = this.#buffer.subarray(0, length);
    for (let done = 0; done < length; ) {
      const count = readSync(this.#deps.file.fd, window, done, length - done, position + done);
      if (count === 0) throw surprise(this.#deps.path, `it ends at ${position + done}`);
      done += count;
    }
    return window;
  }

  #foreign(at: number, cause?: unknown): MapFileError {
    return surprise(this.#deps.path, `at ${at} it contains bytes that this service did not write`, cause);
  }
}

/**
 * The index of the first live line from `index` on, or of the line that continues after the window, or the window's length.
 * `index` is a line's start.
 */
function skipDeadLines(window: Buffer, index: number): number {
  let start = index;
  while (start < window.length && window[start] === HASH) {
    // A loop instead of indexOf, which costs ten times as much when called for every 16 bytes.
    let end = start + 1;
    while (end < window.length && window[end] !== NEWLINE) end += 1;
    if (end === window.length) return start;
    start = end + 1;
  }
  return start;
}
