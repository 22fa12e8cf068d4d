// Reads a list in the browser, with the same readers as the command line and the same address parser as the service.

import { parseIp } from '../../../../../src/domain/ip.ts';
import type { ListFormat } from '../../../../../src/lists/format.ts';
import { NotAList } from '../../../../../src/lists/lines.ts';
import { readList } from '../../../../../src/lists/read-list.ts';
import type { ListEntry } from '../../../../../src/lists/reading.ts';

export interface NumberedEntry {
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
  /** Each address once, from its last line. */
  readonly entries: readonly NumberedEntry[];
  readonly duplicates: number;
  readonly bad: readonly BadLine[];
  /** The networks of bad lines that are wrong only for their host bits. */
  readonly correctable: readonly NumberedEntry[];
}

export function withCorrections({ entries, bad, correctable, ...rest }: Preview): Preview {
  const lines = new Set(correctable.map(({ line }) => line));
  const all = new Map(entries.map((one) => [one.entry.ip, one]));
  for (const one of correctable) if (!all.has(one.entry.ip)) all.set(one.entry.ip, one);
  return { ...rest, entries: [...all.values()], bad: bad.filter(({ line }) => !lines.has(line)), correctable: [] };
}

/** Formats whose lines are only an address: in others, a corrected line would lose its reason and expiry. */
const plainFormats: ReadonlySet<ListFormat | null> = new Set<ListFormat>(['list', 'map']);

/** @param onLines called with the number of lines read. @throws NotAList for binary files other than gzip */
export async function readPreview(list: Blob, onLines: (lines: number) => void, signal: AbortSignal): Promise<Preview> {
  const entries = new Map<string, NumberedEntry>();
  const bad: BadLine[] = [];
  const correctable: NumberedEntry[] = [];
  let duplicates = 0;
  const reading = readList(chunksOf(list, signal), null);
  for await (const batch of reading.batches) {
    for (const { line, reading } of batch) {
      if (reading.kind === 'bad') {
        bad.push({ line, value: reading.value, why: reading.why });
        const parse = parseIp(reading.value);
        if (!parse.ok && parse.meant !== undefined) correctable.push({ line, entry: { ip: parse.meant.text } });
      }
      if (reading.kind !== 'entry') continue;
      if (entries.has(reading.entry.ip)) duplicates += 1;
      entries.set(reading.entry.ip, { line, entry: reading.entry });
    }
    const last = batch.at(-1);
    if (last !== undefined) onLines(last.line);
  }
  const { format } = reading;
  return {
    format,
    entries: [...entries.values()],
    duplicates,
    bad,
    correctable: plainFormats.has(format) ? correctable : [],
  };
}

/** Not every browser supports iterating a stream. */
async function* chunksOf(list: Blob, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = (await textStream(list)).getReader();
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

/** Decompresses gzip, which published lists use. */
async function textStream(list: Blob): Promise<ReadableStream<Uint8Array>> {
  const head = new Uint8Array(await list.slice(0, 4_096).arrayBuffer());
  if (head[0] === 0x1f && head[1] === 0x8b) return list.stream().pipeThrough(new DecompressionStream('gzip'));
  const utf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  // The reader has its own message for these; any other zero byte means a binary file.
  const known = utf16 || (head[0] === 0x50 && head[1] === 0x4b);
  if (!known && head.includes(0)) throw new NotAList('is not a text file');
  return list.stream();
}
