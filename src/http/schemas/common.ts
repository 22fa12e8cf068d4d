// Building blocks of the schemas. In a request schema `description` ends the sentence "… must be …" (validation-errors.ts).
// A schema with a `title` is a component of that name in the document at /openapi.json, in whatever route it stands.
import Type, { type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from 'typebox';

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
export const BooleanOrNull = Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] });
export const Count = Type.Integer({ minimum: 0 });
/** Of a process; what Linux allows. */
const pidBounds = { minimum: 1, maximum: 4_194_304 };
export const Pid = Type.Integer(pidBounds);
export const PidOrNull = Type.Unsafe<number | null>({ type: ['integer', 'null'], ...pidBounds });
/** Milliseconds. */
export const Duration = Type.Integer({ minimum: 0 });

/** A list in an answer, in the read-only form that the services return. */
export function listOf<Item extends TSchema>(items: Item): TUnsafe<readonly Static<Item>[]> {
  return Type.Unsafe<readonly Static<Item>[]>({ type: 'array', items });
}

export const Texts = listOf(Type.String());
/** A time in UTC as every answer has it: `2026-11-20T12:00:00.000Z`. */
export const Time = Type.String({ format: 'date-time' });
export const TimeOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' });

/** Of an answer: one of some words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: 'string', enum: words });
}

export function orNull<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema> | null> {
  return Type.Unsafe<Static<Schema> | null>({ anyOf: [schema, { type: 'null' }] });
}

/** Every name in it, with those of what is inside: `reload`, `reload.id`. Of lists, those of their elements. */
type NamesIn<T> = T extends readonly (infer Item)[]
  ? NamesIn<Item>
  : T extends object
    ? { [Name in keyof T & string]-?: Name | `${Name}.${NamesIn<T[Name]>}` }[keyof T & string]
    : never;

/** Nothing where both have the same names; else the names that only one of them has. */
type Difference<A, B> = [Exclude<A, B> | Exclude<B, A>] extends [never] ? [] : [Exclude<A, B> | Exclude<B, A>];

/**
 * The schema of an answer. What it does not name is left out of the answer without a word, so a service that answers
 * more than the schema says, or less, does not compile: the second argument that is then missing is what differs.
 * @param name of the component, in the form `BlockAnswer`
 */
export function answer<Answer extends object>(name: string) {
  return <Properties extends TProperties>(
    properties: Properties,
    ..._differs: Difference<NamesIn<Answer>, NamesIn<Static<TObject<Properties>>>>
  ): TUnsafe<Answer> => Type.Unsafe<Answer>(Type.Object(properties, { title: name }));
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
