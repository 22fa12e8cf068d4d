// Reads a JSON document value by value as it arrives: a body of millions is never completely in memory.

import { TextDecoder } from 'node:util';
import { JSONParser } from '@streamparser/json';
import { count } from '../domain/counted.ts';
import type { ServiceError } from '../errors/service-error.ts';
import { malformedBody, tooLarge } from './rejections.ts';
import { StrictTokens } from './strict-json.ts';

// Byte order marks inside JSON. The parser's decoder drops one at the start of a string: "\ufeff192.0.2.1" would be
// read as an address, and a reason would be stored without it.

/** In UTF-8 (read as Latin-1), and escaped. */
const MARK = /\xef\xbb\xbf|\\u[fF][eE][fF][fF]/g;
/** A mark that may continue in the next slice. */
const PARTIAL_MARK = /(?:\xef\xbb?|\\(?:u(?:[fF](?:[eE][fF]?)?)?)?)$/;
const MAX_PARTIAL_MARK = 5;

class ByteOrderMarks {
  #partial = '';

  /** The positions after each mark that ends in the slice. Call with the slices in order. */
  endsIn(slice: Uint8Array): number[] {
    const before = this.#partial.length;
    const text = this.#partial + Buffer.from(slice.buffer, slice.byteOffset, slice.length).toString('latin1');
    const ends: number[] = [];
    for (const { 0: mark, index } of text.matchAll(MARK)) {
      if (!isEscaped(text, index)) ends.push(index + mark.length - before);
    }
    const end = text.slice(-MAX_PARTIAL_MARK);
    const partial = PARTIAL_MARK.exec(end);
    this.#partial = partial === null || isEscaped(text, text.length - end.length + partial.index) ? '' : partial[0];
    return ends;
  }
}

/** `\\ufeff` is a backslash and five letters. */
function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes += 1;
  return text[at] === '\\' && backslashes % 2 === 1;
}

export interface JsonValue {
  readonly value: unknown;
  /** Names and indices, the outermost first. */
  readonly path: readonly (string | number)[];
  /** A name that appears twice in one of its objects. */
  readonly duplicate: string | null;
  /** Contains a byte order mark, which `value` may have lost. */
  readonly marked: boolean;
}

export interface JsonForm {
  readonly root: 'array' | 'object';
  /** Such as `$.*.*`. */
  readonly paths: readonly string[];
  /** For messages: "a JSON array of addresses". */
  readonly name: string;
}

/** Much longer than any address with a reason. */
const MAX_VALUE_BYTES = 65_536;

/** About 5 ms of parsing on a slow core. */
const SLICE_BYTES = 16_384;

/** Errors: 400 if it is not UTF-8, not JSON or has another form, 413 if a value is too long. */
export async function* readJsonValues(
  body: AsyncIterable<Uint8Array>,
  form: JsonForm,
): AsyncGenerator<readonly JsonValue[]> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const parser = new JSONParser({ paths: [...form.paths], keepStack: false, stringBufferSize: 4096 });
  let found: JsonValue[] = [];
  let started = false;
  const marks = new ByteOrderMarks();
  let bytesWithoutValue = 0;
  const strict = new StrictTokens();
  let rejection: ServiceError | null = null;
  parser.onValue = ({ value, key, stack }) => {
    const path = stack.slice(1).map((level) => level.key as string | number);
    found.push({ value, path: [...path, key as string | number], ...strict.takeFaults() });
  };
  parser.onToken = (token) => {
    rejection ??= strict.token(token);
  };

  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += SLICE_BYTES) {
      const slice = chunk.subarray(start, start + SLICE_BYTES);
      checkUtf8(() => utf8.decode(slice, { stream: true }));
      started ||= checkRoot(slice, form);
      let written = 0;
      for (const end of marks.endsIn(slice)) {
        write(() => parser.write(slice.subarray(written, end)), form);
        rejection ??= strict.mark();
        written = end;
      }
      write(() => parser.write(slice.subarray(written)), form);
      if (rejection !== null) throw rejection;
      bytesWithoutValue = found.length > 0 ? 0 : bytesWithoutValue + slice.length;
      if (bytesWithoutValue > MAX_VALUE_BYTES) {
        throw tooLarge(`a value of the body is longer than ${count(MAX_VALUE_BYTES)} bytes; send ${form.name}`);
      }
      if (found.length > 0) yield found;
      found = [];
    }
  }
  checkUtf8(() => utf8.decode());
  if (!started) throw malformedBody(`the body is empty; send ${form.name}`);
  if (!parser.isEnded) write(() => parser.end(), form);
  if (found.length > 0) yield found;
}

/** Returns whether the document has started. */
function checkRoot(bytes: Uint8Array, form: JsonForm): boolean {
  const first = bytes.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
  if (first === undefined) return false;
  if (first === 0xef)
    throw malformedBody('the body must start with JSON; if it has a byte order mark (U+FEFF), remove it');
  const wanted = form.root === 'array' ? '[' : '{';
  if (first !== wanted.charCodeAt(0)) throw malformedBody(`the body must be ${form.name}`);
  return true;
}

function write(parse: () => void, form: JsonForm): void {
  try {
    parse();
  } catch (cause) {
    throw malformedBody(`the body is not valid JSON; send ${form.name}`, cause);
  }
}

function checkUtf8(decode: () => string): void {
  try {
    decode();
  } catch (cause) {
    throw malformedBody('the body is not valid UTF-8', cause);
  }
}
