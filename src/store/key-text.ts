// Keys of denied addresses and their entries, and of changed rows, are read as text. SQLite's driver allocates a separate
// buffer for each blob: some 300 bytes outside of V8's heap, a multiple of the key, between other allocations, so that
// after many of them the process keeps their memory. Where only keys are read, and each has 17 bytes, SQLite packs
// thousands into one blob (blocked-keys.ts).
import { type RawBuilder, sql } from 'kysely';

/** Hexadecimal, in lower case. */
export function keyText(column: string): RawBuilder<string> {
  return sql<string>`lower(hex(${sql.ref(column)}))`;
}

export function nullableKeyText(column: string): RawBuilder<string | null> {
  return sql<string | null>`iif(${sql.ref(column)} is null, null, ${keyText(column)})`;
}

/** Small buffers made by this share their memory. */
export function keyOfText(text: string): Buffer {
  return Buffer.from(text, 'hex');
}
