import { InvalidCursor } from './store-error.ts';

/** Opaque to the client: the sort key of the last row it got, behind a version. */
const VERSION = 1;
const KEY_BYTES = 17;

export function encodeCursor(key: Uint8Array): string {
  return Buffer.from([VERSION, ...key]).toString('base64url');
}

/** Throws `InvalidCursor`. */
export function decodeCursor(cursor: string): Buffer {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length !== KEY_BYTES + 1 || bytes[0] !== VERSION || bytes.toString('base64url') !== cursor) {
    throw new InvalidCursor();
  }
  return bytes.subarray(1);
}
