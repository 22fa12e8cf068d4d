// What the hooks learn about a request and the handlers pass on.
import type { FastifyRequest } from 'fastify';
import type { EntryCounts } from '../api/ended-operation.ts';
import type { Operation } from '../api/operation.ts';
import type { Caller } from '../blocking/answers.ts';
import type { Scope } from '../domain/scope.ts';
import type { ServiceError } from '../errors/service-error.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The name of the key; empty on the open routes. */
    keyName: string;
    /** What the key may do; null on the open routes. */
    keyScopes: readonly Scope[] | null;
    /** When its session ends at the latest; null: it has none. */
    sessionEndsAt: string | null;
    /** `performance.now()` when the headers had come. */
    receivedAt: number;
    /** A line says that it failed, or a count holds it. */
    toldOfFailure: boolean;
    /** The audit's rows of what was changed for it; null: none so far. */
    auditRows: number[] | null;
    /** The object that is answered; null: none, or an error. */
    answered: Readonly<Record<string, unknown>> | null;
    /** It came to its handler. */
    attempted: boolean;
    /** What the handler says of entries, where the answer does not. */
    entryCounts: EntryCounts | null;
    /** The error that is answered. */
    failure: ServiceError | null;
  }
  interface FastifyContextConfig {
    /** What the route does; absent on those of the panel's page and its files. */
    operation?: Operation;
    /** No key is asked for: it is declared so, or a setting says so. */
    open?: boolean;
  }
}

export function callerOf(request: FastifyRequest): Caller {
  return {
    keyName: request.keyName,
    requestId: request.id,
    source: request.socket.remoteAddress ?? 'unix',
    receivedAt: request.receivedAt,
    audited: (row) => {
      request.auditRows ??= [];
      request.auditRows.push(row);
    },
  };
}

/** The path of a request's URL, without the query, which may contain what is not for the log. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
