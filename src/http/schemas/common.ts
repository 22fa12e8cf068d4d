// Building blocks of the schemas. In a request schema `description` ends the sentence "… must be …" (validation-errors.ts).
import Type, { type TSchema, type TUnsafe } from 'typebox';

/** Control characters, line separators and halves of surrogate pairs: nothing that could begin a line of its own in a log. */
const ONE_LINE = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff]*$';

/** One line of text of `least` to `most` characters (code points). */
export function lineOfText(least: number, most: number) {
  return Type.String({ ...textOptions(least, most), description: textDescription(least, most) });
}

export function lineOfTextOrNull(least: number, most: number): TUnsafe<string | null> {
  const description = `${textDescription(least, most)}, or null`;
  return Type.Unsafe<string | null>({ type: ['string', 'null'], ...textOptions(least, most), description });
}

function textOptions(least: number, most: number): { minLength: number; maxLength: number; pattern: string } {
  return { minLength: least, maxLength: most, pattern: ONE_LINE };
}

function textDescription(least: number, most: number): string {
  return `one line of text of ${least === 0 ? 'at most' : `${least} to`} ${most} characters, without control characters`;
}

/** Of an answer. OpenAPI 3.1 has no `nullable`: the type is a list. */
export const StringOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'] });
export const IntegerOrNull = Type.Unsafe<number | null>({ type: ['integer', 'null'] });
export const Count = Type.Integer({ minimum: 0 });

/** A list in an answer, in the read-only form that the services return. */
export function listOf<Item>(items: TSchema): TUnsafe<readonly Item[]> {
  return Type.Unsafe<readonly Item[]>({ type: 'array', items });
}

export const Texts = listOf<string>(Type.String());

/** What a service may add to without the HTTP layer knowing it. */
export function openRecord<Record>(): TUnsafe<Record> {
  return Type.Unsafe<Record>({ type: 'object', additionalProperties: true });
}

export const pageLimit = Type.Integer({
  minimum: 1,
  maximum: 1000,
  default: 100,
  description: 'a whole number from 1 to 1000',
});

/** Opaque to clients; the service that made it refuses what it did not make. */
export const pageCursor = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^[A-Za-z0-9._:=+/%-]+$',
  description: 'next_cursor of the page before',
});

/** The text of a path parameter; its own parser says what would be right. */
export function pathParameter<Name extends string>(name: Name) {
  return Type.Object({ [name]: Type.String() } as Record<Name, ReturnType<typeof Type.String>>);
}
