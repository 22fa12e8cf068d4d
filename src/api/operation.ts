// An operation of the API: all that is known of it but what it does. Routes, scopes, the audit's verbs, the document at
// /openapi.json and the types of requests and answers follow from it.
import type { Static, TSchema } from 'typebox';
import type { Scope } from '../domain/scope.ts';

/** An exchange: what is sent, and what is answered. Each is run against a real service by test/api-examples.test.ts. */
export interface Example {
  /** A sentence without its full stop: what it shows. */
  readonly summary: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  /** Of the body; default JSON. */
  readonly mediaType?: string;
  readonly accept?: string;
  /** Default 200. */
  readonly status?: number;
  /** The answer: a value for JSON, a text for text. */
  readonly answer: unknown;
}

export interface Answer {
  readonly description: string;
  /** Of a JSON answer. */
  readonly schema?: TSchema;
  /** Beside JSON, or in its place: media type to schema. Whoever handles it sends it. */
  readonly content?: Readonly<Record<string, TSchema>>;
  /** Beside `X-Request-Id`. */
  readonly headers?: readonly string[];
}

/** The tags in their order on the page. */
export const tags = {
  'Blocked addresses': 'One address or network at a time, many at once, or the whole set; what is blocked, and why.',
  'Trusted addresses': 'Addresses that are never denied, whatever is blocked.',
  Sites: 'What the proxy serves under which name, and by which servers.',
  Configuration: 'The safe reload, its history, and the backups it leaves.',
  Keys: 'The keys of this API.',
  Audit: 'Who did what, from where, with what outcome.',
  Events: 'What happens, as it happens.',
  Webhooks: 'What happens, sent to others.',
  Health: 'Whether blocking is enforced, and for machines whether to send traffic.',
  Metrics: 'What Prometheus reads.',
  Description: 'This description of the API.',
} as const;

export interface Operation {
  /** A verb and a noun: `blockAddress`. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its parameters as `:name`. */
  readonly path: string;
  /** What a key needs; `open`: no key is asked for. */
  readonly access: Scope | 'open';
  /** What the audit and the metrics call it. Null: it changes nothing. */
  readonly audit: string | null;
  /** The audit alone tells of it. */
  readonly uncounted?: true;
  readonly tag: keyof typeof tags;
  /** One line without its full stop. */
  readonly summary: string;
  /** Markdown of paragraphs, lists and `code`. */
  readonly description: string;
  readonly params?: TSchema;
  readonly query?: TSchema;
  /** JSON. One whose every field may be left out may be left out itself. */
  readonly body?: TSchema;
  /** In place of `body`: the handler reads it as it comes, by media type. */
  readonly streamedBody?: Readonly<Record<string, TSchema>>;
  /** Bytes of the body at most; default 64 KiB. */
  readonly bodyLimit?: number;
  /** Asked again and again by a machine: no line in the log while all is well. */
  readonly quiet?: true;
  /** By status, the 2xx and what else is no error. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Codes of the catalogue that it can answer beside those that follow from what it is. */
  readonly codes?: readonly number[];
  /** By status: what such a problem has beside the members that all have. */
  readonly members?: Readonly<Record<number, TSchema>>;
  /** By a name in snake_case. At least one that ends well. */
  readonly examples: Readonly<Record<string, Example>>;
}

/** Keeps the types of its schemas. */
export function operation<const Declared extends Operation>(declared: Declared): Declared {
  return declared;
}

type PartOf<Declared extends Operation, Part extends 'params' | 'query' | 'body'> = Declared extends {
  readonly [Name in Part]: infer Schema extends TSchema;
}
  ? Static<Schema>
  : undefined;

export interface RequestOf<Declared extends Operation> {
  readonly params: PartOf<Declared, 'params'>;
  readonly query: PartOf<Declared, 'query'>;
  readonly body: PartOf<Declared, 'body'>;
}

/** Of any status. */
export type AnswerOf<Declared extends Operation> = {
  [Status in keyof Declared['answers']]: Declared['answers'][Status] extends {
    readonly schema: infer Schema extends TSchema;
  }
    ? Static<Schema>
    : never;
}[keyof Declared['answers']];

/** Of a body whose every field may be left out. */
export function mayBeLeftOut(body: Operation['body']): boolean {
  return body !== undefined && ((body as { readonly required?: readonly string[] }).required ?? []).length === 0;
}

/** `PUT /api/webhooks/:id`. */
export function routeName({ method, path }: Pick<Operation, 'method' | 'path'>): string {
  return `${method} ${path}`;
}
