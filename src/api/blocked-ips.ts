// One blocked address at a time, and the list.
import Type, { type Static } from 'typebox';
import { specialRanges } from '../domain/special-ranges.ts';
import { codes } from '../errors/catalogue.ts';
import {
  addressText,
  changeCodes,
  changeMembers,
  durable,
  durationField,
  problem,
  report,
  runtimeReportFields,
  untilField,
} from './changes.ts';
import { operation } from './operation.ts';
import { fullMembers } from './problem.ts';
import {
  askedFor,
  count,
  flag,
  flagOrNull,
  lineOfText,
  lineOfTextOrNull,
  listOf,
  model,
  oneOf,
  pageFields,
  pathText,
  pid,
  requestModel,
  switchedOn,
  text,
  textOrNull,
  texts,
  time,
  timeOrNull,
} from './schema.ts';

const tag = 'Blocked addresses';
const params = Type.Object({ ip_address: pathText });

/** More than any set has; passing over costs what is passed over. */
const mostPassedOver = 1_000_000_000;

export const BlockRequest = requestModel(
  'BlockRequest',
  'What to block, why, and until when.',
  'a JSON object with ip_address',
  {
    // Bounded and explained by the one parser of addresses.
    ip_address: Type.String({ description: 'What to block.', mustBe: 'an IP address or network' }),
    reason: Type.Optional(lineOfTextOrNull(0, 500, 'Why.')),
    blocked_by: Type.Optional(lineOfText(1, 100, 'Who or what blocks it.')),
    expires_at: untilField('Until when. Excludes `duration_seconds`.'),
    duration_seconds: durationField,
    force: switchedOn('Stores it although a trusted entry covers it. Needs the scope `admin`.'),
    allow_wide: switchedOn(
      'Blocks a network wider than /8 (IPv6: /16), or one that contains a whole special range. Needs the scope `admin`.',
    ),
  },
);
export type BlockRequest = Static<typeof BlockRequest>;

const ListQuery = Type.Object(
  {
    ...pageFields,
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^[0-9A-Fa-f:./]+$',
        mustBe: 'an address, the beginning of one, or a network',
      }),
    ),
    text: Type.Optional(lineOfText(1, 100, '')),
    offset: Type.Optional(
      Type.Integer({ minimum: 0, maximum: mostPassedOver, mustBe: `a whole number from 0 to ${mostPassedOver}` }),
    ),
    expiring: askedFor,
  },
  { additionalProperties: false },
);
export type ListQuery = Static<typeof ListQuery>;

const BlockQuery = Type.Object({ allow_wide: askedFor }, { additionalProperties: false });

export const AddressLines = Type.Unsafe<string>({
  title: 'AddressLines',
  type: 'string',
  description: 'One address or network a line. In a request `#` and `;` begin comments, and blank lines are nothing.',
});

export const special = oneOf(specialRanges, 'The special range that the entry lies in; absent where it lies in none.');

const fields = {
  ip_address: text(addressText),
  reason: textOrNull('Why; null where nobody said.'),
  blocked_by: textOrNull('Who or what blocked it; null where nobody said.'),
  blocked_at: time('Since when.'),
  expires_at: timeOrNull('Until when; null: for good.'),
};

export const BlockedIp = model('BlockedIp', 'An entry of the blocked set.', fields);
export type BlockedIp = Static<typeof BlockedIp>;

const BlockedIpPage = model('BlockedIpPage', 'A page of the blocked set.', {
  items: listOf(BlockedIp, 'The entries.'),
  next_cursor: textOrNull('Ask for the next page with it; null on the last one.'),
  total: count('How many there are in all.'),
});
export type BlockedIpPage = Static<typeof BlockedIpPage>;

const WorkerHolding = model('WorkerHolding', 'Whether one worker holds the entry.', {
  pid: pid('The process id of the worker.'),
  draining: flag('It only finishes what it has begun.'),
  holds: flagOrNull('It holds the entry; null: it could not be asked.'),
});
export type WorkerHolding = Static<typeof WorkerHolding>;

const BlockedIpDetail = model('BlockedIpDetail', 'An entry of the blocked set, and who holds it.', {
  ...fields,
  workers: listOf(WorkerHolding, 'Each live worker of the proxy.'),
});
export type BlockedIpDetail = Static<typeof BlockedIpDetail>;

const overriddenBy = 'Trusted entries that win over this block; absent where there are none.';

const BlockAnswer = model('BlockAnswer', 'The entry as it is now, and what was seen at the workers.', {
  ...fields,
  ...runtimeReportFields,
  special: Type.Optional(special),
  overridden_by: Type.Optional(texts(overriddenBy)),
  trusted_inside: Type.Optional(
    texts('Trusted entries inside this network, the first 100; absent where there are none.'),
  ),
});
export type BlockAnswer = Static<typeof BlockAnswer>;

