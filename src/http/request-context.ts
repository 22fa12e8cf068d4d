// Fields of a request that hooks set, and the caller that handlers pass to services.
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
    /** When its session ends at the latest; null: no session. */
    sessionEndsAt: string | null;
    /** `performance.now()` when the headers had arrived. */
    receivedAt: number;
    /** Its failure is logged or counted. */
    failureLogged: boolean;
    /** Rows of the audit log of its changes; null: none so far. */
    auditRows: number[] | null;
    /** The response object; null: none, or an error. */
    answered: Readonly<Record<string, unknown>> | null;
    /** Its handler was called. */
    attempted: boolean;
    /** Counts of entries that the response does not have. */
    entryCounts: EntryCounts | null;
    /** The error of the response. */
    failure: ServiceError | null;
  }
  interface FastifyContextConfig {
    /** Absent for the panel's page and its files. */
    operation?: Operation;
    /** No key is needed, by declaration or by a setting. */
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
