// The form in which a route is documented.
//
// To document a new route:
//   1. src/http/route-access.ts says who may call it.
//   2. Its schemas (src/http/schemas/) have a `title` where they are worth a name: `answer<T>('BlockAnswer')({ … })` gives
//      one. A titled schema becomes a component, and a type of the typed client.
//   3. One of the files beside this one (one a resource) has an entry `'METHOD /path/:as_registered'`. `describeRoute`
//      (operations.ts) finds it; a route without one does not start.
//   4. The same file describes what is in its components, `'BlockAnswer.reason': '…'`, where the schema does not do so
//      itself; a property without a description is refused by document.test.ts. `*.reason` holds for every component
//      that has no text of its own.
//   5. `npm run generate:client` writes the types of the client anew.
//
// What need not be said, since it follows from the route: parameters, the body's and the answers' schemas, the key and
// its scope, the headers, and the errors that any such route can have (problems.ts).

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

export interface AnswerDoc {
  readonly description: string;
  /** Beside the route's own JSON, or in its place where the route has no schema: media type to schema. */
  readonly content?: Readonly<Record<string, object>>;
  /** Beside `X-Request-Id`. */
  readonly headers?: readonly string[];
}

export interface OperationDoc {
  /** `operationId`, a verb and a noun: `blockAddress`. */
  readonly id: string;
  readonly tag: string;
  /** One line without its full stop. */
  readonly summary: string;
  /** Markdown of paragraphs, lists and `code`. */
  readonly description: string;
  /** The body of a route that reads it as it comes, and so has no schema for it: media type to schema. */
  readonly body?: Readonly<Record<string, object>>;
  /** By status, the 2xx and what else is no error. */
  readonly answers: Readonly<Record<number, AnswerDoc>>;
  /** Codes of the catalogue that it can answer beside those that follow from what it is (problems.ts). */
  readonly codes?: readonly number[];
  /** By status: what such a problem has beside the members that all have. */
  readonly members?: Readonly<Record<number, object>>;
  /** By a name in snake_case. At least one that ends well. */
  readonly examples: Readonly<Record<string, Example>>;
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

export type Tag = keyof typeof tags;

/** `'METHOD /path/:as_registered'` to its description. */
export type OperationDocs = Readonly<Record<string, OperationDoc>>;

/** `'Component.property'` or `'*.property'` to what it is. */
export type FieldDocs = Readonly<Record<string, string>>;
