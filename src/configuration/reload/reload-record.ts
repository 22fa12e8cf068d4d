import type { ReloadAnswer } from '../../api/configuration.ts';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { ReloadsStore } from '../../store/reloads-store.ts';
import { causeText } from '../../telemetry/log.ts';
import type { ReloadRequest } from './reload-request.ts';

type StoredReload = Parameters<ReloadsStore['append']>[0];

/** `refused`: not begun, because of the template, HAProxy's check, lack of consent, or a concurrent edit. */
export function statusOf(error: unknown): 'refused' | 'failed' {
  if (!(error instanceof ServiceError)) return 'failed';
  const isRefused = error.status === 422 || isUnconsented(error) || error.code === codes.Conflict;
  return isRefused ? 'refused' : 'failed';
}

/** Rejected because it would have replaced a configuration that proxy-manager did not render; nothing was changed. */
export function isUnconsented(error: unknown): boolean {
  return codeOf(error) === codes.LiveConfigurationKept;
}

export function codeOf(error: unknown): number | null {
  if (error === null) return null;
  return error instanceof ServiceError ? error.code : codes.Internal;
}

/** Either `done` or `error` is null. */
export function reloadRecord(
  { id, reasons }: ReloadRequest,
  ended: { readonly status: StoredReload['status']; readonly startedAt: string; readonly finishedAt: string },
  done: ReloadAnswer | null,
  error: unknown,
): StoredReload {
  const members = error instanceof ServiceError ? error.members : {};
  return {
    id,
    status: ended.status,
    reasons,
    changed: done?.changed ?? null,
    validation_output: text(members['output']),
    error: error === null ? null : causeText(error),
    backup: done?.backup ?? text(members['backup']),
    worker_before: done?.worker_before ?? number(members['worker_before']),
    worker_after: done?.worker_after ?? number(members['worker_after']),
    warnings: done?.warnings ?? [],
    started_at: ended.startedAt,
    finished_at: ended.finishedAt,
  };
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
