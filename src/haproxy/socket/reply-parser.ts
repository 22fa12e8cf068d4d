// Bytes of a non-interactive master connection → replies. Pure: no I/O, keeps its own remainder.
//
//   command                     reply on the wire (2.6.12, 3.0.11)
//   @1 add map P 1.2.3.4 1      "\n"
//   @1 get map P 1.2.3.4        "type=ip, case=sensitive, found=no\n\n"
//   @1 show map P               "0x55.. 1.2.3.4 1\n0x55.. 1.2.3.5 1\n\n"
//
// Every reply is its lines and then an empty line. (Except `reload` on 3.0, whose log may contain empty lines: that is read
// to the end of the connection.)

const NEWLINE = 0x0a;
/** Longer than any line of a proxy: bounds the memory. */
export const MAX_LINE_BYTES = 256 * 1024;

export class EndlessLineError extends Error {
  override readonly name = 'EndlessLineError';
}

interface ReplyHandler {
  /** Without newlines, never empty. */
  lines(lines: string[]): void;
  end(): void;
}

const nothing = new Uint8Array(0);

export class ReplyParser {
  readonly #handler: ReplyHandler;
  #rest: Uint8Array = nothing;

  constructor(handler: ReplyHandler) {
    this.#handler = handler;
  }

  get remainder(): string {
    return Buffer.from(this.#rest).toString('utf8');
  }

  push(bytes: Uint8Array): void {
    const last = bytes.lastIndexOf(NEWLINE);
    if (last === -1) {
      this.#keep(this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]));
      return;
    }
    const lines = bytes.subarray(0, last + 1);
    const whole = this.#rest.length === 0 ? lines : Buffer.concat([this.#rest, lines]);
    this.#keep(bytes.subarray(last + 1));
    // A newline is never part of another UTF-8 character, so no character is split here.
    this.#split(Buffer.from(whole.buffer, whole.byteOffset, whole.length).toString('utf8'));
  }

  #keep(rest: Uint8Array): void {
    if (rest.length > MAX_LINE_BYTES) throw new EndlessLineError(`a line of more than ${MAX_LINE_BYTES} bytes`);
    // A copy, so that the rest does not keep its buffer alive.
    this.#rest = rest.length === 0 ? nothing : Uint8Array.from(rest);
  }

  #split(text: string): void {
    let lines: string[] = [];
    let from = 0;
    while (from < text.length) {
      const to = text.indexOf('\n', from);
      if (to > from) lines.push(text.slice(from, to));
      else {
        if (lines.length > 0) this.#handler.lines(lines);
        lines = [];
        this.#handler.end();
      }
      from = to + 1;
    }
    if (lines.length > 0) this.#handler.lines(lines);
  }
}
