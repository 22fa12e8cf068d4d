// Lists whose lines name sources: the output of `export --csv`.
import type { ListFormat } from '../../lists/format.ts';
import { readList } from '../../lists/read-list.ts';
import { withSourceName } from './elements.ts';
import type { ListSource } from './source.ts';

/** How many lines each source has; empty: the lines name none. */
export async function sourcesOfList(source: ListSource, format: ListFormat | null): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  try {
    const list = readList(source.read(), format);
    for await (const readings of list.batches) {
      for (const { reading } of readings) {
        if (reading.kind !== 'entry') continue;
        // Without such a column no line has one.
        if (reading.entry.source === undefined) return counts;
        counts.set(reading.entry.source, (counts.get(reading.entry.source) ?? 0) + 1);
      }
    }
  } catch (error) {
    throw withSourceName(source.name, error);
  }
  return counts;
}

/**
 * A pipe that can be read again until `release`. What is read of it before is kept in memory.
 */
export function rereadable(source: ListSource): ListSource & { release(): void } {
  if (source.isFile) return Object.assign(source, { release: () => undefined });
  const chunks = source.read()[Symbol.asyncIterator]();
  const kept: Uint8Array[] = [];
  let keeps = true;
  return {
    ...source,
    release: () => {
      keeps = false;
    },
    async *read() {
      yield* kept;
      if (!keeps) kept.length = 0;
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
        if (keeps) kept.push(next.value);
        yield next.value;
      }
    },
  };
}
