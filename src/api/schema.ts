// Building blocks of the schemas. `description` says what a field is, in the document of the API; `mustBe` ends the
// sentence "… must be …" of a refused request. A model is a component of that name in the document, and a type of the
// typed client.
import Type, { type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from 'typebox';

interface Rules {
  readonly mustBe?: string;
  readonly additionalProperties?: boolean;
  readonly minProperties?: number;
}

/** @param name of the component, such as `Webhook` */
export function model<Fields extends TProperties>(
  name: string,
  description: string,
  fields: Fields,
  rules: Rules = {},
): TObject<Fields> {
  return Type.Object(fields, { title: name, description, ...rules });
}

/** The object of a request: it has these fields and no others. */
export function requestModel<Fields extends TProperties>(
  name: string,
  description: string,
  mustBe: string,
  fields: Fields,
): TObject<Fields> {
  return model(name, description, fields, { mustBe, additionalProperties: false });
}

export const text = (description: string) => Type.String({ description });
export const flag = (description: string) => Type.Boolean({ description });
export const count = (description: string) => Type.Integer({ minimum: 0, description });
/** In UTC: `2026-11-20T12:00:00.000Z`. */
export const time = (description: string) => Type.String({ format: 'date-time', description });

// OpenAPI 3.1 has no `nullable`: the type is a list.
export const textOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description });
export const timeOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description });

/** Of the answers to many requests, in pages. */
export const pageFields = {
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100, mustBe: 'a whole number from 1 to 1000' }),
  /** Opaque to clients; the service that made it refuses what it did not make. */
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: '^[A-Za-z0-9._:=+/%-]+$',
      mustBe: 'next_cursor of the page before',
    }),
  ),
};

/** One of some words. */
export function oneOf<const Word extends string>(words: readonly Word[], description: string): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: 'string', enum: words, description });
}

const nameOptions = { minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$' };

/** A model as a field, which says more of it there. */
export function described<Schema extends TSchema>(schema: Schema, fieldSays: string): Schema {
  return { ...schema, fieldSays };
}

/** Of a process; what Linux allows. */
export const pidOrNull = (description: string) => integerOrNull(1, 4_194_304, description);
/** In milliseconds. */
export const duration = count;
export const texts = (description: string) => listOf(Type.String(), description);
/** What a query may ask for. */
export const askedFor = Type.Optional(Type.Boolean({ mustBe: 'true or false' }));
/** The text of a path parameter; its own parser says what would be right. */
export const pathText = Type.String();

export const flagOrNull = (description: string) =>
  Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description });
export const integerOrNull = (minimum: number, maximum: number, description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum, maximum, description });

/** Of a key or a webhook. */
export function plainName(description?: string) {
  const mustBe = 'a name of 1 to 64 letters, digits, points, dashes and underscores, beginning with a letter or digit';
  return Type.String({ ...nameOptions, mustBe, ...(description === undefined ? {} : { description }) });
}

/** Read-only, as the services return it. */
export function listOf<Item extends TSchema>(items: Item, description: string): TUnsafe<readonly Static<Item>[]> {
  return Type.Unsafe<readonly Static<Item>[]>({ type: 'array', items, description });
}

/** Control characters, line separators and halves of surrogate pairs: nothing that could begin a line of its own in a log. */
const oneLine = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff]*$';

/** One line of text of `least` to `most` characters (code points). */
export function lineOfText(least: number, most: number, description: string) {
  return Type.String({ ...lineRules(least, most), description, mustBe: lineSays(least, most) });
}

export function lineOfTextOrNull(least: number, most: number, description: string) {
  const mustBe = `${lineSays(least, most)}, or null`;
  return Type.Unsafe<string | null>({ type: ['string', 'null'], ...lineRules(least, most), description, mustBe });
}

function lineRules(least: number, most: number) {
  return { minLength: least, maxLength: most, pattern: oneLine };
}

function lineSays(least: number, most: number): string {
  return `one line of text of ${least === 0 ? 'at most' : `${least} to`} ${most} characters, without control characters`;
}

/** What a request may turn on. */
export const switchedOn = (description: string) =>
  Type.Optional(Type.Boolean({ description, mustBe: 'true or false' }));

export const pid = (description: string) => Type.Integer({ minimum: 1, maximum: 4_194_304, description });

export const countOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, description });

/** A model, or null; as a field. */
export function orNull<Schema extends TSchema>(schema: Schema, description: string) {
  return Type.Unsafe<Static<Schema> | null>({ anyOf: [schema, { type: 'null' }], description });
}

/** A page of a history, newest first. `cursor` is opaque: `next_cursor` of the page before. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor: string | null;
}
