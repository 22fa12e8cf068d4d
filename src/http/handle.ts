// A declared operation as a route: checked by its schemas, and answered by its handler.
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { EntryCounts } from '../api/ended-operation.ts';
import type { AnswerOf, Operation, RequestOf } from '../api/operation.ts';
import type { Caller } from '../blocking/answers.ts';
import { callerOf } from './request-context.ts';

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
    ...(mayBeLeftOut(body) ? { preValidation: emptyBody } : {}),
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

/** A body whose every field may be left out. */
function mayBeLeftOut(body: Operation['body']): boolean {
  return body !== undefined && ((body as { readonly required?: readonly string[] }).required ?? []).length === 0;
}

async function emptyBody(request: FastifyRequest): Promise<void> {
  if (request.body === undefined) request.body = {};
}
