import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { EndedOperation, EntryCounts } from '../api/ended-operation.ts';
import { parseIp } from '../domain/ip.ts';
import { isOfServer } from './rejections.ts';
import type { OperationObserver } from './services.ts';

/** For a read operation that was rejected for lack of a scope. */
export const rejectedRead = 'read';

/** Never text, which may be long or secret. */
const keptCounts = ['added', 'updated', 'removed', 'unchanged', 'rejected_total', 'total_ips'] as const;
const keptFlags = ['runtime_map_synced', 'runtime_updated', 'changed', 'restored', 'stray_removed'] as const;
const idForm = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,252}$/;

export function emitEnded(route: RouteOptions, operation: string, observer: OperationObserver, now: () => Date): void {
  route.preSerialization = (request, _reply, payload, next) => {
    request.answered = payload as Readonly<Record<string, unknown>>;
    next(null, payload);
  };
  route.onSend = (request, reply, payload, next) => {
    // Anonymous requests could displace real changes in the audit log. A successful dry run changes nothing.
    if (request.keyName !== '' && !(isDryRun(request) && reply.statusCode < 400))
      observer.ended(endedOperation(request, reply, operation, now()));
    next(null, payload);
  };
}

/** Only rejections for a missing scope, which a probe with a stolen key causes. Others are typing errors. */
export function emitRejectedReads(route: RouteOptions, observer: OperationObserver, now: () => Date): void {
  route.onSend = (request, reply, payload, next) => {
    if (reply.statusCode === 403 && request.keyName !== '') {
      const ended = endedOperation(request, reply, rejectedRead, now());
      observer.ended({ ...ended, note: { ...ended.note, target: route.url } });
    }
    next(null, payload);
  };
}

function isDryRun({ query }: FastifyRequest): boolean {
  return (query as { readonly dry_run?: unknown } | undefined)?.dry_run === true;
}

function endedOperation(request: FastifyRequest, reply: FastifyReply, operation: string, now: Date): EndedOperation {
  const { failure } = request;
  const answered = failure?.members ?? request.answered ?? {};
  const { ip_address: address, domain, name, id } = subjectOf(request);
  const tookMs = performance.now() - request.receivedAt;
  return {
    note: {
      operation,
      keyName: request.keyName,
      source: request.socket.remoteAddress ?? 'unix',
      requestId: request.id,
      ipAddress: canonical(address),
      target: [domain, name, id].find((text): text is string => typeof text === 'string' && idForm.test(text)) ?? null,
    },
    at: new Date(now.getTime() - tookMs),
    rows: request.auditRows ?? [],
    status: reply.statusCode,
    outcome: {
      code: failure?.code ?? null,
      runtimeMapUpdated: flag(answered['runtime_map_updated']),
      runtimeMapFailuresTotal: count(answered['runtime_map_failures_total']),
      reloadScheduled: flag(answered['reload_scheduled']),
      result: resultOf(answered),
    },
    attempted: request.attempted && !isDryRun(request) && !(failure !== null && isOfServer(failure)),
    verifiedEverywhere: failure === null ? verifiedEverywhere(answered) : null,
    counts: request.entryCounts ?? countsOf(answered),
  };
}

function verifiedEverywhere(answered: Readonly<Record<string, unknown>>): boolean | null {
  const synced = flag(answered['runtime_map_synced']);
  if (synced === null) return flag(answered['runtime_map_updated']) ?? flag(answered['runtime_updated']);
  const draining = answered['draining_workers'] as readonly { readonly synced: boolean }[];
  return synced && draining.every((worker) => worker.synced);
}

function countsOf({ added, updated, removed, unchanged, rejected_total: rejected }: Readonly<Record<string, unknown>>) {
  const counts = Object.entries({ added, updated, removed, unchanged, rejected });
  return Object.fromEntries(counts.filter(([, number]) => count(number) !== null)) as EntryCounts;
}

/** From the path, else from the body, as it was sent. A field that the body does not have by its schema may be a secret. */
function subjectOf(request: FastifyRequest): Readonly<Record<string, unknown>> {
  const body = typeof request.body === 'object' && request.body !== null ? request.body : {};
  const { properties } = (request.routeOptions.schema?.body ?? {}) as { readonly properties?: object };
  const sent = (name: string): unknown =>
    properties !== undefined && Object.hasOwn(properties, name) ? (body as Record<string, unknown>)[name] : undefined;
  return { ip_address: sent('ip_address'), name: sent('name'), ...(request.params as Record<string, unknown>) };
}

function resultOf(answered: Readonly<Record<string, unknown>>): Record<string, unknown> | null {
  const result: Record<string, unknown> = {};
  for (const name of keptCounts) if (count(answered[name]) !== null) result[name] = answered[name];
  for (const name of keptFlags) if (flag(answered[name]) !== null) result[name] = answered[name];
  const reload = reloadOf(answered);
  if (reload !== null) result['reload'] = reload;
  return Object.keys(result).length === 0 ? null : result;
}

/** Its id in the history of reloads. */
function reloadOf(answered: Readonly<Record<string, unknown>>): string | null {
  const record = (answered['reload'] ?? answered) as { readonly id?: unknown; readonly worker_after?: unknown };
  return typeof record.id === 'string' && 'worker_after' in record && idForm.test(record.id) ? record.id : null;
}

function canonical(address: unknown): string | null {
  if (typeof address !== 'string') return null;
  const parsed = parseIp(address);
  return parsed.ok ? parsed.entry.text : null;
}

function flag(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
}
