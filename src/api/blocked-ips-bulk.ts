import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { AddressLines, BlockRequest, special } from './blocked-entries.ts';
import { allowWide, trustEnded } from './blocked-ips.ts';
import {
  addressText,
  changeCodes,
  changeMembers,
  durable,
  problem,
  report,
  runtimeReportFields,
  sentAddress,
} from './changes.ts';
import { operation } from './operation.ts';
import { fullMembers } from './problem.ts';
import { count, duration, flag, listOf, model, oneOf, pid, queryFlag, requestModel, text, texts } from './schema.ts';
import { sourceQuery } from './sources.ts';

const tag = 'Blocked addresses';

/** An element of `remove`: the other fields of an `add` do not apply. */
export const UnblockRequest = requestModel('UnblockRequest', 'What to unblock.', 'a JSON object with ip_address', {
  ip_address: sentAddress('The address or network to unblock.'),
});

const elements = (element: object, what: string, description: string) =>
  Type.Unsafe<unknown>({
    type: 'array',
    items: { anyOf: [{ type: 'string', description: what }, element] },
    description,
  });

const BatchRequest = model(
  'BatchRequest',
  'What to block and what to unblock.',
  {
    add: Type.Optional(elements(BlockRequest, 'An address or network.', 'What to block.')),
    remove: Type.Optional(elements(UnblockRequest, 'An address or network.', 'What to unblock.')),
  },
  { additionalProperties: false, minProperties: 1 },
);

const WholeSet = {
  title: 'WholeSet',
  ...elements(BlockRequest, 'An address or network, as in the text form.', 'The complete set of blocked addresses.'),
};

const listFlags = {
  source: sourceQuery('Whose claims it changes; absent: of the source of the key, or `manual`.'),
  allow_wide: allowWide,
  dry_run: queryFlag('Returns the counts that the request would have now, and changes nothing.'),
};
const BatchQuery = Type.Object(listFlags, { additionalProperties: false });
export type BatchQuery = Static<typeof BatchQuery>;
const ReplaceQuery = Type.Object(
  {
    allow_shrink: queryFlag(
      'Without it, a set is rejected (409, 6006) that would remove more than half of 100 entries or more, or that contains no address while entries exist.',
    ),
    ...listFlags,
  },
  { additionalProperties: false },
);
const SyncQuery = Type.Object(
  {
    accept_map_file: queryFlag(
      'Rewrites the map file even if it is newer than the database, belongs to another database, or would lose more than half of its entries. Needs the scope `admin`.',
    ),
  },
  { additionalProperties: false },
);

const Rejection = model('Rejection', 'A line or element that was not applied.', {
  line: Type.Optional(Type.Integer({ minimum: 1, description: 'The line of a text list, counted from 1.' })),
  list: Type.Optional(oneOf(['add', 'remove'], 'The list of a batch.')),
  index: Type.Optional(count('The index in a JSON list, counted from 0.')),
  value: text('The value that was sent, shortened if it is long.'),
  why: text('What is wrong with it, and what is allowed.'),
  code: Type.Optional(
    Type.Integer({
      minimum: 100,
      maximum: 9999,
      description: 'For a valid element: 6007, covered by trust (`force`), or 6030, a wide network (`allow_wide`).',
    }),
  ),
});
export type Rejection = Static<typeof Rejection>;

const SpecialEntry = model('SpecialEntry', 'An entry inside a range that is not part of the public internet.', {
  ip_address: text(addressText),
  special,
});
export type SpecialEntry = Static<typeof SpecialEntry>;

const StillBlocked = model('StillBlocked', 'An address without an entry of its own that a network blocks.', {
  ip_address: text(addressText),
  by: text('The narrowest blocked network that covers it.'),
});
export type StillBlocked = Static<typeof StillBlocked>;

const KnownCdn = model('KnownCdn', 'How many accepted entries belong to a CDN.', {
  cdn: oneOf(['cloudflare', 'fastly', 'cloudfront'], 'The CDN, by the lists of proxy-manager.'),
  entries: count('How many accepted entries belong to it.'),
  example: text('The first of them.'),
});

