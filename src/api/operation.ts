// Routes, validation, scopes, audit verbs, the OpenAPI document and the types follow from declarations.
import type { Static, TSchema } from 'typebox';
import type { Scope } from '../domain/scope.ts';

/** test/api-examples.test.ts runs each against a real service. */
export interface Example {
  /** A sentence without its full stop. */
  readonly summary: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  /** Of the body; default JSON. */
  readonly mediaType?: string;
  readonly accept?: string;
  /** Default 200. */
  readonly status?: number;
  /** A value for JSON, a string for text. */
  readonly answer: unknown;
}

export interface Answer {
  readonly description: string;
  readonly schema?: TSchema;
  /** Other media types, with or without JSON; the handler sends them. */
  readonly content?: Readonly<Record<string, TSchema>>;
  /** In addition to `X-Request-Id`. */
  readonly headers?: readonly string[];
}

/** In the order of the page. */
export const tags = {
  'Blocked addresses':
    'Block and unblock one address or network, many at once, or the complete set; list and check what is blocked.',
  'Denied requests': 'What the blocked set does: denied requests, loud clients, attacks.',
  Sources: 'Who wants addresses blocked: an address is blocked while at least one source claims it.',
  'Trusted addresses': 'Addresses that are never denied, even if they are blocked.',
  Upstreams: 'Proxies in front of HAProxy, such as a CDN or a load balancer, and how they name their clients.',
  Sites: 'Domains that HAProxy serves, with their servers.',
  Certificates: 'Certificates that HAProxy serves, with the workers that hold them. Private keys are never returned.',
  Configuration: 'The safe reload, its history, and the backups.',
  Keys: 'API keys, and sessions of the panel.',
  Audit: 'Who did what, from where, with which outcome.',
  Events: 'Events as they happen, as a stream.',
  Webhooks: 'The same events, signed and sent to URLs.',
  Notices: 'What a person on call should know, and up to where each key has read it.',
  'Saved views': "Filters of the panel's lists, saved under a name and shared by all keys.",
  Health: 'Whether blocking is enforced; liveness and readiness probes.',
  Metrics: 'Metrics for Prometheus.',
  Description: 'This description of the API.',
} as const;

export interface Operation {
  /** A verb and a noun: `blockAddress`. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** The scope that the key needs; `open`: no key is needed. */
  readonly access: Scope | 'open';
  /** Its verb in audit and metrics. Null: it changes nothing. */
  readonly audit: string | null;
  /** In the audit log only, not in the metrics. */
  readonly uncounted?: true;
  readonly tag: keyof typeof tags;
  /** One line without its full stop. */
  readonly summary: string;
  /** Markdown of paragraphs, lists and `code`. */
  readonly description: string;
  readonly params?: TSchema;
  readonly query?: TSchema;
  /** JSON. If every field is optional, so is the body. */
  readonly body?: TSchema;
  /** By media type, instead of `body`: the handler reads the stream. */
  readonly streamedBody?: Readonly<Record<string, TSchema>>;
  /** In bytes; default 64 KiB. */
  readonly bodyLimit?: number;
  /** Polled by programs: only failures are logged. */
  readonly quiet?: true;
  /** By status: 2xx, and others that are no errors. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** In addition to the codes that follow from the rest. */
  readonly codes?: readonly number[];
  /** Additional members of a problem, by status. */
  readonly members?: Readonly<Record<number, TSchema>>;
  /** By a name in snake_case; at least one succeeds. */
  readonly examples: Readonly<Record<string, Example>>;
}

/** Preserves the types of the schemas. */
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

export type AnswerOf<Declared extends Operation> = {
  [Status in keyof Declared['answers']]: Declared['answers'][Status] extends {
    readonly schema: infer Schema extends TSchema;
  }
    ? Static<Schema>
    : never;
}[keyof Declared['answers']];

export function isOptionalBody(body: Operation['body']): boolean {
  return body !== undefined && ((body as { readonly required?: readonly string[] }).required ?? []).length === 0;
}

/** `PUT /api/webhooks/:id`. */
export function routeName({ method, path }: Pick<Operation, 'method' | 'path'>): string {
  return `${method} ${path}`;
}
