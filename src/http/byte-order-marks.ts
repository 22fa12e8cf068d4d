// Byte order marks inside a JSON text. The parser decodes each text by itself, and a decoder drops a mark at a text's
// beginning: "\ufeff192.0.2.1" would be read as an address, and a reason would not be stored as it was given.

/** In UTF-8, read as Latin-1, and escaped. */
const MARK = /\xef\xbb\xbf|\\u[fF][eE][fF][fF]/g;
/** What may be the beginning of one, at the end of a slice. */
const BEGUN = /(?:\xef\xbb?|\\(?:u(?:[fF](?:[eE][fF]?)?)?)?)$/;
const LONGEST_BEGUN = 5;

export class ByteOrderMarks {
  #begun = '';

  /** The positions in the slice right behind each mark that ends in it, in order. Slices are to come in order too. */
  endsIn(slice: Uint8Array): number[] {
    const before = this.#begun.length;
    const text = this.#begun + Buffer.from(slice.buffer, slice.byteOffset, slice.length).toString('latin1');
    const ends: number[] = [];
    for (const { 0: mark, index } of text.matchAll(MARK)) {
      if (!isEscaped(text, index)) ends.push(index + mark.length - before);
    }
    const end = text.slice(-LONGEST_BEGUN);
    const begun = BEGUN.exec(end);
    this.#begun = begun === null || isEscaped(text, text.length - end.length + begun.index) ? '' : begun[0];
    return ends;
  }
}

/** `\\ufeff` is a backslash and five letters. Only a backslash of its own begins an escape, and only texts hold any. */
function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes += 1;
  return text[at] === '\\' && backslashes % 2 === 1;
}
