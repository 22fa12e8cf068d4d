// An invalid element is listed in the response; the others are applied.
import type { BlockRequest } from '../api/blocked-entries.ts';
import type { BulkItem, RequestedBlock } from '../blocking/blocked-set-service.ts';
import { parseIp } from '../domain/ip.ts';
import { quote } from '../domain/quote.ts';
import type { JsonValue } from './json-values.ts';
import { readBlockRequest } from './request-values.ts';
import { describeSchemaErrors, type SchemaError } from './validation-errors.ts';

export interface Validator {
  (value: unknown): unknown;
  errors?: readonly SchemaError[] | null;
}

/** Characters of a rejected value that the response shows. */
const MAX_SHOWN_CHARACTERS = 100;

/** A plain address does not change the fields of an existing entry. */
const KEEP = { kind: 'keep' } as const;

type Element = Pick<JsonValue, 'value' | 'duplicate' | 'marked'>;

type Reading =
  | { readonly ok: true; readonly request: RequestedBlock }
  | { readonly ok: false; readonly value: string; readonly why: string };

interface ElementReaderDeps {
  readonly isBlockBody: Validator;
  readonly isUnblockBody: Validator;
  readonly now: Date;
  /** Throws if the key lacks the scope: the complete request is rejected. */
  readonly mayOverride: (what: 'force' | 'allow_wide') => void;
}

export class ElementReader {
  readonly #deps: ElementReaderDeps;

  constructor(deps: ElementReaderDeps) {
    this.#deps = deps;
  }

  /** A string is an object with only this address. */
  added(element: Element): Reading {
    if (element.marked) return rejectMark(element);
    if (typeof element.value !== 'string') return this.#object(element, this.#deps.isBlockBody);
    return readText(element.value);
  }

  removed(element: Element): Reading {
    if (element.marked) return rejectMark(element);
    if (typeof element.value !== 'string') return this.#object(element, this.#deps.isUnblockBody);
    return readText(element.value);
  }

  listed(element: Element, index: number): BulkItem {
    const reading = this.added(element);
    return reading.ok ? reading : { ok: false, rejection: { index, value: reading.value, why: reading.why } };
  }

  #object({ value, duplicate }: Element, isValid: Validator): Reading {
    if (duplicate !== null) return reject(value, [`${quote(duplicate)}: appears twice in the element; send it once`]);
    if (isValid(value) !== true) {
      const fields = describeSchemaErrors(isValid.errors ?? [], 'the element');
      return reject(
        value,
        fields.map(({ name, description }) => (name === 'element' ? description : `${name}: ${description}`)),
      );
    }
    const body = value as BlockRequest;
    for (const what of ['force', 'allow_wide'] as const) if (body[what] === true) this.#deps.mayOverride(what);
    const reading = readBlockRequest(body, this.#deps.now, { listed: true });
    return reading.ok
      ? reading
      : reject(
          value,
          reading.fields.map(({ description }) => description),
        );
  }
}

function readText(text: string): Reading {
  const ip = parseIp(text);
  return ip.ok
    ? { ok: true, request: { entry: ip.entry, expiry: KEEP, force: false } }
    : { ok: false, value: shortCopy(text), why: ip.why };
}

function rejectMark({ value }: Element): Reading {
  return reject(value, ['it contains a byte order mark (U+FEFF), which is invisible; remove it']);
}

function reject(value: unknown, reasons: readonly string[]): Reading {
  const named = typeof value === 'string' ? value : (value as { ip_address?: unknown } | null)?.ip_address;
  const shown = typeof named === 'string' ? named : shortJson(value, MAX_SHOWN_CHARACTERS);
  return { ok: false, value: shortCopy(shown), why: reasons.slice(0, 3).join('; ') };
}

/** A copy, because V8 slices keep their parent, here a chunk of the body, in memory. */
export function shortCopy(text: string): string {
  const short = text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}...` : text;
  return Buffer.from(short, 'utf16le').toString('utf16le');
}

const MAX_DEPTH = 4;

/**
 * For values nested deeper than `JSON.stringify` supports.
 * @param longest characters; a shortened result may be slightly longer, and is not valid JSON
 */
export function shortJson(value: unknown, longest: number, depth = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? String(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (depth === MAX_DEPTH) return `${open}...${close}`;
  let text = open;
  // `for in` does not copy a list of a million to show its first three elements.
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    if (text.length > 1) text += ',';
    if (!Array.isArray(value)) text += `${JSON.stringify(name)}:`;
    text += shortJson((value as Record<string, unknown>)[name], longest - text.length, depth + 1);
    if (text.length > longest) return text;
  }
  return text + close;
}
