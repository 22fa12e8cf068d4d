// One element of a bulk body: a text or an object as `POST /api/blocked-ips` takes it. A bad one is listed in the
// answer, never an error of the whole.
import type { BlockRequest as BlockBody } from '../api/blocked-ips.ts';
import type { BlockRequest, BulkItem } from '../blocking/answers.ts';
import { parseIp } from '../domain/ip.ts';
import { quote } from '../domain/quote.ts';
import { readBlockRequest } from './block-request.ts';
import type { JsonValue } from './json-values.ts';
import { LONGEST_SHOWN, shortCopy, shortJson } from './short-json.ts';
import { describeSchemaErrors, type SchemaError } from './validation-errors.ts';

/** A compiled schema, as ajv gives it. */
export interface Validator {
  (value: unknown): unknown;
  errors?: readonly SchemaError[] | null;
}

/** A bare address changes nothing that an entry says about itself. */
const KEEP = { kind: 'keep' } as const;

type Element = Pick<JsonValue, 'value' | 'duplicate' | 'marked'>;

type Reading =
  | { readonly ok: true; readonly request: BlockRequest }
  | { readonly ok: false; readonly value: string; readonly why: string };

export class ElementReader {
  readonly #isBlockBody: Validator;
  readonly #isUnblockBody: Validator;
  readonly #now: Date;
  readonly #mayOverride: (what: 'force' | 'allow_wide') => void;

  /**
   * @param now what `expires_at` of every element is measured against
   * @param mayOverride throws where the key may not do what an element asks for: the whole request is refused
   */
  constructor(
    isBlockBody: Validator,
    isUnblockBody: Validator,
    now: Date,
    mayOverride: (what: 'force' | 'allow_wide') => void,
  ) {
    this.#isBlockBody = isBlockBody;
    this.#isUnblockBody = isUnblockBody;
    this.#now = now;
    this.#mayOverride = mayOverride;
  }

  /** An element of `add`: a text means the same as an object with nothing but this address. */
  added(element: Element): Reading {
    if (element.marked) return refuseMark(element);
    if (typeof element.value !== 'string') return this.#object(element, this.#isBlockBody);
    return readText(element.value);
  }

  removed(element: Element): Reading {
    if (element.marked) return refuseMark(element);
    if (typeof element.value !== 'string') return this.#object(element, this.#isUnblockBody);
    return readText(element.value);
  }

  /** An element of a whole set. */
  listed(element: Element, index: number): BulkItem {
    const reading = this.added(element);
    return reading.ok ? reading : { ok: false, rejection: { index, value: reading.value, why: reading.why } };
  }

  #object({ value, duplicate }: Element, isRight: Validator): Reading {
    if (duplicate !== null) return refuse(value, [`${quote(duplicate)}: appears twice in the element; send it once`]);
    if (isRight(value) !== true) {
      const fields = describeSchemaErrors(isRight.errors ?? [], 'the element');
      return refuse(
        value,
        fields.map(({ name, description }) => (name === 'element' ? description : `${name}: ${description}`)),
      );
    }
    const body = value as BlockBody;
    for (const what of ['force', 'allow_wide'] as const) if (body[what] === true) this.#mayOverride(what);
    const reading = readBlockRequest(body, this.#now, { listed: true });
    return reading.ok
      ? reading
      : refuse(
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

function refuseMark({ value }: Element): Reading {
  return refuse(value, ['it holds a byte order mark (U+FEFF), which is not seen where it is shown; leave it out']);
}

function refuse(value: unknown, reasons: readonly string[]): Reading {
  const named = typeof value === 'string' ? value : (value as { ip_address?: unknown } | null)?.ip_address;
  const shown = typeof named === 'string' ? named : shortJson(value, LONGEST_SHOWN);
  return { ok: false, value: shortCopy(shown), why: reasons.slice(0, 3).join('; ') };
}