export const BulkAnswer = model('BulkAnswer', 'What a bulk change did, and whether the workers hold it.', {
  added: count('How many entries are new.'),
  updated: count('How many existing entries have a changed field.'),
  removed: count('How many entries were removed.'),
  unchanged: count('How many entries did not change, and how many elements of `remove` had no entry.'),
  rejected_total: count('How many lines or elements were rejected.'),
  rejected: listOf(Rejection, 'The rejected lines or elements, the first 1,000.'),
  special: Type.Optional(
    listOf(SpecialEntry, 'Accepted entries inside a special range, the first 100; absent if there are none.'),
  ),
  special_total: Type.Optional(
    count('How many accepted entries are inside a special range; absent if there are none.'),
  ),
  known_cdns: Type.Optional(
    listOf(
      KnownCdn,
      'The CDNs to which accepted entries belong; absent: none. If your sites are behind one, these blocks deny clients of it: set it as an upstream instead.',
    ),
  ),
  not_blocked: Type.Optional(
    texts(
      'Elements of `remove` that had no entry of their own; those that another source keeps blocked had one. Absent if nothing was to be removed, and for more than 1,000 elements at once, where `unchanged` counts them.',
    ),
  ),
  still_blocked: Type.Optional(
    listOf(
      StillBlocked,
      'Addresses of `remove` that a blocked network still covers, or in a dry run would, the first 100; absent if nothing was to be removed.',
    ),
  ),
  still_blocked_total: Type.Optional(
    count('How many addresses of `remove` are still covered; absent if nothing was to be removed.'),
  ),
  still_claimed_total: Type.Optional(
    count(
      'How many addresses lost the claim of the source and are still blocked, because other sources claim them; absent if there are none.',
    ),
  ),
  trust_ended: Type.Optional(trustEnded),
  dry_run: Type.Optional(
    Type.Literal(true, { description: 'Nothing was changed; the counts are what the request would do now.' }),
  ),
  current_total: Type.Optional(count('How many entries the set has now; only in a dry run.')),
  limit: Type.Optional(count('How many entries the set can have; only in a dry run, and absent if there is no limit.')),
  ...runtimeReportFields,
});
export type BulkAnswer = Static<typeof BulkAnswer>;

const DrainingWorkerSync = model('DrainingWorkerSync', 'A worker that serves existing connections only.', {
  pid: pid('The process id of the worker.'),
  synced: flag('Its map is in sync with the database.'),
  reason: Type.Optional(text('Why it is not in sync; absent if it is.')),
});

const SyncAnswer = model('SyncAnswer', 'What was compared and repaired, and what is still wrong.', {
  runtime_map_synced: flag(
    'The map of the current worker is in sync with the database, and no new worker was starting.',
  ),
  total_ips: count('How many entries the database holds.'),
  added: count('How many missing entries were added to the current worker.'),
  removed: count('How many unexpected entries were removed from the current worker.'),
  missing_ips: texts('Entries that are still missing, the first 100.'),
  unexpected_ips: texts('Entries that are still unexpected, the first 100.'),
  wrong_value_ips: texts('Entries that still have another value than 1, the first 100.'),
  duplicate_ips: texts('Entries that are still duplicate, the first 100.'),
  draining_workers: listOf(DrainingWorkerSync, 'The workers that serve existing connections only.'),
  map_file_updated: flag('The map file was written.'),
  reload_scheduled: runtimeReportFields.reload_scheduled,
  duration_ms: duration('The duration in milliseconds.'),
  reason: Type.Optional(text('Why the running map could not be read or repaired; absent if it could.')),
});
export type SyncAnswer = Static<typeof SyncAnswer>;

const SetFullMembers = model('SetFullMembers', 'The size of the set and its maximum.', fullMembers);

const ReplaceConflictMembers = model(
  'ReplaceConflictMembers',
  'What the rejected change would have done; the members depend on `code`.',
  { would_remove: Type.Optional(count('How many entries would have been removed (6006).')), ...fullMembers },
);

export const replaceBlockedAddresses = operation({
  id: 'replaceBlockedAddresses',
  method: 'PUT',
  path: '/api/blocked-ips',
  access: 'block',
  audit: 'replace',
  tag,
  summary: 'Replace the complete set of a source',
  description:
    'Without `source` the set of `manual`. Claims of other sources stay, and `still_claimed_total` counts the addresses that they still block. Needs the scope `admin`, or a key that is bound to the source.\n\nThe new set replaces the old one by their difference; an address in both is blocked at every moment. The body is streamed and may have millions of entries. Nothing is changed before the complete body has arrived, so an aborted request changes nothing.\n\nAs `text/plain`: one address or network per line; `#` and `;` start comments, blank lines are ignored. As JSON: a list of strings and of objects as in `POST /api/blocked-ips`. An element never shortens a block: without a time the entry keeps its expiry (a new one is permanent), with `expires_at` or `duration_seconds` it takes the later of the two; an absent `reason` or `blocked_by` keeps the old value. An expired entry counts as absent, even before it is removed: `added` counts it. `updated` counts the existing entries with a changed field.\n\nValid entries are applied, invalid ones are listed. Without `allow_wide`, wide networks (see `POST /api/blocked-ips`) are invalid unless they are already blocked. Without `allow_shrink=true`, a set is rejected (409) that would remove more than half of 100 entries or more, or that contains no address. A set beyond the maximum number of entries is rejected too.',
  streamedBody: { 'text/plain': AddressLines, 'application/json': WholeSet },
  query: ReplaceQuery,
  answers: { 200: { description: 'The set is what was sent, except for rejected entries.', schema: BulkAnswer } },
  codes: [codes.ShrinkRefused, codes.SetFull, codes.Conflict, ...changeCodes],
  members: { 409: ReplaceConflictMembers, ...changeMembers },
  examples: {
    text: {
      summary: 'A list as text, with one invalid line',
      mediaType: 'text/plain',
      body: '# our list\n203.0.113.7 ; port scan\n198.51.100.0/24\nlocalhost\n',
      query: { allow_shrink: true },
      answer: {
        added: 1,
        updated: 0,
        removed: 3,
        unchanged: 1,
        rejected_total: 1,
        rejected: [
          {
            value: 'localhost',
            why: 'localhost looks like a host name; give an IPv4 or IPv6 address or network, such as 192.0.2.1, 192.0.2.0/24 or 2001:db8::/32',
            line: 4,
          },
        ],
        ...report,
      },
    },
    json: {
      summary: 'A list as JSON',
      body: ['203.0.113.7', { ip_address: '2001:db8::/32', reason: 'test traffic', duration_seconds: 86_400 }],
      query: { allow_shrink: true },
      answer: { added: 1, updated: 1, removed: 1, unchanged: 0, rejected_total: 0, rejected: [], ...report },
    },
    shrink: {
      summary: 'A list that would remove more than half',
      mediaType: 'text/plain',
      body: '203.0.113.7\n',
      status: 409,
      answer: {
        would_remove: 120,
        current_total: 121,
        type: 'urn:proxy-manager:error:6006',
        title: 'more than half of the set would be removed',
        status: 409,
        detail: '120 of 121 entries would be removed, more than half; to remove them, send allow_shrink=true',
        code: 6006,
        op: 'replace blocked set',
        ...problem,
        kind: 'State',
      },
    },
  },
});

