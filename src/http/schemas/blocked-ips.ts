import Type, { type Static } from 'typebox';
import type {
  BlockAnswer,
  BlockedIp,
  BlockedIpDetail,
  BulkAnswer,
  CheckAnswer,
  SyncAnswer,
  UnblockAnswer,
} from '../../blocking/answers.ts';
import {
  Count,
  IntegerOrNull,
  lineOfText,
  lineOfTextOrNull,
  listOf,
  pageCursor,
  pageLimit,
  StringOrNull,
  Texts,
} from './common.ts';

/** A hundred years: more is a mistake, and the sum would leave the calendar. */
export const LONGEST_BLOCK_SECONDS = 3_155_760_000;

export const BlockBody = Type.Object(
  {
    // Bounded and explained by the one parser of addresses.
    ip_address: Type.String({ description: 'an IP address or network' }),
    reason: Type.Optional(lineOfTextOrNull(0, 500)),
    blocked_by: Type.Optional(lineOfText(1, 100)),
    expires_at: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'a time with its zone such as 2030-01-31T12:00:00Z, or null for good',
      }),
    ),
    duration_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LONGEST_BLOCK_SECONDS,
        description: `a whole number from 1 to ${LONGEST_BLOCK_SECONDS}`,
      }),
    ),
    force: Type.Optional(Type.Boolean({ description: 'true or false' })),
  },
  { additionalProperties: false, description: 'a JSON object with ip_address' },
);
export type BlockBody = Static<typeof BlockBody>;

/** An element of `remove`: what an `add` says beside the address is of no use there. */
export const UnblockBody = Type.Object(
  { ip_address: BlockBody.properties.ip_address },
  { additionalProperties: false, description: 'a JSON object with ip_address' },
);

export const ListQuery = Type.Object(
  {
    limit: pageLimit,
    cursor: Type.Optional(pageCursor),
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^[0-9A-Fa-f:./]+$',
        description: 'an address, the beginning of one, or a network',
      }),
    ),
    expiring: Type.Optional(Type.Boolean({ description: 'true or false' })),
  },
  { additionalProperties: false },
);

export const ReplaceQuery = Type.Object(
  { allow_shrink: Type.Optional(Type.Boolean({ description: 'true or false' })) },
  { additionalProperties: false },
);

export const SyncQuery = Type.Object(
  { accept_map_file: Type.Optional(Type.Boolean({ description: 'true or false' })) },
  { additionalProperties: false },
);

const blockedIpFields = {
  ip_address: Type.String(),
  reason: StringOrNull,
  blocked_by: StringOrNull,
  blocked_at: Type.String(),
  expires_at: StringOrNull,
};

const runtimeMapFailure = Type.Object({
  ip_address: Type.String(),
  worker: IntegerOrNull,
  command: Type.String(),
  responses: Texts,
  reason: Type.String(),
});

export const runtimeReportFields = {
  runtime_map_updated: Type.Boolean(),
  runtime_map_failures: listOf(runtimeMapFailure),
  runtime_map_failures_total: Count,
  reload_scheduled: Type.Boolean(),
};

export const BlockAnswerSchema = Type.Unsafe<BlockAnswer>(
  Type.Object({
    ...blockedIpFields,
    ...runtimeReportFields,
    overridden_by: Type.Optional(Texts),
    trusted_inside: Type.Optional(Texts),
  }),
);

export const UnblockAnswerSchema = Type.Unsafe<UnblockAnswer>(
  Type.Object({ ip_address: Type.String(), still_blocked_by: Texts, ...runtimeReportFields }),
);

export const BulkAnswerSchema = Type.Unsafe<BulkAnswer>(
  Type.Object({
    added: Count,
    removed: Count,
    unchanged: Count,
    rejected_total: Count,
    rejected: listOf(
      Type.Object({
        line: Type.Optional(Count),
        list: Type.Optional(Type.String()),
        index: Type.Optional(Count),
        value: Type.String(),
        why: Type.String(),
      }),
    ),
    ...runtimeReportFields,
    // A bulk change can force entries and take in networks like a single one.
    overridden_by: Type.Optional(Texts),
    trusted_inside: Type.Optional(Texts),
  }),
);

export const SyncAnswerSchema = Type.Unsafe<SyncAnswer>(
  Type.Object({
    runtime_map_synced: Type.Boolean(),
    total_ips: Count,
    added: Count,
    removed: Count,
    missing_ips: Texts,
    unexpected_ips: Texts,
    wrong_value_ips: Texts,
    duplicate_ips: Texts,
    draining_workers: listOf(
      Type.Object({ pid: Type.Integer(), synced: Type.Boolean(), reason: Type.Optional(Type.String()) }),
    ),
    map_file_updated: Type.Boolean(),
    reload_scheduled: Type.Boolean(),
    duration_ms: Type.Integer(),
    reason: Type.Optional(Type.String()),
  }),
);

export const CheckAnswerSchema = Type.Unsafe<CheckAnswer>(
  Type.Object({
    ip_address: Type.String(),
    verdict: Type.String(),
    by: StringOrNull,
    reason: StringOrNull,
    expires_at: StringOrNull,
    enforced: Type.Unsafe({ type: ['boolean', 'null'] }),
    workers: listOf(Type.Object({ pid: Type.Integer(), verdict: Type.String() })),
  }),
);

export const BlockedIpDetailSchema = Type.Unsafe<BlockedIpDetail>(
  Type.Object({
    ...blockedIpFields,
    workers: listOf(
      Type.Object({
        pid: Type.Integer(),
        draining: Type.Boolean(),
        holds: Type.Unsafe({ type: ['boolean', 'null'] }),
      }),
    ),
  }),
);

export const BlockedIpPageSchema = Type.Object({
  items: listOf<BlockedIp>(Type.Object(blockedIpFields)),
  next_cursor: StringOrNull,
  total: Count,
});
