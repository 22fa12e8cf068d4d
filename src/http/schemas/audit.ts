import Type from 'typebox';
import type { AuditRecord } from '../services.ts';
import { IntegerOrNull, listOf, pageCursor, pageLimit, StringOrNull } from './common.ts';
import { keyNameOptions } from './keys.ts';

/** Of the audit's operations: those of requests, and what the service does by itself. */
const operation = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[a-z][a-z_]*$',
  description: 'the name of an operation, such as block or set_site',
});
const time = (what: string) =>
  Type.String({ maxLength: 64, description: `a time with its zone such as 2030-01-31T12:00:00Z, ${what}` });

export const AuditQuery = Type.Object(
  {
    limit: pageLimit,
    cursor: Type.Optional(pageCursor),
    operation: Type.Optional(operation),
    key: Type.Optional(Type.String(keyNameOptions)),
    ip_address: Type.Optional(Type.String({ maxLength: 64, description: 'an address or a network' })),
    since: Type.Optional(time('from which on')),
    until: Type.Optional(time('before which')),
  },
  { additionalProperties: false },
);

const BooleanOrNull = Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] });
const DataOrNull = Type.Unsafe<Readonly<Record<string, unknown>> | null>({
  type: ['object', 'null'],
  additionalProperties: true,
});

export const AuditRecordSchema = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  at: Type.String(),
  operation: Type.String(),
  key: StringOrNull,
  source: StringOrNull,
  request_id: StringOrNull,
  ip_address: StringOrNull,
  target: StringOrNull,
  details: DataOrNull,
  outcome: Type.Unsafe<AuditRecord['outcome']>({
    type: 'string',
    enum: ['done', 'partly', 'refused', 'failed', 'unknown'],
  }),
  status: IntegerOrNull,
  code: IntegerOrNull,
  finished_at: StringOrNull,
  runtime_map_updated: BooleanOrNull,
  runtime_map_failures_total: IntegerOrNull,
  reload_scheduled: BooleanOrNull,
  result: DataOrNull,
});
export const AuditPageSchema = Type.Object({
  items: listOf<AuditRecord>(AuditRecordSchema),
  next_cursor: StringOrNull,
});
