import Type from 'typebox';
import { codes } from '../../errors/catalogue.ts';
import { BlockBody, UnblockBody } from '../schemas/blocked-ips.ts';
import { CoveredMembers, ShrinkMembers, StrayMembers, TrustMembers } from '../schemas/problem.ts';
import type { FieldDocs, OperationDocs } from './operation-doc.ts';

const report = {
  runtime_map_updated: true,
  runtime_map_failures: [],
  runtime_map_failures_total: 0,
  reload_scheduled: false,
};
const entry = {
  ip_address: '203.0.113.7',
  reason: 'port scan',
  blocked_by: 'fail2ban',
  blocked_at: '2026-11-20T12:00:00.000Z',
  expires_at: '2026-11-20T16:00:00.000Z',
};
const network = {
  ip_address: '198.51.100.0/24',
  reason: 'abuse desk does not answer',
  blocked_by: 'ops',
  blocked_at: '2026-11-19T08:30:00.000Z',
  expires_at: null,
};
const problem = { kind: 'Parameter', errors: [], request_id: 'V1StGXR8_Z5jdHi6' };

const durable =
  'A 2xx means that the change is durable in database and map file: no crash undoes it. `runtime_map_updated` says whether every worker of the proxy was seen to be right; where it is false, `runtime_map_failures` says which was not, and what follows. Only the database or the map file can make this fail (503).';

const elementList = (element: object, what: string) =>
  Type.Unsafe<unknown>({ type: 'array', items: { anyOf: [{ type: 'string', description: what }, element] } });

const batchBody = Type.Object(
  {
    add: Type.Optional(elementList(BlockBody, 'An address or network.')),
    remove: Type.Optional(elementList(UnblockBody, 'An address or network.')),
  },
  { title: 'BatchRequest', additionalProperties: false, minProperties: 1 },
);
const wholeSet = Type.Unsafe<unknown>({
  title: 'WholeSet',
  type: 'array',
  items: { anyOf: [{ type: 'string', description: 'An address or network, as a line of the text form.' }, BlockBody] },
});

const changeCodes = [codes.QueueFull, codes.DatabaseUnusable, codes.MapFileUnusable];

