// One blocked address at a time, the list, and the check.
import Type from 'typebox';
import { codes } from '../../errors/catalogue.ts';
import { BlockConflictMembers, CoveredMembers, StrayMembers } from '../schemas/problem.ts';
import { changeCodes, changeMembers, durable, problem, report } from './change-samples.ts';
import type { FieldDocs, OperationDocs } from './operation-doc.ts';

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
    description: `${durable}\n\nAn address that is blocked already is answered with 200: without a time it becomes permanent, \`duration_seconds\` takes the later end (permanent stays), \`expires_at\` is taken as given; an absent \`reason\` or \`blocked_by\` keeps the old one. An entry whose time is over counts as absent, also before it is removed. \`expires_at\` and \`duration_seconds\` exclude each other. What a trusted entry covers is refused (409); \`force\`, for which the key needs the scope \`admin\`, stores it all the same, though trust wins.\n\nA network wider than /8 (IPv6: /16), or one that contains a whole special range (0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16, 224.0.0.0/4, fc00::/7, fe80::/10, ff00::/8), is refused (409) without \`allow_wide\`, for which the key needs the scope \`admin\`. Entries inside such a range are accepted, and \`special\` names the range. So is an entry beyond the maximum number of entries (409).`,
    answers: {
      200: { description: 'It was blocked already; this is what holds now.' },
      201: { description: 'It is blocked.' },
    },
    codes: [
      codes.InvalidAddress,
      codes.InvalidTime,
      codes.CoveredByTrust,
      codes.WideNetwork,
      codes.SetFull,
      ...changeCodes,
    ],
    members: { 409: BlockConflictMembers, ...changeMembers },
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
    members: { 404: StrayMembers, ...changeMembers },
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
      'From the database and from the running proxy: which entry decides, and whether the workers of the proxy say the same. Of a network that no entry covers whole, `blocked_inside` names the blocked entries inside; then no client decides for all of it, and the verdict is `partly`.',
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
          blocked_inside: [],
          blocked_inside_total: 0,
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
          blocked_inside: [],
          blocked_inside_total: 0,
          workers: [{ pid: 4711, verdict: 'trusted' }],
        },
      },
      network: {
        summary: 'A network in which one address is blocked',
        path: { ip_address: '203.0.113.0/24' },
        answer: {
          ip_address: '203.0.113.0/24',
          verdict: 'partly',
          by: null,
          reason: null,
          expires_at: null,
          enforced: null,
          blocked_inside: ['203.0.113.7'],
          blocked_inside_total: 1,
          workers: [],
        },
      },
    },
  },
};

export const models: FieldDocs = {
  AddressLines: 'One address or network a line. In a request `#` and `;` begin comments, and blank lines are nothing.',
  BlockRequest: 'What to block, why, and until when.',
  BlockedIp: 'An entry of the blocked set.',
  BlockedIpDetail: 'An entry of the blocked set, and who holds it.',
  BlockedIpPage: 'A page of the blocked set.',
  BlockAnswer: 'The entry as it is now, and what was seen at the workers.',
  UnblockAnswer: 'What was taken out, and what was seen at the workers.',
  RuntimeMapFailure: 'One worker that was not seen to be right for one address.',
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
  '*.reason': 'Why; null where nobody said.',
  '*.blocked_by': 'Who or what blocked it; null where nobody said.',
  '*.blocked_at': 'Since when.',
  '*.expires_at': 'Until when; null: for good.',
  '*.overridden_by': 'Trusted entries that win over this block; absent where there are none.',
  '*.trusted_inside': 'Trusted entries inside this network, the first 100; absent where there are none.',
  'BlockRequest.allow_wide':
    'Blocks a network wider than /8 (IPv6: /16), or one that contains a whole special range. Needs the scope `admin`.',
  '*.special': 'The special range that the entry lies in; absent where it lies in none.',
  '*.still_blocked_by': 'Networks of the blocked set that cover it still.',
  'BlockedIpDetail.workers': 'Each live worker of the proxy.',
  'WorkerHolding.draining': 'It only finishes what it has begun.',
  'WorkerHolding.holds': 'It holds the entry; null: it could not be asked.',
  'RuntimeMapFailure.worker': 'The pid; null when none could be addressed.',
  'RuntimeMapFailure.command': 'The command that was sent.',
  'RuntimeMapFailure.responses': 'What the worker said, line for line.',
  'RuntimeMapFailure.reason': 'What was wrong with it.',
  'CheckAnswer.verdict':
    'What happens to the client: `blocked` is 403, `trusted` is never denied. `partly`: a network that no entry covers whole, with blocked entries inside.',
  'CheckAnswer.by': 'The entry that decides; null where none does.',
  'CheckAnswer.reason': 'What that entry says about itself.',
  'CheckAnswer.expires_at': 'When that entry ends; null: never, or there is none.',
  'CheckAnswer.enforced':
    'Every live worker was seen to say the same; false: one says otherwise; null: none could be asked, or the verdict is `partly`.',
  'CheckAnswer.blocked_inside':
    'Blocked entries inside a network that no entry covers, the first 100 in the order of addresses.',
  'CheckAnswer.blocked_inside_total': 'How many they are.',
  'CheckAnswer.workers': 'Each worker that could be asked.',
  'WorkerVerdict.verdict': 'What it does with this address.',
};
