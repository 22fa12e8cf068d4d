// Log lines buffered and written together: a write costs some 20 µs, and a request logs three lines in two forms.
import { pino } from 'pino';

/** Kept while the disk is full; lines beyond it are lost. */
const keptBytes = 1_048_576;
const bufferedAtMost = 65_536;

/** An API key of this service or a session token, by its prefix. One may get into a line as a name in a path. */
const keys = /(pms?_)[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g;

/** Masks keys: more people read, ship and keep a log than may have one. */
export function withoutKeys(text: string): string {
  return text.includes('pm_') || text.includes('pms_') ? text.replaceAll(keys, '$1********') : text;
}

interface BufferedLinesOptions {
  /** Descriptor or path. */
  readonly dest: number | string;
  readonly append?: boolean;
  readonly mkdir?: boolean;
  readonly mode?: number;
}

export class BufferedLines {
  readonly #destination: ReturnType<typeof pino.destination>;
  #lines = '';

  constructor(options: BufferedLinesOptions) {
    this.#destination = pino.destination({ ...options, sync: true, maxLength: keptBytes });
    this.#destination.on('error', ignoreLostLines);
  }

  /** `line` with its newline. Written by the next `flush`, which the owner calls. */
  write(line: string): void {
    this.#lines += line;
    if (this.#lines.length > bufferedAtMost) this.flush();
  }

  /** Written to the file or pipe on return. A full disk loses lines and throws nothing. */
  flush(): void {
    if (this.#lines === '') return;
    const lines = withoutKeys(this.#lines);
    this.#lines = '';
    try {
      this.#destination.write(lines);
    } catch (error) {
      ignoreLostLines(error);
    }
  }

  /** Opens the path again; lines buffered before go to the former file. */
  reopen(): void {
    this.flush();
    this.#destination.reopen();
  }
}

/** A full disk or a closed pipe loses lines and nothing else: no block fails because it cannot be logged. */
function ignoreLostLines(_error: unknown): void {
  // There is nowhere left to report this.
}
