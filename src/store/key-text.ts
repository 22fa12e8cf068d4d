// Keys of many rows are read as text. SQLite's driver makes a buffer of its own of each blob: some 300 bytes outside of
// V8's heap, a multiple of the key, among other allocations, so that after many of them the process keeps their memory.
import { type RawBuilder, sql } from 'kysely';

/** Hexadecimal, in lower case; empty for null. */
export function keyText(column: string): RawBuilder<string> {
  return sql<string>`lower(hex(${sql.ref(column)}))`;
}

/** Small buffers made by this share their memory. */
export function keyOfText(text: string): Buffer {
  return Buffer.from(text, 'hex');
}
