import Type from 'typebox';
import type { AuditRecord } from '../services.ts';
import {
  answer,
  BooleanOrNull,
  listOf,
  oneOf,
  pageCursor,
  pageLimit,
  StringOrNull,
  Time,
  TimeOrNull,
} from './common.ts';

/** Of the audit's operations: those of requests, and what the service does by itself. */
const operation = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[a-z][a-z_]*$',
  description: 'the name of an operation, such as block or set_site',
});
/** `_settings` too, which no stored key can be called. */
const keyName = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^(_settings|[A-Za-z0-9][A-Za-z0-9._-]*)$',
  description: 'the name of a key, or _settings',
});
const time = (what: string) =>
  Type.String({ maxLength: 64, description: `a time with its zone such as 2030-01-31T12:00:00Z, ${what}` });

export const AuditQuery = Type.Object(
  {
    limit: pageLimit,
    cursor: Type.Optional(pageCursor),
    operation: Type.Optional(operation),
    key: Type.Optional(keyName),
    ip_address: Type.Optional(Type.String({ maxLength: 64, description: 'an address or a network' })),
    since: Type.Optional(time('from which on')),
    until: Type.Optional(time('before which')),
  },
  { additionalProperties: false },
);

/** By the kind of operation; the service owns its form. */
const DataOrNull = Type.Unsafe<Readonly<Record<string, unknown>> | null>({
  type: ['object', 'null'],
  additionalProperties: true,
});
const numberOrNull = (minimum: number, maximum: number) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum, maximum });

export const AuditRecordSchema = answer<AuditRecord>('AuditRecord')({
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  at: Time,
  operation: Type.String(),
  key: StringOrNull,
  source: StringOrNull,
  request_id: StringOrNull,
  ip_address: StringOrNull,
  target: StringOrNull,
  details: DataOrNull,
  outcome: oneOf('done', 'partly', 'refused', 'failed', 'unknown'),
  status: numberOrNull(100, 599),
  code: numberOrNull(0, 4_294_967_295),
  finished_at: TimeOrNull,
  runtime_map_updated: BooleanOrNull,
  runtime_map_failures_total: numberOrNull(0, Number.MAX_SAFE_INTEGER),
  reload_scheduled: BooleanOrNull,
  result: DataOrNull,
});
export const AuditPageSchema = answer<{
  readonly items: readonly AuditRecord[];
  readonly next_cursor: string | null;
}>('AuditPage')({ items: listOf(AuditRecordSchema), next_cursor: StringOrNull });
