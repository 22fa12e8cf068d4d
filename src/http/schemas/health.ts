import Type from 'typebox';
import type { AttachedReport, DriftReport, FrontEndReport, HealthReport, WorkerHealth } from '../services.ts';
import {
  answer,
  BooleanOrNull,
  Count,
  listOf,
  oneOf,
  orNull,
  Pid,
  StringOrNull,
  Texts,
  Time,
  TimeOrNull,
} from './common.ts';

const WorkerHealthSchema = answer<WorkerHealth>('WorkerHealth')({
  pid: Pid,
  whole: Type.Boolean(),
  reason: StringOrNull,
});
const CountOrNull = Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0 });

export const HealthSchema = answer<HealthReport>('Health')({
  status: oneOf('ok', 'degraded', 'down'),
  reasons: Texts,
  database: answer<HealthReport['database']>('DatabaseHealth')({
    status: oneOf('ok', 'down', 'unknown'),
    reason: StringOrNull,
  }),
  master_socket: answer<HealthReport['master_socket']>('MasterSocketHealth')({
    status: oneOf('ok', 'down', 'unknown'),
    reason: StringOrNull,
    since: TimeOrNull,
  }),
  workers: answer<HealthReport['workers']>('WorkersHealth')({
    current: orNull(WorkerHealthSchema),
    draining: listOf(WorkerHealthSchema),
  }),
  map_file: answer<HealthReport['map_file']>('MapFileHealth')({
    status: oneOf('ok', 'behind', 'unknown'),
    reason: StringOrNull,
    entries: Count,
  }),
  runtime_map: answer<HealthReport['runtime_map']>('RuntimeMapHealth')({
    expected: Count,
    seen: CountOrNull,
    big_change: orNull(
      answer<NonNullable<HealthReport['runtime_map']['big_change']>>('BigChange')({ added: Count, removed: Count }),
    ),
    last_verified_at: TimeOrNull,
  }),
  last_reload: orNull(
    answer<NonNullable<HealthReport['last_reload']>>('LastReload')({
      id: Type.String(),
      status: oneOf('completed', 'refused', 'failed'),
      finished_at: Time,
      error: StringOrNull,
      error_code: Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 100, maximum: 99_999 }),
    }),
  ),
  configuration_drift: orNull(
    answer<DriftReport>('ConfigurationDrift')({
      status: oneOf('none', 'drift', 'unknown'),
      live: Type.Unsafe<DriftReport['live']>({
        type: ['string', 'null'],
        enum: ['rendered', 'restored', 'other', null],
      }),
      backup: StringOrNull,
      added: CountOrNull,
      removed: CountOrNull,
      reason: StringOrNull,
    }),
  ),
  attached: orNull(
    answer<AttachedReport>('Attached')({
      files: Texts,
      front_ends: listOf(
        answer<FrontEndReport>('FrontEnd')({
          name: Type.String(),
          place: Type.String(),
          mode: Type.String(),
          has_rule: Type.Boolean(),
          answered_before: StringOrNull,
          open: Type.Boolean(),
        }),
      ),
      changed_since_load: Type.Boolean(),
      reload_by: Type.String(),
    }),
  ),
  trusted_map: answer<HealthReport['trusted_map']>('TrustedMapHealth')({ used: BooleanOrNull, entries: Count }),
  scheduled_reload: orNull(
    answer<NonNullable<HealthReport['scheduled_reload']>>('ScheduledReload')({
      reasons: Texts,
      since: Time,
      attempts: Count,
    }),
  ),
  versions: answer<HealthReport['versions']>('Versions')({
    service: Type.String(),
    proxy: Type.String(),
    untested: StringOrNull,
  }),
});
