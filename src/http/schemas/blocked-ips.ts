import Type, { type Static } from 'typebox';
import type {
  BlockAnswer,
  BlockedIp,
  BlockedIpDetail,
  BlockedIpPage,
  BulkAnswer,
  CheckAnswer,
  Rejection,
  RuntimeMapFailure,
  SpecialEntry,
  StillBlocked,
  SyncAnswer,
  UnblockAnswer,
  WorkerHolding,
  WorkerVerdict,
} from '../../blocking/answers.ts';
import { specialRanges } from '../../domain/special-ranges.ts';
import {
  answer,
  BooleanOrNull,
  Count,
  Duration,
  lineOfText,
  lineOfTextOrNull,
  listOf,
  oneOf,
  Pid,
  PidOrNull,
  pageCursor,
  pageLimit,
  StringOrNull,
  Texts,
  Time,
  TimeOrNull,
} from './common.ts';

/** A hundred years: more is a mistake, and the sum would leave the calendar. */
export const LONGEST_BLOCK_SECONDS = 3_155_760_000;

/** More than any set has; passing over costs what is passed over. */
const MOST_PASSED_OVER = 1_000_000_000;

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
    allow_wide: Type.Optional(Type.Boolean({ description: 'true or false' })),
  },
  { additionalProperties: false, title: 'BlockRequest', description: 'a JSON object with ip_address' },
);
export type BlockBody = Static<typeof BlockBody>;

/** An element of `remove`: what an `add` says beside the address is of no use there. */
export const UnblockBody = Type.Object(
  { ip_address: BlockBody.properties.ip_address },
  { additionalProperties: false, title: 'UnblockRequest', description: 'a JSON object with ip_address' },
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
    text: Type.Optional(lineOfText(1, 100)),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MOST_PASSED_OVER,
        description: `a whole number from 0 to ${MOST_PASSED_OVER}`,
      }),
    ),
    expiring: Type.Optional(Type.Boolean({ description: 'true or false' })),
  },
  { additionalProperties: false },
);

export type ListQuery = Static<typeof ListQuery>;

const flag = Type.Optional(Type.Boolean({ description: 'true or false' }));

export const BlockQuery = Type.Object({ allow_wide: flag }, { additionalProperties: false });
export const BatchQuery = Type.Object({ allow_wide: flag, dry_run: flag }, { additionalProperties: false });
export type BatchQuery = Static<typeof BatchQuery>;
export const ReplaceQuery = Type.Object(
  { allow_shrink: flag, allow_wide: flag, dry_run: flag },
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
  blocked_at: Time,
  expires_at: TimeOrNull,
};

export const BlockedIpSchema = answer<BlockedIp>('BlockedIp')(blockedIpFields);

const RuntimeMapFailureSchema = answer<RuntimeMapFailure>('RuntimeMapFailure')({
  ip_address: Type.String(),
  worker: PidOrNull,
  command: Type.String(),
  responses: Texts,
  reason: Type.String(),
});

export const runtimeReportFields = {
  runtime_map_updated: Type.Boolean(),
  runtime_map_failures: listOf(RuntimeMapFailureSchema),
  runtime_map_failures_total: Count,
  reload_scheduled: Type.Boolean(),
};

export const BlockAnswerSchema = answer<BlockAnswer>('BlockAnswer')({
  ...blockedIpFields,
  ...runtimeReportFields,
  special: Type.Optional(oneOf(...specialRanges)),
  overridden_by: Type.Optional(Texts),
  trusted_inside: Type.Optional(Texts),
});

export const UnblockAnswerSchema = answer<UnblockAnswer>('UnblockAnswer')({
  ip_address: Type.String(),
  still_blocked_by: Texts,
  ...runtimeReportFields,
});

const RejectionSchema = answer<Rejection>('Rejection')({
  line: Type.Optional(Type.Integer({ minimum: 1 })),
  list: Type.Optional(oneOf('add', 'remove')),
  index: Type.Optional(Count),
  value: Type.String(),
  why: Type.String(),
  code: Type.Optional(Type.Integer({ minimum: 100, maximum: 9999 })),
});

export const BulkAnswerSchema = answer<BulkAnswer>('BulkAnswer')({
  added: Count,
  updated: Count,
  removed: Count,
  unchanged: Count,
  rejected_total: Count,
  rejected: listOf(RejectionSchema),
  special: Type.Optional(
    listOf(answer<SpecialEntry>('SpecialEntry')({ ip_address: Type.String(), special: oneOf(...specialRanges) })),
  ),
  special_total: Type.Optional(Count),
  not_blocked: Type.Optional(Texts),
  still_blocked: Type.Optional(
    listOf(answer<StillBlocked>('StillBlocked')({ ip_address: Type.String(), by: Type.String() })),
  ),
  still_blocked_total: Type.Optional(Count),
  dry_run: Type.Optional(Type.Literal(true)),
  ...runtimeReportFields,
});

export const SyncAnswerSchema = answer<SyncAnswer>('SyncAnswer')({
  runtime_map_synced: Type.Boolean(),
  total_ips: Count,
  added: Count,
  removed: Count,
  missing_ips: Texts,
  unexpected_ips: Texts,
  wrong_value_ips: Texts,
  duplicate_ips: Texts,
  draining_workers: listOf(
    answer<SyncAnswer['draining_workers'][number]>('DrainingWorkerSync')({
      pid: Pid,
      synced: Type.Boolean(),
      reason: Type.Optional(Type.String()),
    }),
  ),
  map_file_updated: Type.Boolean(),
  reload_scheduled: Type.Boolean(),
  duration_ms: Duration,
  reason: Type.Optional(Type.String()),
});

const Verdict = oneOf('blocked', 'trusted', 'allowed');

export const CheckAnswerSchema = answer<CheckAnswer>('CheckAnswer')({
  ip_address: Type.String(),
  verdict: oneOf('blocked', 'trusted', 'allowed', 'partly'),
  by: StringOrNull,
  reason: StringOrNull,
  expires_at: TimeOrNull,
  enforced: BooleanOrNull,
  blocked_inside: Texts,
  blocked_inside_total: Count,
  workers: listOf(answer<WorkerVerdict>('WorkerVerdict')({ pid: Pid, verdict: Verdict })),
});

export const BlockedIpDetailSchema = answer<BlockedIpDetail>('BlockedIpDetail')({
  ...blockedIpFields,
  workers: listOf(answer<WorkerHolding>('WorkerHolding')({ pid: Pid, draining: Type.Boolean(), holds: BooleanOrNull })),
});

export const BlockedIpPageSchema = answer<BlockedIpPage>('BlockedIpPage')({
  items: listOf(BlockedIpSchema),
  next_cursor: StringOrNull,
  total: Count,
});
