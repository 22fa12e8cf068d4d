// One pass over the sort keys, for any number of addresses.
import { yieldToLoop } from '../concurrency/pause.ts';
import { covers, entryOfSortKey, type IpEntry, sortKey } from '../domain/ip.ts';
import type { BlockedKeys } from './blocked-keys.ts';
import type { Runner } from './prepared-query.ts';
import { KEY_BYTES } from './staged-rows.ts';

/** Keys read between two yields to the event loop: about 2 ms. */
const SLICE = 8_192;
/** The last byte of a plain address's key. */
const PLAIN = 128;

/**
 * The narrowest blocked network around each covered entry, by canonical text; an entry does not cover itself. Reads the
 * keys up to the last entry: some 0.1 s at half a million.
 */
export async function coveredAmong(
  keys: BlockedKeys,
  runner: Runner,
  entries: readonly IpEntry[],
): Promise<Map<string, string>> {
  const covered = new Map<string, string>();
  const wanted = entries.map((entry) => ({ entry, key: sortKey(entry) })).sort((a, b) => a.key.compare(b.key));
  const last = wanted.at(-1)?.key ?? null;
  /** The networks around the current position, widest first. */
  const around: IpEntry[] = [];
  const leave = (place: IpEntry): void => {
    while (around.length > 0 && !covers(around.at(-1)!, place)) around.pop();
  };
  const settle = (entry: IpEntry): void => {
    leave(entry);
    const own = around.at(-1)?.text === entry.text;
    const by = around.at(own ? -2 : -1);
    if (by !== undefined) covered.set(entry.text, by.text);
  };
  let next = 0;
  for (let after: Buffer | null = null; next < wanted.length; await yieldToLoop()) {
    const slice = await keys.between(runner, after, last, SLICE);
    for (let at = 0; at < slice.length; at += KEY_BYTES) {
      if (slice[at + KEY_BYTES - 1] === PLAIN) continue;
      const key = slice.subarray(at, at + KEY_BYTES);
      while (next < wanted.length && wanted[next]!.key.compare(key) < 0) settle(wanted[next++]!.entry);
      const network = entryOfSortKey(slice, at);
      leave(network);
      around.push(network);
    }
    if (slice.length < SLICE * KEY_BYTES) {
      for (; next < wanted.length; next++) settle(wanted[next]!.entry);
    } else {
      after = Buffer.from(slice.subarray(-KEY_BYTES));
    }
  }
  return covered;
}
