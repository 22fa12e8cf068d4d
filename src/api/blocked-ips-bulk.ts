// Many blocked addresses at once, the whole set, and the sync.
import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { AddressLines, BlockRequest, special } from './blocked-ips.ts';
import { addressText, changeCodes, changeMembers, durable, problem, report, runtimeReportFields } from './changes.ts';
import { operation } from './operation.ts';
import { fullMembers } from './problem.ts';
import { askedFor, count, duration, flag, listOf, model, oneOf, pid, requestModel, text, texts } from './schema.ts';

const tag = 'Blocked addresses';

/** An element of `remove`: what an `add` says beside the address is of no use there. */
export const UnblockRequest = requestModel('UnblockRequest', 'What to unblock.', 'a JSON object with ip_address', {
  ip_address: Type.String({ description: 'What to unblock.', mustBe: 'an IP address or network' }),
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
  ...elements(BlockRequest, 'An address or network, as a line of the text form.', 'Everything that is to be blocked.'),
};

const BatchQuery = Type.Object({ allow_wide: askedFor, dry_run: askedFor }, { additionalProperties: false });
export type BatchQuery = Static<typeof BatchQuery>;
const ReplaceQuery = Type.Object(
  { allow_shrink: askedFor, allow_wide: askedFor, dry_run: askedFor },
  { additionalProperties: false },
);
const SyncQuery = Type.Object({ accept_map_file: askedFor }, { additionalProperties: false });

const Rejection = model('Rejection', 'A line or element that was not applied.', {
  line: Type.Optional(Type.Integer({ minimum: 1, description: 'Of a text, counted from 1.' })),
  list: Type.Optional(oneOf(['add', 'remove'], 'Of a batch: which of its lists.')),
  index: Type.Optional(count('Of a list, counted from 0.')),
  value: text('What was sent, or its beginning.'),
  why: text('What is wrong with it, and what would be right.'),
  code: Type.Optional(
    Type.Integer({
      minimum: 100,
      maximum: 9999,
      description:
        'Of an element that is well formed: 6007, covered by trust (`force`), or 6030, a wide network (`allow_wide`).',
    }),
  ),
});
export type Rejection = Static<typeof Rejection>;

const SpecialEntry = model('SpecialEntry', 'An entry inside a range that is not part of the public internet.', {
  ip_address: text(addressText),
  special,
});
export type SpecialEntry = Static<typeof SpecialEntry>;

const StillBlocked = model('StillBlocked', 'An address without an entry of its own that is blocked all the same.', {
  ip_address: text(addressText),
  by: text('The narrowest blocked network that covers it.'),
});
export type StillBlocked = Static<typeof StillBlocked>;

const BulkAnswer = model('BulkAnswer', 'What a big change did, and what was seen at the workers.', {
  added: count('How many entries are new.'),
  updated: count('How many entries existed and had a field changed.'),
  removed: count('How many entries are gone.'),
  unchanged: count('How many were left exactly as they were, or had no entry to be removed.'),
  rejected_total: count('How many lines or elements were not applied.'),
  rejected: listOf(Rejection, 'The first 1,000 of them.'),
  special: Type.Optional(
    listOf(SpecialEntry, 'Accepted entries inside a special range, the first 100; absent where there are none.'),
  ),
  special_total: Type.Optional(count('How many they are; absent where there are none.')),
  not_blocked: Type.Optional(
    texts(
      'Those of `remove` that had no entry of their own; absent where nothing was to be removed, and where they are only counted (`unchanged`), as with more than 1,000 at once.',
    ),
  ),
  still_blocked: Type.Optional(
    listOf(
      StillBlocked,
      'Addresses of `remove` that a blocked network still covers, the first 100; absent where nothing was to be removed.',
    ),
  ),
  still_blocked_total: Type.Optional(count('How many they are; absent where nothing was to be removed.')),
  dry_run: Type.Optional(
    Type.Literal(true, { description: 'Nothing was changed: the counts are what the request would do now.' }),
  ),
  ...runtimeReportFields,
});
export type BulkAnswer = Static<typeof BulkAnswer>;

const DrainingWorkerSync = model('DrainingWorkerSync', 'A worker that only finishes what it has begun.', {
  pid: pid('The process id of the worker.'),
  synced: flag('It was seen to hold what the database holds.'),
  reason: Type.Optional(text('Why not; absent where it does.')),
});

const SyncAnswer = model('SyncAnswer', 'What was compared, repaired and is still wrong.', {
  runtime_map_synced: flag(
    'The current worker was seen to hold what the database holds, and no other one was starting to take its place.',
  ),
  total_ips: count('How many entries the database holds.'),
  added: count('How many were missing in the current worker and were put in.'),
  removed: count('How many were too many in the current worker and were taken out.'),
  missing_ips: texts('What is still missing, the first 100.'),
  unexpected_ips: texts('What is still too many, the first 100.'),
  wrong_value_ips: texts('What still has another value than 1, the first 100.'),
  duplicate_ips: texts('What still appears twice, the first 100.'),
  draining_workers: listOf(DrainingWorkerSync, 'The workers that only finish what they have begun.'),
  map_file_updated: flag('The map file was written.'),
  reload_scheduled: runtimeReportFields.reload_scheduled,
  duration_ms: duration('How long it took, in milliseconds.'),
  reason: Type.Optional(text('Why the running map could not be read or repaired; absent where it could.')),
});
export type SyncAnswer = Static<typeof SyncAnswer>;

const SetFullMembers = model('SetFullMembers', 'The size of the set and its maximum.', fullMembers);

const ReplaceConflictMembers = model(
  'ReplaceConflictMembers',
  'What the refused change would have done; which members are there depends on `code`.',
  { would_remove: Type.Optional(count('How many entries would have gone (6006).')), ...fullMembers },
);

export const replaceBlockedAddresses = operation({
  id: 'replaceBlockedAddresses',
  method: 'PUT',
  path: '/api/blocked-ips',
  access: 'admin',
  audit: 'replace',
  tag,
  summary: 'Replace the whole set',
  description:
    'The set that is sent takes the place of the one that is there, by its difference; at no moment is an address unblocked that is in both. It is streamed and may have millions of entries, and nothing is changed before the whole of it has come: an aborted body changes nothing.\n\nAs `text/plain`, one address or network a line; `#` and `;` begin comments, blank lines are nothing. As JSON, a list of texts and of objects as `POST /api/blocked-ips` takes them. An element never shortens a block: without a time the entry keeps its end (a new one is permanent), with `expires_at` or `duration_seconds` it takes the later of the two; an absent `reason` or `blocked_by` keeps the old one. An entry whose time is over counts as absent, also before it is removed: `added` counts it. `updated` counts the entries of which a field changed.\n\nGood entries are applied, bad ones listed; wide networks (see `POST /api/blocked-ips`) are bad ones without `allow_wide`, unless they are blocked already. Without `allow_shrink=true` a set is refused (409) that would take away more than half of 100 entries or more, or that names no address at all. So is one beyond the maximum number of entries.',
  streamedBody: { 'text/plain': AddressLines, 'application/json': WholeSet },
  query: ReplaceQuery,
  answers: { 200: { description: 'The set is what was sent, but for what was rejected.', schema: BulkAnswer } },
  codes: [codes.ShrinkRefused, codes.SetFull, ...changeCodes],
  members: { 409: ReplaceConflictMembers, ...changeMembers },
  examples: {
    text: {
      summary: 'A list as text, with a line that is no address',
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
      summary: 'A list that would take away more than half',
      mediaType: 'text/plain',
      body: '203.0.113.7\n',
      status: 409,
      answer: {
        would_remove: 120,
        current_total: 121,
        type: 'urn:proxy-manager:error:6006',
        title: 'more than half of the set would go',
        status: 409,
        detail: '120 of 121 entries would go away, more than half; if that is meant, send allow_shrink=true',
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
  description: `Up to 100,000 in all and 16 MiB: texts, or objects as \`POST /api/blocked-ips\` takes them. Good entries are applied, bad ones listed; an address that stands in both lists, is covered by trust without \`force\`, or is a wide network without \`allow_wide\` (in the element, or in the query for all), is rejected, with the \`code\` of what it would take. \`force\` and \`allow_wide\` anywhere in it need the scope \`admin\`. An element of \`add\` never shortens a block, as in a list of \`PUT /api/blocked-ips\`. A batch beyond the maximum number of entries is refused as a whole (409). ${durable}`,
  streamedBody: { 'application/json': BatchRequest },
  query: BatchQuery,
  answers: { 200: { description: 'What was changed, and what was rejected.', schema: BulkAnswer } },
  codes: [codes.SetFull, ...changeCodes],
  members: { 409: SetFullMembers, ...changeMembers },
  examples: {
    add_and_remove: {
      summary: 'Two in, one out, and one that is no address',
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
  summary: 'Bring map file and running maps in line with the database',
  description:
    'Rewrites the map file from the database, compares the running map of every worker with it entry by entry, repairs what differs, and verifies it. Takes no body. `clear map` is never issued: at no moment is an address of the database unblocked.',
  query: SyncQuery,
  answers: {
    200: {
      description: 'The running map of the current worker was seen to hold what the database holds.',
      schema: SyncAnswer,
    },
    207: {
      description:
        'It was not: `runtime_map_synced` is false, and a reload follows by itself. None follows where a reload is under way: the worker that starts is compared as soon as it serves.',
      schema: SyncAnswer,
    },
  },
  codes: [codes.ShrinkRefused, codes.ForeignMapFile, codes.MapFileUnusable],
  examples: {
    nothing_to_do: {
      summary: 'All is well',
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