const UnblockAnswer = model('UnblockAnswer', 'What was taken out, and what was seen at the workers.', {
  ip_address: text(addressText),
  still_blocked_by: texts('Networks of the blocked set that cover it still.'),
  ...runtimeReportFields,
});
export type UnblockAnswer = Static<typeof UnblockAnswer>;

const covered = 'Networks of the blocked set that hold the address.';

const CoveredMembers = model('CoveredMembers', 'What covers an address that has no entry of its own.', {
  covered_by: texts(covered),
});

const UnblockMembers = model('UnblockMembers', 'What was found of an address that has no entry of its own.', {
  covered_by: Type.Optional(texts(covered)),
  stray_removed: Type.Optional(flag('A stray entry of it was found in a map, and removed.')),
  runtime_map_updated: Type.Optional(runtimeReportFields.runtime_map_updated),
  runtime_map_failures: Type.Optional(runtimeReportFields.runtime_map_failures),
  runtime_map_failures_total: Type.Optional(runtimeReportFields.runtime_map_failures_total),
  reload_scheduled: Type.Optional(runtimeReportFields.reload_scheduled),
});

const BlockConflictMembers = model(
  'BlockConflictMembers',
  'Why the entry is not blocked; which members are there depends on `code`.',
  {
    overridden_by: Type.Optional(texts('Trusted entries that hold the address (6007).')),
    ip_address: Type.Optional(text('The wide network (6030).')),
    contains: Type.Optional(texts('Special ranges that it contains whole (6030).')),
    ...fullMembers,
  },
);

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
export const listBlockedAddresses = operation({
  id: 'listBlockedAddresses',
  method: 'GET',
  path: '/api/blocked-ips',
  access: 'read',
  audit: null,
  tag,
  summary: 'List what is blocked',
  description:
    'In the order of addresses, page by page: `cursor` goes on behind a page, `offset` passes over so many entries, behind the cursor or from the beginning. `q` looks for addresses; `text` for a part of the reason or of who blocked it, in upper or lower case, which goes through all entries and takes half a second at a million: eight at once, four of one key. With `Accept: text/plain` the whole list as text, one address or network a line, streamed; then no parameter is taken.',
  query: ListQuery,
  answers: {
    200: {
      description: 'A page of the list, or all of it as text.',
      schema: BlockedIpPage,
      content: { 'text/plain': AddressLines },
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
});

export const blockAddress = operation({
  id: 'blockAddress',
  method: 'POST',
  path: '/api/blocked-ips',
  access: 'block',
  audit: 'block',
  tag,
  summary: 'Block an address or network',
  description: `${durable}\n\nAn address that is blocked already is answered with 200: without a time it becomes permanent, \`duration_seconds\` takes the later end (permanent stays), \`expires_at\` is taken as given; an absent \`reason\` or \`blocked_by\` keeps the old one. An entry whose time is over counts as absent, also before it is removed. \`expires_at\` and \`duration_seconds\` exclude each other. What a trusted entry covers is refused (409); \`force\`, for which the key needs the scope \`admin\`, stores it all the same, though trust wins.\n\nA network wider than /8 (IPv6: /16), or one that contains a whole special range (0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16, 224.0.0.0/4, fc00::/7, fe80::/10, ff00::/8), is refused (409) without \`allow_wide\`, for which the key needs the scope \`admin\`. Entries inside such a range are accepted, and \`special\` names the range. So is an entry beyond the maximum number of entries (409).`,
  query: BlockQuery,
  body: BlockRequest,
  answers: {
    200: { description: 'It was blocked already; this is what holds now.', schema: BlockAnswer },
    201: { description: 'It is blocked.', schema: BlockAnswer },
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
        errors: [{ name: 'ip_address', description: '203.0.113.7/24 has host bits set; did you mean 203.0.113.0/24?' }],
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
});

export const getBlockedAddress = operation({
  id: 'getBlockedAddress',
  method: 'GET',
  path: '/api/blocked-ips/:ip_address',
  access: 'read',
  audit: null,
  tag,
  summary: 'Look at one blocked address or network',
  description:
    'Its entry in the database and, for each worker of the proxy, whether it holds it. 404 where it has no entry of its own, with the networks that cover it.',
  params,
  answers: { 200: { description: 'The entry.', schema: BlockedIpDetail } },
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
});

export const unblockAddress = operation({
  id: 'unblockAddress',
  method: 'DELETE',
  path: '/api/blocked-ips/:ip_address',
  access: 'block',
  audit: 'unblock',
  tag,
  summary: 'Unblock an address or network',
  description: `Removes the entry of exactly this address or network; \`still_blocked_by\` names the networks that cover it still. 404 where it has no entry of its own; a stray entry in a map is removed all the same. ${durable}`,
  params,
  answers: { 200: { description: 'Its entry is gone.', schema: UnblockAnswer } },
  codes: [codes.NotFound, ...changeCodes],
  members: { 404: UnblockMembers, ...changeMembers },
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
});

export const blockedIpOperations = [listBlockedAddresses, blockAddress, getBlockedAddress, unblockAddress] as const;
