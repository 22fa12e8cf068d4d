// One `show map`, streamed: a million entries are 30 MB.
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

interface MapElement {
  readonly element: string;
  readonly value: string;
}

export interface ElementChange {
  readonly key: string;
  readonly element: string;
  readonly change: 'set' | 'remove';
}

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

/** A copy: a substring would keep its complete block in memory. */
function unshared(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

function entryOf(command: string, lines: readonly string[], line: string): MapEntry {
  const entry = parseShowMapLine(line);
  if (entry === null) throw new RuntimeMapRejection(command, [lines.join('\n')], 'cannot be read');
  return entry;
}

export async function valuesOf(
  conversation: Conversation,
  command: string,
  wanted: Iterable<string>,
): Promise<Map<string, string[]>> {
  const elements = await elementsOf(conversation, command, wanted);
  return new Map(Array.from(elements, ([key, found]) => [key, found.map(({ value }) => value)]));
}
