import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Caller } from '../api/caller.ts';
import type { EntryCounts } from '../api/ended-operation.ts';
import { type AnswerOf, isOptionalBody, type Operation, type RequestOf } from '../api/operation.ts';
import { callerOf } from './request-context.ts';

// ajv's own coercion would accept ` 1`, `1e2` and an empty string, and would apply to bodies too.
interface QuerySchema {
  readonly properties?: Record<string, { readonly type?: unknown }>;
}

/** Changes the query in place; the schema rejects values that stay strings. */
export function readQueryValues(query: Record<string, unknown>, schema: QuerySchema): void {
  for (const [name, { type }] of Object.entries(schema.properties ?? {})) {
    const text = query[name];
    if (typeof text !== 'string') continue;
    if (type === 'integer' && /^-?[0-9]{1,15}$/.test(text)) query[name] = Number(text);
    if (type === 'boolean' && (text === 'true' || text === 'false')) query[name] = text === 'true';
  }
}

interface Handled<Declared extends Operation> extends RequestOf<Declared> {
  readonly caller: Caller;
  readonly request: FastifyRequest;
  /** For a response that is not JSON: `return reply.send(stream)`. */
  readonly reply: FastifyReply;
  /** Default 200. */
  answerWith(status: keyof Declared['answers'] & number): void;
  /** For responses without counts. */
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
      // Validated by the schemas from which the types are derived.
      return await handler(handled as Handled<Declared>);
    },
  };
  app.route(route);
}

async function emptyBody(request: FastifyRequest): Promise<void> {
  if (request.body === undefined) request.body = {};
}
