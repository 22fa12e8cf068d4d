// Lines gathered and written together: a write costs some 20 µs, and a request tells three lines in two forms.
import { pino } from 'pino';
import { withoutKeys } from './key-mark.ts';

/** What waits for a disk that is full, to be written when it has room again; beyond it lines are lost. */
const keptBytes = 1_048_576;
/** More than this is not gathered: memory is no place for a log. */
const gatheredAtMost = 65_536;

export interface GatheredLinesOptions {
  /** Descriptor or path. */
  readonly dest: number | string;
  readonly append?: boolean;
  readonly mkdir?: boolean;
  readonly mode?: number;
}

export class GatheredLines {
  readonly #destination: ReturnType<typeof pino.destination>;
  #lines = '';

  constructor(options: GatheredLinesOptions) {
    this.#destination = pino.destination({ ...options, sync: true, maxLength: keptBytes });
    this.#destination.on('error', ignoreLostLines);
  }

  /** `line` with its newline. Written by the next `flush`, by whoever made this. */
  write(line: string): void {
    this.#lines += line;
    if (this.#lines.length > gatheredAtMost) this.flush();
  }

  /** In the file, or the pipe, when it returns. A disk without room loses lines and throws nothing. */
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

  /** The path is opened anew; what was gathered before goes to the former file. */
  reopen(): void {
    this.flush();
    this.#destination.reopen();
  }
}

/**
 * A disk that is full or a reader of the pipe that is gone loses lines and nothing else: no block fails because it
 * cannot be told of. There is nowhere left to tell this.
 */
function ignoreLostLines(_error: unknown): void {
  // See above.
}
