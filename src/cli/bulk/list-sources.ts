// Lists whose lines name sources: the output of `export --csv`.
import type { SourceKind } from '../../domain/source-name.ts';
import type { ListFormat } from '../../lists/format.ts';
import { readList } from '../../lists/read-list.ts';
import type { ListEntry, ListExpiry } from '../../lists/reading.ts';
import type { Session } from '../session.ts';
import { withSourceName } from './elements.ts';
import type { ListSource } from './source.ts';

export interface ListedSource {
  readonly lines: number;
  /** Undefined: the lines have none. */
  readonly kind: SourceKind | undefined;
}

/** By name; empty: the lines name none. */
export async function sourcesOfList(source: ListSource, format: ListFormat | null): Promise<Map<string, ListedSource>> {
  const sources = new Map<string, ListedSource>();
  for await (const { source: name, kind } of entriesWithSources(source, format)) {
    const known = sources.get(name);
    sources.set(name, { lines: (known?.lines ?? 0) + 1, kind: known?.kind ?? kind });
  }
  return sources;
}

/** Those that are missing and would otherwise become of `otherwise`. Existing ones keep their kind. */
export async function createMissing(
  { api }: Pick<Session, 'api'>,
  sources: ReadonlyMap<string, ListedSource>,
  otherwise: SourceKind,
): Promise<void> {
  const wanted = [...sources].flatMap(([name, { kind }]) =>
    kind === undefined || kind === 'manual' || kind === otherwise ? [] : [{ name, kind }],
  );
  if (wanted.length === 0) return;
  const { data } = await api.GET('/api/sources');
  const known = new Set(data.items.map(({ name }) => name));
  for (const { name, kind } of wanted) {
    if (!known.has(name)) await api.PUT('/api/sources/{name}', { params: { path: { name } }, body: { kind } });
  }
}

/**
 * The lines that do not count when claims of several sources become those of one: of each address one counts, the one
 * that ends last.
 * @param expiry of lines without one; null: they keep that of an existing block
 */
export async function outlastedLines(
  source: ListSource,
  format: ListFormat | null,
  expiry: ListExpiry | null,
  now: Date,
): Promise<ReadonlySet<number>> {
  const counting = new Map<string, { readonly line: number; readonly end: number }>();
  const outlasted = new Set<number>();
  for await (const { line, ip, expiry: own } of entriesWithSources(source, format)) {
    const end = endOf(own ?? expiry, now);
    const known = counting.get(ip);
    if (known === undefined || end >= known.end) counting.set(ip, { line, end });
    if (known !== undefined) outlasted.add(end >= known.end ? known.line : line);
  }
  return outlasted;
}

/** A line that says `never` counts before one that says nothing. */
function endOf(expiry: ListExpiry | null, now: Date): number {
  if (expiry === null) return Number.MAX_VALUE;
  if ('seconds' in expiry) return now.getTime() + expiry.seconds * 1_000;
  return expiry.at === null ? Number.POSITIVE_INFINITY : new Date(expiry.at).getTime();
}

type EntryWithSource = ListEntry & { readonly line: number; readonly source: string };

async function* entriesWithSources(source: ListSource, format: ListFormat | null): AsyncGenerator<EntryWithSource> {
  try {
    const list = readList(source.read(), format);
    for await (const readings of list.batches) {
      for (const { line, reading } of readings) {
        if (reading.kind !== 'entry') continue;
        const { source: name } = reading.entry;
        // Without such a column no line has one.
        if (name === undefined) return;
        yield { ...reading.entry, line, source: name };
      }
    }
  } catch (error) {
    throw withSourceName(source.name, error);
  }
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
