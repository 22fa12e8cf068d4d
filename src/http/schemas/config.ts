import Type from 'typebox';
import type {
  BackupRecord,
  ConfigDiff,
  CurrentConfig,
  ReloadPage,
  ReloadRecord,
  ValidationAnswer,
} from '../services.ts';
import {
  answer,
  BooleanOrNull,
  Count,
  listOf,
  oneOf,
  PidOrNull,
  pageCursor,
  pageLimit,
  StringOrNull,
  Texts,
  Time,
  TimeOrNull,
} from './common.ts';

export { ReloadAnswerSchema, ReplaceQuery } from './sites.ts';

/** Who wrote the live configuration. */
export const LiveOriginOrNull = Type.Unsafe<ConfigDiff['live']>({
  type: ['string', 'null'],
  enum: ['rendered', 'restored', 'other', null],
});

export const CurrentConfigSchema = answer<CurrentConfig>('CurrentConfig')({
  text: Type.String(),
  sha256: Type.String(),
  path: Type.String(),
});
export const ValidationSchema = answer<ValidationAnswer>('ValidationAnswer')({
  valid: Type.Boolean(),
  output: Type.String(),
  sha256: Type.String(),
  warnings: Texts,
  needs_replace_configuration: Type.Boolean(),
});
export const DiffSchema = answer<ConfigDiff>('ConfigDiff')({
  changed: Type.Boolean(),
  diff: Type.String(),
  live: LiveOriginOrNull,
  needs_replace_configuration: Type.Boolean(),
});

export const HistoryQuery = Type.Object(
  { limit: pageLimit, cursor: Type.Optional(pageCursor) },
  { additionalProperties: false },
);
export const ReloadRecordSchema = answer<ReloadRecord>('ReloadRecord')({
  id: Type.String(),
  status: oneOf('completed', 'refused', 'failed'),
  reasons: Texts,
  changed: BooleanOrNull,
  validation_output: StringOrNull,
  error: StringOrNull,
  backup: StringOrNull,
  worker_before: PidOrNull,
  worker_after: PidOrNull,
  warnings: Texts,
  started_at: Time,
  finished_at: TimeOrNull,
});
export const ReloadPageSchema = answer<ReloadPage>('ReloadPage')({
  items: listOf(ReloadRecordSchema),
  next_cursor: StringOrNull,
});

const BackupSchema = answer<BackupRecord>('Backup')({
  id: Type.String(),
  created_at: Time,
  sha256: Type.String(),
  reason: Type.String(),
  note: StringOrNull,
  written_by: Type.Unsafe<BackupRecord['written_by']>({
    type: ['string', 'null'],
    enum: ['proxy-manager', 'other', null],
  }),
  files: listOf(
    answer<BackupRecord['files'][number]>('BackupFile')({
      name: Type.String(),
      path: Type.String(),
      sha256: Type.String(),
    }),
  ),
  maps: listOf(
    answer<BackupRecord['maps'][number]>('BackupMap')({ name: Type.String(), path: Type.String(), bytes: Count }),
  ),
});
export const BackupsSchema = answer<{ readonly items: readonly BackupRecord[] }>('Backups')({
  items: listOf(BackupSchema),
});

/** No id can name a file outside the folder of backups. */
const Id = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]*$',
  description: 'an id of letters, digits, points, colons and dashes',
});
export const idParameter = Type.Object({ id: Id });
export const DiffQuery = Type.Object({ backup: Type.Optional(Id) }, { additionalProperties: false });
