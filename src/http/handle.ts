// A declared operation as a route: checked by its schemas, and answered by its handler.
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { EntryCounts } from '../api/ended-operation.ts';
import { type AnswerOf, isOptionalBody, type Operation, type RequestOf } from '../api/operation.ts';
import type { Caller } from '../blocking/answers.ts';
import { callerOf } from './request-context.ts';

// A query string holds only texts. Where its schema says integer or boolean, exactly the texts of those are taken;
// ajv's own coercion would take ` 1`, `1e2` and an empty text too, and would be on for the bodies as well.
interface QuerySchema {
  readonly properties?: Record<string, { readonly type?: unknown }>;
}

/** Changes the query in place; what does not fit stays a text, which the schema then refuses. */
export function readQueryValues(query: Record<string, unknown>, schema: QuerySchema): void {
  for (const [name, { type }] of Object.entries(schema.properties ?? {})) {
    const text = query[name];
    if (typeof text !== 'string') continue;
    if (type === 'integer' && /^-?[0-9]{1,15}$/.test(text)) query[name] = Number(text);
    if (type === 'boolean' && (text === 'true' || text === 'false')) query[name] = text === 'true';
  }
}

export interface Handled<Declared extends Operation> extends RequestOf<Declared> {
  readonly caller: Caller;
  readonly request: FastifyRequest;
  /** For an answer that is no JSON: `return reply.send(stream)`. */
  readonly reply: FastifyReply;
  /** The status of the answer, where the operation has several; default 200. */
  answerWith(status: keyof Declared['answers'] & number): void;
  /** What became of entries, where the answer has no counts of them. */
  counted(counts: EntryCounts): void;
}

export function handle<Declared extends Operation>(
  app: FastifyInstance,
  operation: Declared,
  handler: (request: Handled<Declared>) => Promise<AnswerOf<Declared> | FastifyReply>,
): void {
  const { method, path, params, query, body, bodyLimit, answers } = operation;
  const response = Object.fromEntries(
    Object.entries(answers).flatMap(([status, { schema }]) => (schema === undefined ? [] : [[status, schema]])),
  );
  const schema = {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { querystring: query }),
    ...(body === undefined ? {} : { body }),
    response,
  };
  const route: RouteOptions = {
    method,
    url: path,
    schema,
    config: { operation },
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    ...(isOptionalBody(body) ? { preValidation: emptyBody } : {}),
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const handled = {
        params: request.params,
        query: request.query,
        body: request.body,
        caller: callerOf(request),
        request,
        reply,
        answerWith: (status: number) => void reply.code(status),
        counted: (counts: EntryCounts) => {
          request.entryCounts = counts;
        },
      };
      request.attempted = true;
      // What fastify has checked against the schemas that the types are made of.
      return await handler(handled as Handled<Declared>);
    },
  };
  app.route(route);
}

async function emptyBody(request: FastifyRequest): Promise<void> {
  if (request.body === undefined) request.body = {};
}
