import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { claimFilterFields, entryFilterFields, notHitFor } from './blocked-entries.ts';
import { BulkAnswer } from './blocked-ips-bulk.ts';
import { changeCodes, changeMembers, problem, report } from './changes.ts';
import { operation } from './operation.ts';
import { count, listOf, model, queryFlag } from './schema.ts';
import { Claim, sourceQuery } from './sources.ts';

const UnblockSelectedQuery = Type.Object(
  {
    source: sourceQuery(
      'Drops the claims of this source, of kind `manual` or `agent`; absent: of the source of the key, or of `manual` and all agents.',
    ),
    ...claimFilterFields('Drops only claims with exactly this'),
    ...entryFilterFields('Drops only claims to entries'),
    not_hit_for: notHitFor('Drops only claims to entries'),
    expect: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'How many entries have such a claim: `removed` and `still_claimed_total` of a dry run together. If there are not exactly as many, nothing is changed (409, 6040). Required, except with `dry_run`.',
        mustBe: 'a whole number, as the dry run counts',
        examples: [12],
      }),
    ),
    dry_run: queryFlag('Returns the counts that the request would have now, and changes nothing.'),
  },
  { additionalProperties: false },
);
export type UnblockSelectedQuery = Static<typeof UnblockSelectedQuery>;

const UnblockSelectedConflict = model(
  'UnblockSelectedConflict',
  'Why nothing was changed; the members depend on `code`.',
  {
    count: Type.Optional(count('How many entries have such a claim (6040).')),
    still_claimed_by: Type.Optional(listOf(Claim, 'Always empty (6035).')),
  },
);

export const unblockSelected = operation({
  id: 'unblockSelected',
  method: 'DELETE',
  path: '/api/blocked-ips',
  access: 'block',
  audit: 'unblock_selected',
  tag: 'Blocked addresses',
  summary: 'Unblock everything that a filter selects',
  description:
    'Drops the claims that match all of `source`, `reason`, `blocked_by`, `family`, `wider_than` and `blocked_since`, of which at least one is required. Needs the scope `admin`, or a key that is bound to the source.\n\nAn address that other sources claim stays blocked, and `still_claimed_total` counts these. A list (409, 6035) is changed by its `PUT` only. Claims that are changed or made while the request is running stay as they are then; `unchanged` counts the former. Any number of entries can be unblocked, in slices between which single changes run; a crash does not stop it.',
  query: UnblockSelectedQuery,
  answers: { 200: { description: 'The claims are dropped.', schema: BulkAnswer } },
  codes: [
    codes.InsightOff,
    codes.InsightLoading,
    codes.NotWatched,
    codes.InvalidTime,
    codes.CountMismatch,
    codes.ClaimedByList,
    codes.NotFound,
    ...changeCodes,
  ],
  members: { 409: UnblockSelectedConflict, ...changeMembers },
  examples: {
    a_source: {
      summary: 'All bans of a jail, one of which an operator blocked too',
      query: { source: 'fail2ban:sshd', expect: 12 },
      answer: {
        added: 0,
        updated: 0,
        removed: 11,
        unchanged: 0,
        still_claimed_total: 1,
        rejected_total: 0,
        rejected: [],
        ...report,
      },
    },
    another_count: {
      summary: 'Another number of entries than expected',
      query: { reason: 'wrong filter', expect: 2 },
      status: 409,
      answer: {
        count: 3,
        type: 'urn:proxy-manager:error:6040',
        title: 'not as many entries as expected',
        status: 409,
        detail: '3 entries have such a claim, not the 2 that were expected; nothing was changed',
        code: 6040,
        op: 'unblock by filter',
        ...problem,
        kind: 'State',
      },
    },
  },
});

export const selectedOperations = [unblockSelected] as const;
