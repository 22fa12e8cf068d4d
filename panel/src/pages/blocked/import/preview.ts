// What a list would do, before anything happens: read here by the same readers as the command line's, judged by the same
// parser as the service's.
import type { ListFormat } from '../../../../../src/cli/lists/format.ts';
import { readList } from '../../../../../src/cli/lists/read-list.ts';
import type { ListEntry } from '../../../../../src/cli/lists/reading.ts';

export interface NumberedEntry {
  /** Counted from 1. */
  readonly line: number;
  readonly entry: ListEntry;
}

export interface BadLine {
  readonly line: number;
  readonly value: string;
  readonly why: string;
}

export interface Preview {
  readonly format: ListFormat | null;
  /** Each address once, as its last line has it. */
  readonly entries: readonly NumberedEntry[];
  /** Lines that name an address which another line names too. */
  readonly doubles: number;
  readonly bad: readonly BadLine[];
}

/** @param onLines told the number of lines read so far. @throws NotAList for what is compressed or no text */
export async function readPreview(list: Blob, onLines: (lines: number) => void, signal: AbortSignal): Promise<Preview> {
  const entries = new Map<string, NumberedEntry>();
  const bad: BadLine[] = [];
  let doubles = 0;
  const reading = readList(chunksOf(list, signal), null);
  for await (const batch of reading.batches) {
    for (const { line, reading } of batch) {
      if (reading.kind === 'bad') bad.push({ line, value: reading.value, why: reading.why });
      if (reading.kind !== 'entry') continue;
      if (entries.has(reading.entry.ip)) doubles += 1;
      entries.set(reading.entry.ip, { line, entry: reading.entry });
    }
    const last = batch.at(-1);
    if (last !== undefined) onLines(last.line);
  }
  return { format: reading.format, entries: [...entries.values()], doubles, bad };
}

/** Not every browser lets a stream be iterated. */
async function* chunksOf(list: Blob, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = list.stream().getReader();
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.releaseLock();
  }
}
