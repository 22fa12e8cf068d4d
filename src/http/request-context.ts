import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../api/caller.ts';
import type { EntryCounts } from '../api/ended-operation.ts';
import type { Operation } from '../api/operation.ts';
import type { Scope } from '../domain/scope.ts';
import type { ServiceError } from '../errors/service-error.ts';

interface RequestContext {
  /** Empty on the open routes. */
  keyName: string;
  keyScopes: readonly Scope[] | null;
  /** The source of claims that the key is bound to; null: none. */
  keySource: string | null;
  /** Null: no session. */
  sessionEndsAt: string | null;
  /** `performance.now()` when the headers had arrived. */
  receivedAt: number;
  /** Its failure is logged or counted. */
  failureLogged: boolean;
  /** Ids of the audit rows that its changes wrote. */
  auditRows: number[] | null;
  /** The answer before it was serialized; null: none, or a failure. */
  answered: Readonly<Record<string, unknown>> | null;
  /** It was valid and allowed, and its handler was called. */
  attempted: boolean;
  /** Counts of entries that the response does not have. */
  entryCounts: EntryCounts | null;
  failure: ServiceError | null;
}

declare module 'fastify' {
  interface FastifyRequest extends RequestContext {}
  interface FastifyContextConfig {
    /** Absent for the panel's page and its files. */
    operation?: Operation;
    /** By declaration or by a setting. */
    open?: boolean;
  }
}

const initially: RequestContext = {
  keyName: '',
  keyScopes: null,
  keySource: null,
  sessionEndsAt: null,
  receivedAt: 0,
  failureLogged: false,
  auditRows: null,
  answered: null,
  attempted: false,
  entryCounts: null,
  failure: null,
};

/** Also there when an error precedes the first hook, unlike an object that a hook creates. */
export function addRequestContext(app: FastifyInstance): void {
  for (const [name, value] of Object.entries(initially)) app.decorateRequest(name, value);
}

export function callerOf(request: FastifyRequest): Caller {
  return {
    keyName: request.keyName,
    ...(request.keySource !== null && { boundTo: request.keySource }),
    requestId: request.id,
    source: request.socket.remoteAddress ?? 'unix',
    receivedAt: request.receivedAt,
    audited: (row) => {
      request.auditRows ??= [];
      request.auditRows.push(row);
    },
  };
}

/** Without the query, which may contain secrets. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