export const changeBlockedAddresses = operation({
  id: 'changeBlockedAddresses',
  method: 'POST',
  path: '/api/blocked-ips/batch',
  access: 'block',
  audit: 'batch',
  tag,
  summary: 'Block and unblock many at once',
  description: `Up to 100,000 elements in all and 16 MiB: strings, or objects as in \`POST /api/blocked-ips\`. Valid elements are applied, invalid ones are listed. An address in both lists is rejected; so is one that is covered by trust without \`force\` (code 6007), and a wide network without \`allow_wide\` in the element or in the query (code 6030). \`force\` and \`allow_wide\` need the scope \`admin\`, in any element. An element of \`add\` never shortens a block, as in \`PUT /api/blocked-ips\`. A batch beyond the maximum number of entries is rejected completely (409). ${durable}`,
  streamedBody: { 'application/json': BatchRequest },
  query: BatchQuery,
  answers: { 200: { description: 'What was changed, and what was rejected.', schema: BulkAnswer } },
  codes: [codes.SetFull, codes.Conflict, ...changeCodes],
  members: { 409: SetFullMembers, ...changeMembers },
  examples: {
    add_and_remove: {
      summary: 'Two added, one removed, one invalid',
      body: {
        add: ['203.0.113.20', { ip_address: '203.0.113.21', reason: 'spam', duration_seconds: 3600 }, '300.1.1.1'],
        remove: ['203.0.113.7'],
      },
      answer: {
        added: 2,
        updated: 0,
        removed: 1,
        unchanged: 0,
        rejected_total: 1,
        rejected: [
          {
            list: 'add',
            index: 2,
            value: '300.1.1.1',
            why: '300.1.1.1 is not an IPv4 address: each part is at most 255',
          },
        ],
        not_blocked: [],
        still_blocked: [],
        still_blocked_total: 0,
        ...report,
      },
    },
  },
});

export const syncBlockedAddresses = operation({
  id: 'syncBlockedAddresses',
  method: 'POST',
  path: '/api/blocked-ips/sync',
  access: 'block',
  audit: 'sync',
  tag,
  summary: 'Sync map file and running maps with the database',
  description:
    'Rewrites the map file from the database, compares the running map of every worker with the database entry by entry, repairs drift, and verifies the result. No body. `clear map` is never sent, so the addresses of the database stay blocked throughout.',
  query: SyncQuery,
  answers: {
    200: {
      description: 'The running map of the current worker is in sync with the database.',
      schema: SyncAnswer,
    },
    207: {
      description:
        'The running map is not in sync: `runtime_map_synced` is false, and a reload follows automatically. During a reload no other one follows: the new worker is compared as soon as it serves.',
      schema: SyncAnswer,
    },
  },
  codes: [codes.ShrinkRefused, codes.ForeignMapFile, codes.MapFileUnusable],
  examples: {
    nothing_to_do: {
      summary: 'Everything is in sync',
      answer: {
        runtime_map_synced: true,
        total_ips: 2,
        added: 0,
        removed: 0,
        missing_ips: [],
        unexpected_ips: [],
        wrong_value_ips: [],
        duplicate_ips: [],
        draining_workers: [],
        map_file_updated: true,
        reload_scheduled: false,
        duration_ms: 12,
      },
    },
  },
});

export const blockedIpBulkOperations = [replaceBlockedAddresses, changeBlockedAddresses, syncBlockedAddresses] as const;
