// Rejects duplicate names, because parsers differ in which one counts (RFC 8259, 4; ADR 0027), and deep nesting, which
// exceeds the stack of recursive code. Two implementations: the scan of a small body takes 3 µs, tokens would take 13.
import { type JSONParser, TokenType } from '@streamparser/json';
import type { ServiceError } from '../errors/service-error.ts';
import { duplicateField, malformedBody, tooLarge } from './rejections.ts';

type Token = Parameters<JSONParser['onToken']>[0];

/** The deepest valid body, a site, has four. */
const MAX_DEPTH = 32;

/** Names by open object, the innermost last; null for a list. */
class OpenValues {
  readonly #names: (Set<string> | null)[] = [];

  open(isObject: boolean): ServiceError | null {
    if (this.#names.length === MAX_DEPTH) return tooLarge(`the body is nested more than ${MAX_DEPTH} levels deep`);
    this.#names.push(isObject ? new Set() : null);
    return null;
  }

  close(): void {
    this.#names.pop();
  }

  get depth(): number {
    return this.#names.length;
  }

  get isInObject(): boolean {
    return this.#names.at(-1) instanceof Set;
  }

  isDuplicate(name: string): boolean {
    const names = this.#names.at(-1) ?? null;
    if (names?.has(name) === true) return true;
    names?.add(name);
    return false;
  }
}

export function rejectionOfJson(json: string): ServiceError | null {
  const values = new OpenValues();
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    let rejection: ServiceError | null = null;
    if (code === QUOTE) {
      const start = at;
      at = endOfText(json, start);
      if (!isName(json, at + 1)) continue;
      const name = JSON.parse(json.slice(start, at + 1)) as string;
      if (values.isDuplicate(name)) rejection = duplicateField(name);
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) rejection = values.open(code === OPEN_OBJECT);
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) values.close();
    if (rejection !== null) return rejection;
  }
  return null;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** The index of the closing quote. */
function endOfText(json: string, start: number): number {
  let at = start + 1;
  for (let code = json.charCodeAt(at); code !== QUOTE; code = json.charCodeAt(at)) at += code === BACKSLASH ? 2 : 1;
  return at;
}

function isName(json: string, from: number): boolean {
  let at = from;
  while (json.charCodeAt(at) <= 0x20) at += 1;
  return json.charCodeAt(at) === COLON;
}

/** Inside an element, a duplicate name or a mark rejects only this element. */
export class StrictTokens {
  readonly #values = new OpenValues();
  #text = '';
  #duplicate: string | null = null;
  #marked = false;

  /** Of the element that has just ended. */
  takeFaults(): { duplicate: string | null; marked: boolean } {
    const faults = { duplicate: this.#duplicate, marked: this.#marked };
    this.#duplicate = null;
    this.#marked = false;
    return faults;
  }

  /** Call for a string with a byte order mark. Returns why the complete body is rejected, or null. */
  mark(): ServiceError | null {
    if (this.#values.depth === 1 && this.#values.isInObject)
      return malformedBody('a field name of the body contains a byte order mark (U+FEFF); remove it');
    this.#marked = true;
    return null;
  }

  /** Why the complete body is rejected, or null. */
  token({ token, value }: Token): ServiceError | null {
    switch (token) {
      case TokenType.STRING:
        this.#text = String(value);
        return null;
      case TokenType.COLON:
        if (!this.#values.isDuplicate(this.#text)) return null;
        if (this.#values.depth === 1) return duplicateField(this.#text);
        this.#duplicate ??= this.#text;
        return null;
      case TokenType.LEFT_BRACE:
      case TokenType.LEFT_BRACKET:
        return this.#values.open(token === TokenType.LEFT_BRACE);
      case TokenType.RIGHT_BRACE:
      case TokenType.RIGHT_BRACKET:
        this.#values.close();
        return null;
      default:
        return null;
    }
  }
}