export const operations: OperationDocs = {
  'GET /api/blocked-ips': {
    id: 'listBlockedAddresses',
    tag: 'Blocked addresses',
    summary: 'List what is blocked',
    description:
      'In the order of addresses, page by page: `cursor` goes on behind a page, `offset` passes over so many entries, behind the cursor or from the beginning. `q` looks for addresses; `text` for a part of the reason or of who blocked it, in upper or lower case, which goes through all entries and takes half a second at a million: eight at once, four of one key. With `Accept: text/plain` the whole list as text, one address or network a line, streamed; then no parameter is taken.',
    answers: {
      200: {
        description: 'A page of the list, or all of it as text.',
        content: { 'text/plain': Type.Unsafe<string>({ title: 'AddressLines', type: 'string' }) },
        headers: ['Vary'],
      },
    },
    examples: {
      first_page: {
        summary: 'The first two entries',
        query: { limit: 2 },
        answer: { items: [network, entry], next_cursor: 'AQAAAAAAAAAAAAD__8sAcQeA', total: 3 },
      },
      search: {
        summary: 'What begins with 203.0.113. and will expire',
        query: { q: '203.0.113.', expiring: true },
        answer: { items: [entry], next_cursor: null, total: 1 },
      },
      text: {
        summary: 'What says “scan” about itself',
        query: { text: 'scan' },
        answer: { items: [entry], next_cursor: null, total: 1 },
      },
      far: {
        summary: 'The third entry, without those before it',
        query: { limit: 1, offset: 2 },
        answer: { items: [{ ...entry, ip_address: '203.0.113.8' }], next_cursor: null, total: 3 },
      },
      as_text: { summary: 'The whole list as text', accept: 'text/plain', answer: '198.51.100.0/24\n203.0.113.7\n' },
    },
  },
  'POST /api/blocked-ips': {
    id: 'blockAddress',
    tag: 'Blocked addresses',
    summary: 'Block an address or network',
    description: `${durable}\n\nAn address that is blocked already is answered with 200: without a time it becomes permanent, \`duration_seconds\` takes the later end (permanent stays), \`expires_at\` is taken as given; an absent \`reason\` or \`blocked_by\` keeps the old one. \`expires_at\` and \`duration_seconds\` exclude each other. What a trusted entry covers is refused (409); \`force\`, for which the key needs the scope \`admin\`, stores it all the same, though trust wins.`,
    answers: {
      200: { description: 'It was blocked already; this is what holds now.' },
      201: { description: 'It is blocked.' },
    },
    codes: [codes.InvalidAddress, codes.InvalidTime, codes.CoveredByTrust, ...changeCodes],
    members: { 409: TrustMembers },
    examples: {
      for_four_hours: {
        summary: 'An address for four hours',
        body: { ip_address: '203.0.113.7', reason: 'port scan', blocked_by: 'fail2ban', duration_seconds: 14_400 },
        status: 201,
        answer: { ...entry, ...report },
      },
      network_for_good: {
        summary: 'A network for good',
        body: { ip_address: '198.51.100.0/24', reason: 'abuse desk does not answer', blocked_by: 'ops' },
        status: 201,
        answer: { ...network, ...report },
      },
      again: {
        summary: 'An address that is blocked until later today becomes permanent',
        body: { ip_address: '203.0.113.7' },
        status: 200,
        answer: { ...entry, expires_at: null, ...report },
      },
      host_bits: {
        summary: 'A network with host bits is refused, and the right one named',
        body: { ip_address: '203.0.113.7/24' },
        status: 400,
        answer: {
          type: 'urn:proxy-manager:error:101',
          title: 'invalid IP address or network',
          status: 400,
          detail: 'ip_address: 203.0.113.7/24 has host bits set; did you mean 203.0.113.0/24?',
          code: 101,
          op: 'read request',
          ...problem,
          errors: [
            { name: 'ip_address', description: '203.0.113.7/24 has host bits set; did you mean 203.0.113.0/24?' },
          ],
        },
      },
      trusted: {
        summary: 'An address that is trusted',
        body: { ip_address: '192.0.2.10' },
        status: 409,
        answer: {
          overridden_by: ['192.0.2.10'],
          type: 'urn:proxy-manager:error:6007',
          title: 'covered by a trusted address',
          status: 409,
          detail:
            '192.0.2.10 is covered by the trusted 192.0.2.10, which wins over a block; send force to store it all the same',
          code: 6007,
          op: 'block',
          ...problem,
          kind: 'State',
        },
      },
    },
  },
  'PUT /api/blocked-ips': {
    id: 'replaceBlockedAddresses',
    tag: 'Blocked addresses',
    summary: 'Replace the whole set',
    description:
      'The set that is sent takes the place of the one that is there, by its difference; at no moment is an address unblocked that is in both. It is streamed and may have millions of entries, and nothing is changed before the whole of it has come: an aborted body changes nothing.\n\nAs `text/plain`, one address or network a line; `#` and `;` begin comments, blank lines are nothing. As JSON, a list of texts and of objects as `POST /api/blocked-ips` takes them. A line of text, or a bare text in JSON, never changes what an entry already says about itself.\n\nGood entries are applied, bad ones listed. From 100 entries up, a set that would take away more than half is refused (409) without `allow_shrink=true`.',
    body: {
      'text/plain': Type.Unsafe<string>({ title: 'AddressLines', type: 'string' }),
      'application/json': wholeSet,
    },
    answers: { 200: { description: 'The set is what was sent, but for what was rejected.' } },
    codes: [codes.ShrinkRefused, ...changeCodes],
    members: { 409: ShrinkMembers },
    examples: {
      text: {
        summary: 'A list as text, with a line that is no address',
        mediaType: 'text/plain',
        body: '# our list\n203.0.113.7 ; port scan\n198.51.100.0/24\nlocalhost\n',
        query: { allow_shrink: true },
        answer: {
          added: 1,
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
        answer: { added: 1, removed: 1, unchanged: 1, rejected_total: 0, rejected: [], ...report },
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
  },
  'POST /api/blocked-ips/batch': {
    id: 'changeBlockedAddresses',
    tag: 'Blocked addresses',
    summary: 'Block and unblock many at once',
    description: `Up to 100,000 in all and 16 MiB: texts, or objects as \`POST /api/blocked-ips\` takes them. Good entries are applied, bad ones listed; an address that stands in both lists, or is covered by trust without \`force\`, is rejected. \`force\` anywhere in it needs the scope \`admin\`. ${durable}`,
    body: { 'application/json': batchBody },
    answers: { 200: { description: 'What was changed, and what was rejected.' } },
    codes: changeCodes,
    examples: {
      add_and_remove: {
        summary: 'Two in, one out, and one that is no address',
        body: {
          add: ['203.0.113.20', { ip_address: '203.0.113.21', reason: 'spam', duration_seconds: 3600 }, '300.1.1.1'],
          remove: ['203.0.113.7'],
        },
        answer: {
          added: 2,
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
          ...report,
        },
      },
    },
  },
  'POST /api/blocked-ips/sync': {
    id: 'syncBlockedAddresses',
    tag: 'Blocked addresses',
    summary: 'Bring map file and running maps in line with the database',
    description:
      'Rewrites the map file from the database, compares the running map of every worker with it entry by entry, repairs what differs, and verifies it. Takes no body. `clear map` is never issued: at no moment is an address of the database unblocked.',
    answers: {
      200: { description: 'The running map of the current worker was seen to hold what the database holds.' },
      207: { description: 'It was not: `runtime_map_synced` is false, and a reload follows by itself.' },
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
  },
  'GET /api/blocked-ips/:ip_address': {
    id: 'getBlockedAddress',
    tag: 'Blocked addresses',
    summary: 'Look at one blocked address or network',
    description:
      'Its entry in the database and, for each worker of the proxy, whether it holds it. 404 where it has no entry of its own, with the networks that cover it.',
    answers: { 200: { description: 'The entry.' } },
    codes: [codes.NotFound],
    members: { 404: CoveredMembers },
    examples: {
      address: {
        summary: 'An address',
        path: { ip_address: '203.0.113.7' },
        answer: { ...entry, workers: [{ pid: 4711, draining: false, holds: true }] },
      },
      covered: {
        summary: 'An address that only a network covers',
        path: { ip_address: '198.51.100.9' },
        status: 404,
        answer: {
          covered_by: ['198.51.100.0/24'],
          type: 'urn:proxy-manager:error:1100',
          title: 'not found',
          status: 404,
          detail: '198.51.100.9 has no entry of its own',
          code: 1100,
          op: 'get blocked address',
          ...problem,
          kind: 'Search',
        },
      },
    },
  },
  'DELETE /api/blocked-ips/:ip_address': {
    id: 'unblockAddress',
    tag: 'Blocked addresses',
    summary: 'Unblock an address or network',
    description: `Removes the entry of exactly this address or network; \`still_blocked_by\` names the networks that cover it still. 404 where it has no entry of its own; a stray entry in a map is removed all the same. ${durable}`,
    answers: { 200: { description: 'Its entry is gone.' } },
    codes: [codes.NotFound, ...changeCodes],
    members: { 404: StrayMembers },
    examples: {
      address: {
        summary: 'An address',
        path: { ip_address: '203.0.113.7' },
        answer: { ip_address: '203.0.113.7', still_blocked_by: [], ...report },
      },
      not_blocked: {
        summary: 'An address that only a network covers',
        path: { ip_address: '198.51.100.9' },
        status: 404,
        answer: {
          covered_by: ['198.51.100.0/24'],
          stray_removed: false,
          ...report,
          type: 'urn:proxy-manager:error:1100',
          title: 'not found',
          status: 404,
          detail: '198.51.100.9 is not blocked by an entry of its own; it is covered by 198.51.100.0/24',
          code: 1100,
          op: 'unblock',
          ...problem,
          kind: 'Search',
        },
      },
    },
  },
  'GET /api/check/:ip_address': {
    id: 'checkAddress',
    tag: 'Blocked addresses',
    summary: 'Say whether a client is let in, and why',
    description:
      'From the database and from the running proxy: which entry decides, and whether the workers of the proxy say the same.',
    answers: { 200: { description: 'The verdict.' } },
    examples: {
      blocked: {
        summary: 'An address in a blocked network',
        path: { ip_address: '198.51.100.9' },
        answer: {
          ip_address: '198.51.100.9',
          verdict: 'blocked',
          by: '198.51.100.0/24',
          reason: 'abuse desk does not answer',
          expires_at: null,
          enforced: true,
          workers: [{ pid: 4711, verdict: 'blocked' }],
        },
      },
      trusted: {
        summary: 'A trusted address',
        path: { ip_address: '192.0.2.10' },
        answer: {
          ip_address: '192.0.2.10',
          verdict: 'trusted',
          by: '192.0.2.10',
          reason: 'our office',
          expires_at: null,
          enforced: true,
          workers: [{ pid: 4711, verdict: 'trusted' }],
        },
      },
    },
  },
};

export const models: FieldDocs = {
  AddressLines: 'One address or network a line. In a request `#` and `;` begin comments, and blank lines are nothing.',
  BlockRequest: 'What to block, why, and until when.',
  UnblockRequest: 'What to unblock.',
  BatchRequest: 'What to block and what to unblock.',
  WholeSet: 'Everything that is to be blocked.',
  BlockedIp: 'An entry of the blocked set.',
  BlockedIpDetail: 'An entry of the blocked set, and who holds it.',
  BlockedIpPage: 'A page of the blocked set.',
  BlockAnswer: 'The entry as it is now, and what was seen at the workers.',
  UnblockAnswer: 'What was taken out, and what was seen at the workers.',
  BulkAnswer: 'What a big change did, and what was seen at the workers.',
  Rejection: 'A line or element that was not applied.',
  RuntimeMapFailure: 'One worker that was not seen to be right for one address.',
  SyncAnswer: 'What was compared, repaired and is still wrong.',
  DrainingWorkerSync: 'A worker that only finishes what it has begun.',
  CheckAnswer: 'What happens to a client with this address.',
  WorkerVerdict: 'What one worker does with this address.',
  WorkerHolding: 'Whether one worker holds the entry.',
};

export const fields: FieldDocs = {
  'BlockRequest.ip_address': 'What to block.',
  'BlockRequest.reason': 'Why.',
  'BlockRequest.blocked_by': 'Who or what blocks it.',
  'BlockRequest.expires_at': 'Until when. Excludes `duration_seconds`.',
  'BlockRequest.duration_seconds': 'For how many seconds from now. Excludes `expires_at`.',
  'BlockRequest.force': 'Stores it although a trusted entry covers it. Needs the scope `admin`.',
  'UnblockRequest.ip_address': 'What to unblock.',
  'BatchRequest.add': 'What to block.',
  'BatchRequest.remove': 'What to unblock.',
  '*.reason': 'Why; null where nobody said.',
  '*.blocked_by': 'Who or what blocked it; null where nobody said.',
  '*.blocked_at': 'Since when.',
  '*.expires_at': 'Until when; null: for good.',
  '*.overridden_by': 'Trusted entries that win over this block; absent where there are none.',
  '*.trusted_inside': 'Trusted entries inside this network, the first 100; absent where there are none.',
  '*.still_blocked_by': 'Networks of the blocked set that cover it still.',
  'BlockedIpDetail.workers': 'Each live worker of the proxy.',
  'WorkerHolding.draining': 'It only finishes what it has begun.',
  'WorkerHolding.holds': 'It holds the entry; null: it could not be asked.',
  'RuntimeMapFailure.worker': 'The pid; null when none could be addressed.',
  'RuntimeMapFailure.command': 'The command that was sent.',
  'RuntimeMapFailure.responses': 'What the worker said, line for line.',
  'RuntimeMapFailure.reason': 'What was wrong with it.',
  'BulkAnswer.added': 'How many entries are new.',
  'BulkAnswer.removed': 'How many entries are gone.',
  'BulkAnswer.unchanged': 'How many were as they are.',
  'BulkAnswer.rejected_total': 'How many lines or elements were not applied.',
  'BulkAnswer.rejected': 'The first 1,000 of them.',
  'BulkAnswer.not_blocked':
    'Those of `remove` that had no entry of their own; absent where nothing was to be removed, and where they are only counted (`unchanged`), as with more than 1,000 at once.',
  'Rejection.line': 'Of a text, counted from 1.',
  'Rejection.list': 'Of a batch: which of its lists.',
  'Rejection.index': 'Of a list, counted from 0.',
  'Rejection.value': 'What was sent, or its beginning.',
  'Rejection.why': 'What is wrong with it, and what would be right.',
  'SyncAnswer.runtime_map_synced': 'The current worker was seen to hold what the database holds.',
  'SyncAnswer.total_ips': 'How many entries the database holds.',
  'SyncAnswer.added': 'How many were missing in the current worker and were put in.',
  'SyncAnswer.removed': 'How many were too many in the current worker and were taken out.',
  'SyncAnswer.missing_ips': 'What is still missing, the first 100.',
  'SyncAnswer.unexpected_ips': 'What is still too many, the first 100.',
  'SyncAnswer.wrong_value_ips': 'What still has another value than 1, the first 100.',
  'SyncAnswer.duplicate_ips': 'What still stands twice, the first 100.',
  'SyncAnswer.draining_workers': 'The workers that only finish what they have begun.',
  'SyncAnswer.map_file_updated': 'The map file was written.',
  'SyncAnswer.reason': 'Why the running map could not be read or repaired; absent where it could.',
  'DrainingWorkerSync.synced': 'It was seen to hold what the database holds.',
  'DrainingWorkerSync.reason': 'Why not; absent where it does.',
  'CheckAnswer.verdict': 'What happens to the client: `blocked` is 403, `trusted` is never denied.',
  'CheckAnswer.by': 'The entry that decides; null where none does.',
  'CheckAnswer.reason': 'What that entry says about itself.',
  'CheckAnswer.expires_at': 'When that entry ends; null: never, or there is none.',
  'CheckAnswer.enforced':
    'Every live worker was seen to say the same; false: one says otherwise; null: none could be asked.',
  'CheckAnswer.workers': 'Each worker that could be asked.',
  'WorkerVerdict.verdict': 'What it does with this address.',
};
