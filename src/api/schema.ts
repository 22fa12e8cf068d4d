// `mustBe` completes "… must be …" in a rejection. `documentedAs` is for the document alone: a parser checks these
// rules, with an error code of its own.
import Type, { type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from 'typebox';

interface Rules {
  readonly mustBe?: string;
  readonly additionalProperties?: boolean;
  readonly minProperties?: number;
}

/** A component of the document and a type of the typed client. @param name such as `Webhook` */
export function model<Fields extends TProperties>(
  name: string,
  description: string,
  fields: Fields,
  rules: Rules = {},
): TObject<Fields> {
  return Type.Object(fields, { title: name, description, ...rules });
}

/** Rejects other fields. */
export function requestModel<Fields extends TProperties>(
  name: string,
  description: string,
  mustBe: string,
  fields: Fields,
): TObject<Fields> {
  return model(name, description, fields, { mustBe, additionalProperties: false });
}

export function described<Schema extends TSchema>(schema: Schema, fieldSays: string): Schema {
  return { ...schema, fieldSays };
}

export function orNull<Schema extends TSchema>(schema: Schema, description: string) {
  return Type.Unsafe<Static<Schema> | null>({ anyOf: [schema, { type: 'null' }], description });
}

/** Read-only, as the services return it. */
export function listOf<Item extends TSchema>(items: Item, description: string): TUnsafe<readonly Static<Item>[]> {
  return Type.Unsafe<readonly Static<Item>[]>({ type: 'array', items, description });
}

/** Of a text in a request, not of the list or object around it: answers, errors, log, events and audit log never show its value. */
export const secret = { writeOnly: true } as const;

// OpenAPI 3.1 has no `nullable`: the type is a list.

export const text = (description: string) => Type.String({ description });
export const textOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description });
export const texts = (description: string) => listOf(Type.String(), description);

export const flag = (description: string) => Type.Boolean({ description });
export const flagOrNull = (description: string) =>
  Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description });

export const count = (description: string) => Type.Integer({ minimum: 0, description });
export const countOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, description });
export const integerOrNull = (minimum: number, maximum: number, description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum, maximum, description });
/** In milliseconds. */
export const duration = count;

/** What Linux allows. */
const pidBounds = [1, 4_194_304] as const;
export const pid = (description: string) => Type.Integer({ minimum: pidBounds[0], maximum: pidBounds[1], description });
export const pidOrNull = (description: string) => integerOrNull(...pidBounds, description);

/** In UTC: `2026-11-20T12:00:00.000Z`. */
export const time = (description: string) => Type.String({ format: 'date-time', description });
export const timeOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description });

/** A time of a request, which `domain/rfc3339.ts` parses. */
export const sentTime = { documentedAs: { format: 'date-time' } };

export function oneOf<const Word extends string>(words: readonly Word[], description: string): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: 'string', enum: words, description });
}

export const requestFlag = (description: string) =>
  Type.Optional(Type.Boolean({ description, mustBe: 'true or false' }));

export const queryFlag = (description: string) =>
  Type.Optional(Type.Boolean({ description, mustBe: 'true or false', examples: [true] }));

export function plainName(description: string, ...examples: readonly string[]) {
  return Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
    description,
    mustBe: 'a name of 1 to 64 letters, digits, dots, dashes and underscores that starts with a letter or digit',
    examples,
  });
}

/** Nothing that could start a new log line. */
const oneLine = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff]*$';

/** `least` and `most` count code points. */
export function lineOfText(least: number, most: number, description: string, ...examples: readonly string[]) {
  return Type.String({ ...lineRules(least, most), description, mustBe: lineSays(least, most), examples });
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

export const pageFields = {
  limit: Type.Integer({
    minimum: 1,
    maximum: 1000,
    default: 100,
    description: 'The maximum number of entries of a page.',
    mustBe: 'a whole number from 1 to 1000',
    examples: [100],
  }),
  /** Opaque to clients; the service rejects a cursor that it did not create. */
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: '^[A-Za-z0-9._:=+/%-]+$',
      description: '`next_cursor` of the previous page of the same list; absent for the first page.',
      mustBe: 'next_cursor of the previous page',
      examples: ['AQAAAAAAAAAAAAD__8sAcQeA'],
    }),
  ),
};

/** Newest first. `cursor`: `next_cursor` of the previous page. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor: string | null;
}

/** Not a whole number: a rate, a share, an estimate. */
export const figure = (description: string) => Type.Number({ minimum: 0, description });
export const figureOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], minimum: 0, description });
