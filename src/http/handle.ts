// A declared operation as a route: checked by its schemas, and answered by its handler.
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { AnswerOf, Operation, RequestOf } from '../api/operation.ts';
import type { Caller } from '../blocking/answers.ts';
import type { TypedApp } from './app.ts';
import { callerOf } from './request-context.ts';

export interface Handled<Declared extends Operation> extends RequestOf<Declared> {
  readonly caller: Caller;
  readonly request: FastifyRequest;
  /** The status of the answer, where the operation has several; default 200. */
  answerWith(status: keyof Declared['answers'] & number): void;
}

export function handle<Declared extends Operation>(
  app: TypedApp,
  operation: Declared,
  handler: (request: Handled<Declared>) => Promise<AnswerOf<Declared>>,
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
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const handled = {
        params: request.params,
        query: request.query,
        body: request.body,
        caller: callerOf(request),
        request,
        answerWith: (status: number) => void reply.code(status),
      };
      // What fastify has checked against the schemas that the types are made of.
      return await handler(handled as Handled<Declared>);
    },
  };
  app.route(route);
}
