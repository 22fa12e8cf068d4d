import Type from 'typebox';
import type { BackupRecord, ReloadRecord } from '../services.ts';
import { listOf, openRecord, pageCursor, pageLimit, StringOrNull } from './common.ts';

export { ReloadAnswerSchema } from './sites.ts';

export const CurrentConfigSchema = Type.Object({ text: Type.String(), sha256: Type.String(), path: Type.String() });
export const ValidationSchema = Type.Object({ valid: Type.Boolean(), output: Type.String(), sha256: Type.String() });
export const DiffSchema = Type.Object({ changed: Type.Boolean(), diff: Type.String() });

export const HistoryQuery = Type.Object(
  { limit: pageLimit, cursor: Type.Optional(pageCursor) },
  { additionalProperties: false },
);
/** A record has what its kind of reload had; the service owns its form. */
export const ReloadRecordSchema = openRecord<ReloadRecord>();
export const ReloadPageSchema = Type.Object({
  items: listOf<ReloadRecord>(ReloadRecordSchema),
  next_cursor: StringOrNull,
});
export const BackupsSchema = Type.Object({ items: listOf<BackupRecord>(openRecord()) });

/** No id can name a file outside the folder of backups. */
export const idParameter = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 128,
    pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]*$',
    description: 'an id of letters, digits, points, colons and dashes',
  }),
});
