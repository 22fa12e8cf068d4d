// One address per line, `#` and `;` comments (also after a blank), blank lines, LF or CRLF.

import { TextDecoder } from 'node:util';
import type { BulkItem } from '../blocking/blocked-set-service.ts';
import { count } from '../domain/counted.ts';
import { parseIp } from '../domain/ip.ts';
import { withoutComment } from '../domain/list-line.ts';
import { shortCopy } from './bulk-elements.ts';
import { malformedBody, tooLarge } from './rejections.ts';

/** About 5 ms of parsing. */
const BATCH = 2000;
const MAX_LINE_BYTES = 4096;
const KEEP = { kind: 'keep' } as const;

/** A line without a valid address is a rejected item. Errors: 400 if not UTF-8, 413 for a line longer than 4 KiB. */
export async function* readTextList(body: AsyncIterable<Uint8Array>): AsyncGenerator<readonly BulkItem[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  let line = 0;
  let batch: BulkItem[] = [];

  for await (const chunk of body) {
    const text = rest + decode(decoder, chunk);
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      line += 1;
      const item = readLine(text.slice(start, end), line);
      if (item !== null) batch.push(item);
      start = end + 1;
      if (batch.length >= BATCH) {
        yield batch;
        batch = [];
      }
    }
    rest = text.slice(start);
    checkLength(rest, line + 1);
  }
  rest += decode(decoder);
  if (rest !== '') {
    const item = readLine(rest, line + 1);
    if (item !== null) batch.push(item);
  }
  if (batch.length > 0) yield batch;
}

function readLine(text: string, line: number): BulkItem | null {
  checkLength(text, line);
  const value = withoutComment(text.endsWith('\r') ? text.slice(0, -1) : text);
  if (value === '') return null;
  const ip = parseIp(value);
  return ip.ok
    ? { ok: true, line, request: { entry: ip.entry, expiry: KEEP, force: false } }
    : { ok: false, rejection: { line, value: shortCopy(value), why: ip.why } };
}

function checkLength(text: string, line: number): void {
  // A UTF-16 unit is at most three bytes of UTF-8.
  if (text.length * 3 > MAX_LINE_BYTES && Buffer.byteLength(text) > MAX_LINE_BYTES) {
    throw tooLarge(`line ${line} is longer than ${count(MAX_LINE_BYTES)} bytes; write one address per line`);
  }
}

function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch (cause) {
    throw malformedBody('the list is not valid UTF-8; nothing was changed', cause);
  }
}
