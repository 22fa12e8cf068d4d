// What a list would do, before anything happens: read here by the same readers as the command line's, judged by the same
// parser as the service's.

import { parseIp } from '../../../../../src/domain/ip.ts';
import type { ListFormat } from '../../../../../src/lists/format.ts';
import { NotAList } from '../../../../../src/lists/lines.ts';
import { readList } from '../../../../../src/lists/read-list.ts';
import type { ListEntry } from '../../../../../src/lists/reading.ts';

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
  /** Of the bad ones, those that are right but for their host bits, as the networks that were meant; none of CSV. */
  readonly mendable: readonly NumberedEntry[];
}

/** With the networks that were meant in place of the lines with host bits. */
export function mended({ entries, bad, mendable, ...rest }: Preview): Preview {
  const lines = new Set(mendable.map(({ line }) => line));
  const all = new Map(entries.map((one) => [one.entry.ip, one]));
  for (const one of mendable) if (!all.has(one.entry.ip)) all.set(one.entry.ip, one);
  return { ...rest, entries: [...all.values()], bad: bad.filter(({ line }) => !lines.has(line)), mendable: [] };
}

/** Their lines say nothing but an address; mended, those of others would lose their end and reason. */
const plain: ReadonlySet<ListFormat | null> = new Set<ListFormat>(['list', 'map']);

/** @param onLines told the number of lines read so far. @throws NotAList for what is no text, or compressed otherwise than by gzip */
export async function readPreview(list: Blob, onLines: (lines: number) => void, signal: AbortSignal): Promise<Preview> {
  const entries = new Map<string, NumberedEntry>();
  const bad: BadLine[] = [];
  const mendable: NumberedEntry[] = [];
  let doubles = 0;
  const reading = readList(chunksOf(list, signal), null);
  for await (const batch of reading.batches) {
    for (const { line, reading } of batch) {
      if (reading.kind === 'bad') {
        bad.push({ line, value: reading.value, why: reading.why });
        const parse = parseIp(reading.value);
        if (!parse.ok && parse.meant !== undefined) mendable.push({ line, entry: { ip: parse.meant.text } });
      }
      if (reading.kind !== 'entry') continue;
      if (entries.has(reading.entry.ip)) doubles += 1;
      entries.set(reading.entry.ip, { line, entry: reading.entry });
    }
    const last = batch.at(-1);
    if (last !== undefined) onLines(last.line);
  }
  const { format } = reading;
  return { format, entries: [...entries.values()], doubles, bad, mendable: plain.has(format) ? mendable : [] };
}

/** Not every browser lets a stream be iterated. */
async function* chunksOf(list: Blob, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = (await plainStream(list)).getReader();
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

/** Unpacks what is compressed by gzip, as published lists are. */
async function plainStream(list: Blob): Promise<ReadableStream<Uint8Array>> {
  const head = new Uint8Array(await list.slice(0, 4_096).arrayBuffer());
  if (head[0] === 0x1f && head[1] === 0x8b) return list.stream().pipeThrough(new DecompressionStream('gzip'));
  const utf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  // Of those the reader says more; any other zero byte is of a picture or a program.
  const known = utf16 || (head[0] === 0x50 && head[1] === 0x4b);
  if (!known && head.includes(0)) throw new NotAList('is not a text file');
  return list.stream();
}
