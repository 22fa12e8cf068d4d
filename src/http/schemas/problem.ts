import Type from 'typebox';
import { scopes } from '../../domain/scope.ts';
import { catalogue } from '../../errors/catalogue.ts';
import { runtimeReportFields } from './blocked-ips.ts';
import { Count, Duration, listOf, oneOf, PidOrNull, StringOrNull, Texts } from './common.ts';

const FieldErrorSchema = Type.Object({ name: Type.String(), description: Type.String() }, { title: 'FieldError' });

/** RFC 9457. Never compiled into a serialiser: errors are encoded by `error-replies.ts`. */
export const ProblemSchema = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String(),
    code: Type.Unsafe<number>({ type: 'integer', enum: [...catalogue.keys()] }),
    kind: Type.String(),
    op: Type.String(),
    errors: listOf(FieldErrorSchema),
    request_id: Type.String(),
  },
  { title: 'Problem' },
);

/** What some problems have beside. */
export const CoveredMembers = Type.Object({ covered_by: Texts }, { title: 'CoveredMembers' });
export const StrayMembers = Type.Object(
  {
    covered_by: Type.Optional(Texts),
    stray_removed: Type.Optional(Type.Boolean()),
    runtime_map_updated: Type.Optional(runtimeReportFields.runtime_map_updated),
    runtime_map_failures: Type.Optional(runtimeReportFields.runtime_map_failures),
    runtime_map_failures_total: Type.Optional(runtimeReportFields.runtime_map_failures_total),
    reload_scheduled: Type.Optional(runtimeReportFields.reload_scheduled),
  },
  { title: 'UnblockMembers' },
);
const fullMembers = {
  current_total: Type.Optional(Count),
  would_be: Type.Optional(Count),
  limit: Type.Optional(Count),
};
/** Which of them are there depends on the code. */
export const BlockConflictMembers = Type.Object(
  {
    overridden_by: Type.Optional(Texts),
    ip_address: Type.Optional(Type.String()),
    contains: Type.Optional(Texts),
    ...fullMembers,
  },
  { title: 'BlockConflictMembers' },
);
export const SetFullMembers = Type.Object(fullMembers, { title: 'SetFullMembers' });
export const ReplaceConflictMembers = Type.Object(
  { would_remove: Type.Optional(Count), ...fullMembers },
  { title: 'ReplaceConflictMembers' },
);
export const CommittedMembers = Type.Object(
  {
    committed: Type.Optional(
      Type.Object({ added: Count, updated: Count, removed: Count }, { title: 'CommittedCounts' }),
    ),
  },
  { title: 'CommittedMembers' },
);
export const ScopeMembers = Type.Object({ missing_scope: Type.Optional(oneOf(...scopes)) }, { title: 'ScopeMembers' });
/** Of a reload that failed; which of them are there depends on how far it came. */
export const ReloadMembers = Type.Object(
  {
    id: Type.Optional(Type.String()),
    reasons: Type.Optional(Texts),
    backup: Type.Optional(StringOrNull),
    output: Type.Optional(Type.String()),
    line: Type.Optional(Type.Integer({ minimum: 1 })),
    restored: Type.Optional(Type.Boolean()),
    restore_failure: Type.Optional(Type.String()),
    worker_before: Type.Optional(PidOrNull),
    worker_after: Type.Optional(PidOrNull),
    duration_ms: Type.Optional(Duration),
  },
  { title: 'ReloadMembers' },
);
