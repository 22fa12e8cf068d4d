// What valid JSON may still do that a body here may not.
//
// A name twice, `{"ip_address": "192.0.2.1", "ip_address": "192.0.2.2"}`: parsers differ in which one counts (RFC 8259, 4),
// so what one program checked may not be what the next one does. In a list of addresses that is one bad entry, and the
// good ones are applied (ADR 0027). And lists inside lists without end: whatever walks over
// such a value, level by level, runs out of stack.
import { type JSONParser, TokenType } from '@streamparser/json';
import type { ServiceError } from '../errors/service-error.ts';
import { duplicateField, malformedBody, tooLarge } from './refusals.ts';

type Token = Parameters<JSONParser['onToken']>[0];

/** The body of a site with its servers and their options has four. */
const DEEPEST = 32;

/** The names of the objects that a text is inside of, the innermost last; null for a list. */
class OpenValues {
  readonly #names: (Set<string> | null)[] = [];

  open(isObject: boolean): ServiceError | null {
    if (this.#names.length === DEEPEST) return tooLarge(`the body is nested more than ${DEEPEST} levels deep`);
    this.#names.push(isObject ? new Set() : null);
    return null;
  }

  close(): void {
    this.#names.pop();
  }

  /** 1 at the names of the outermost object. */
  get depth(): number {
    return this.#names.length;
  }

  get isInObject(): boolean {
    return this.#names.at(-1) instanceof Set;
  }

  /** Whether the object has that name already. */
  isDuplicate(name: string): boolean {
    const names = this.#names.at(-1) ?? null;
    if (names?.has(name) === true) return true;
    names?.add(name);
    return false;
  }
}

/** Why a text that is valid JSON is refused all the same, or null. */
export function refusalOfJson(json: string): ServiceError | null {
  const values = new OpenValues();
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    let refusal: ServiceError | null = null;
    if (code === QUOTE) {
      const start = at;
      at = endOfText(json, start);
      if (!isName(json, at + 1)) continue;
      const name = JSON.parse(json.slice(start, at + 1)) as string;
      if (values.isDuplicate(name)) refusal = duplicateField(name);
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) refusal = values.open(code === OPEN_OBJECT);
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) values.close();
    if (refusal !== null) return refusal;
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

/** The same for a text that comes in pieces, token by token. A name twice, or a mark, below the outermost object refuses its entry only. */
export class StrictTokens {
  readonly #values = new OpenValues();
  #text = '';
  #duplicate: string | null = null;
  #marked = false;

  /** Of the entry that has just ended: the first name that appears twice in an object, and whether a text has a mark. */
  takeFaults(): { duplicate: string | null; marked: boolean } {
    const faults = { duplicate: this.#duplicate, marked: this.#marked };
    this.#duplicate = null;
    this.#marked = false;
    return faults;
  }

  /** The text that is being read holds a byte order mark. Why all of the body is refused, or null. */
  mark(): ServiceError | null {
    if (this.#values.depth === 1 && this.#values.isInObject)
      return malformedBody('a name of the body holds a byte order mark (U+FEFF); leave it out');
    this.#marked = true;
    return null;
  }

  /** Why all of the text is refused, or null. */
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
