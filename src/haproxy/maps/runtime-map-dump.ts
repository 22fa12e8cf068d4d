// Reads a complete map with one `show map`, as a stream, since a million entries are 30 MB.
import type { Conversation } from '../socket/conversation.ts';
import { elementOf, type MapEntry, parseShowMapLine } from '../socket/replies.ts';
import { RuntimeMapRejection } from './runtime-map-rejection.ts';

export type EntriesSink = (batch: MapEntry[]) => void | Promise<void>;

/** Returns the number of entries. Any other line rejects with RuntimeMapRejection, a truncated dump with MasterSocketError. */
export async function dump(conversation: Conversation, command: string, onEntries: EntriesSink): Promise<number> {
  let count = 0;
  await conversation.streamLines(command, (lines) => {
    const entries = lines.map((line) => entryOf(command, lines, line));
    count += entries.length;
    return onEntries(entries);
  });
  return count;
}

/** One entry of a map, among duplicates of its key. */
interface MapElement {
  readonly element: string;
  readonly value: string;
}

/** A change of one entry: it gets the value 1, or it is removed. */
export interface ElementChange {
  readonly key: string;
  readonly element: string;
  readonly change: 'set' | 'remove';
}

/** The entries of each wanted key, in the order of the map. */
export async function elementsOf(
  conversation: Conversation,
  command: string,
  wanted: Iterable<string>,
): Promise<Map<string, MapElement[]>> {
  const elements = new Map<string, MapElement[]>();
  for (const key of wanted) elements.set(key, []);
  await conversation.streamLines(command, (lines) => {
    for (const line of lines) {
      const { key, value } = entryOf(command, lines, line);
      elements.get(key)?.push({ element: unshared(elementOf(line)), value });
    }
  });
  return elements;
}

/** A copy: a substring keeps the complete block that its line came in. */
function unshared(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

function entryOf(command: string, lines: readonly string[], line: string): MapEntry {
  const entry = parseShowMapLine(line);
  if (entry === null) throw new RuntimeMapRejection(command, [lines.join('\n')], 'cannot be read');
  return entry;
}

/** The values of each wanted key, in the order of the map. */
export async function valuesOf(
  conversation: Conversation,
  command: string,
  wanted: Iterable<string>,
): Promise<Map<string, string[]>> {
  const elements = await elementsOf(conversation, command, wanted);
  return new Map(Array.from(elements, ([key, found]) => [key, found.map(({ value }) => value)]));
}
