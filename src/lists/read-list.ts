import { formatOfLine, type ListFormat, readerOf } from './format.ts';
import { type LineOfFile, readLines } from './lines.ts';
import { type NumberedReading, readNumbered } from './reading.ts';

/** Lines examined before a list without any sign counts as plain. */
const looked = 200;

export interface ListReading {
  /** Null before the first batch. */
  readonly format: ListFormat | null;
  readonly batches: AsyncGenerator<readonly NumberedReading[]>;
}

/**
 * Reads to the source's end, in batches as its chunks come.
 * @param format null: detected by the first lines that show one
 * @throws NotAList as `readLines`
 */
export function readList(source: AsyncIterable<Uint8Array>, format: ListFormat | null): ListReading {
  const state = { format };
  return {
    get format() {
      return state.format;
    },
    batches: batchesOf(source, state),
  };
}

async function* batchesOf(
  source: AsyncIterable<Uint8Array>,
  state: { format: ListFormat | null },
): AsyncGenerator<readonly NumberedReading[]> {
  let waiting: LineOfFile[] = [];
  let reader = state.format === null ? null : readerOf(state.format);
  const decide = (format: ListFormat) => {
    state.format = format;
    reader = readerOf(format);
    return reader;
  };
  for await (const lines of readLines(source)) {
    let ready: readonly LineOfFile[] = lines;
    if (reader === null) {
      const shown = firstFormat(lines);
      waiting.push(...lines);
      if (shown === null && waiting.length < looked) continue;
      reader = decide(shown ?? 'list');
      ready = waiting;
      waiting = [];
    }
    const read = reader;
    if (ready.length > 0) yield ready.map((line) => readNumbered(read, line));
  }
  if (waiting.length > 0) {
    const read = decide('list');
    yield waiting.map((line) => readNumbered(read, line));
  }
}

function firstFormat(lines: readonly LineOfFile[]): ListFormat | null {
  for (const { text, tooLong } of lines) {
    const format = tooLong ? null : formatOfLine(text);
    if (format !== null) return format;
  }
  return null;
}
