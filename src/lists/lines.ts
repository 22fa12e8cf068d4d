// Bytes to numbered lines, in batches, with at most a chunk and one line in memory.

/** The file is not text; none of it is used. */
export class NotAList extends Error {
  override readonly name = 'NotAList';
}

export interface LineOfFile {
  /** Counted from 1. */
  readonly number: number;
  /** Without its line end (LF or CRLF); only the beginning of a line that is too long. */
  readonly text: string;
  readonly tooLong: boolean;
}

const longestLine = 4096;

/** Binary formats by their first bytes. */
const signatures: readonly { readonly bytes: readonly number[]; readonly why: string }[] = [
  { bytes: [0x1f, 0x8b], why: 'is compressed; unpack it first: zcat FILE | proxy-manager import -' },
  { bytes: [0x50, 0x4b, 0x03, 0x04], why: 'is a zip archive; unpack it first: unzip -p FILE | proxy-manager import -' },
  { bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a], why: 'is compressed; unpack it first: xzcat FILE | proxy-manager import -' },
  { bytes: [0x42, 0x5a, 0x68], why: 'is compressed; unpack it first: bzcat FILE | proxy-manager import -' },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], why: 'is compressed; unpack it first: zstdcat FILE | proxy-manager import -' },
  { bytes: [0xff, 0xfe], why: 'is UTF-16; save it as UTF-8' },
  { bytes: [0xfe, 0xff], why: 'is UTF-16; save it as UTF-8' },
  { bytes: [0x7f, 0x45, 0x4c, 0x46], why: 'is a program, not a list' },
  { bytes: [0x25, 0x50, 0x44, 0x46], why: 'is a PDF; save its text' },
  { bytes: [0x89, 0x50, 0x4e, 0x47], why: 'is an image, not a list' },
];

/**
 * The lines of a UTF-8 text without its byte order mark, a batch per chunk. Invalid bytes become U+FFFD, which no
 * address contains: only such a line is bad, not the list.
 * @throws NotAList for compressed, UTF-16 or binary content
 */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<readonly LineOfFile[]> {
  const decoder = new TextDecoder('utf-8');
  const cutter = new LineCutter();
  let looked = false;
  let head: Uint8Array = new Uint8Array(0);
  for await (const chunk of source) {
    let bytes = chunk;
    if (!looked) {
      // A pipe may deliver the first bytes one by one.
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      if (head.length < longestSignature) continue;
      refuseOtherFiles(head);
      looked = true;
      bytes = head;
    }
    yield cutter.push(decoder.decode(bytes, { stream: true }));
  }
  if (!looked) {
    refuseOtherFiles(head);
    yield cutter.push(decoder.decode(head, { stream: true }));
  }
  yield cutter.end(decoder.decode());
}

const longestSignature = 5;
/** A program or an image has a NUL among its first bytes; a single later one is one bad line. */
const lookedForNul = 8_000;

function refuseOtherFiles(head: Uint8Array): void {
  for (const { bytes, why } of signatures) {
    if (bytes.every((byte, index) => head[index] === byte)) throw new NotAList(why);
  }
  if (head.subarray(0, lookedForNul).includes(0))
    throw new NotAList('is not a text file: it contains NUL bytes; a list has one address per line');
}

class LineCutter {
  #rest = '';
  #number = 0;
  /** Until the end of a line that is too long. */
  #skipping = false;

  push(text: string): LineOfFile[] {
    const lines: LineOfFile[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = this.#take(text.slice(start, end));
      if (line !== null) lines.push(line);
      start = end + 1;
    }
    this.#keep(text.slice(start), lines);
    return lines;
  }

  /** The last line needs no newline. */
  end(text: string): LineOfFile[] {
    const lines = this.push(text);
    const last = this.#rest === '' ? null : this.#take('');
    return last === null ? lines : [...lines, last];
  }

  #take(tail: string): LineOfFile | null {
    const text = this.#rest + tail;
    this.#rest = '';
    if (this.#skipping) {
      this.#skipping = false;
      return null;
    }
    this.#number += 1;
    if (text.length > longestLine) return { number: this.#number, text: text.slice(0, longestLine), tooLong: true };
    return { number: this.#number, text: text.endsWith('\r') ? text.slice(0, -1) : text, tooLong: false };
  }

  #keep(tail: string, lines: LineOfFile[]): void {
    if (this.#skipping) return;
    this.#rest += tail;
    if (this.#rest.length <= longestLine) return;
    const line = this.#take('');
    if (line !== null) lines.push(line);
    this.#skipping = true;
  }
}
