// Reading a whole map with one `show map`, as a stream: a million entries are 30 MB and must not be held.
import type { Conversation } from './conversation.ts';
import { type MapEntry, parseShowMapLine } from './replies.ts';
import { RuntimeMapRejection } from './runtime-map-rejection.ts';

export type EntriesSink = (batch: MapEntry[]) => void | Promise<void>;

/** Returns the number of entries. A line that is none rejects with RuntimeMapRejection, a cut-off dump with MasterSocketError. */
export async function dump(conversation: Conversation, command: string, onEntries: EntriesSink): Promise<number> {
  let count = 0;
  await conversation.streamLines(command, (lines) => {
    const entries = lines.map((line) => {
      const entry = parseShowMapLine(line);
      if (entry === null) throw new RuntimeMapRejection(command, [lines.join('\n')], 'cannot be read');
      return entry;
    });
    count += entries.length;
    return onEntries(entries);
  });
  return count;
}

/** The values of each wanted key, in the order of the map. */
export async function valuesOf(
  conversation: Conversation,
  command: string,
  wanted: Iterable<string>,
): Promise<Map<string, string[]>> {
  const values = new Map<string, string[]>();
  for (const key of wanted) values.set(key, []);
  await dump(conversation, command, (entries) => {
    for (const { key, value } of entries) values.get(key)?.push(value);
  });
  return values;
}
