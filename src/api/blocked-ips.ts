import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import {
  AddressLines,
  BlockedIpDetail,
  BlockedIpPage,
  BlockRequest,
  entryFields,
  ListQuery,
  special,
} from './blocked-entries.ts';
import {
  addressText,
  changeCodes,
  changeMembers,
  durable,
  addressParams as params,
  problem,
  report,
  runtimeReportFields,
} from './changes.ts';
import { operation } from './operation.ts';
import { fullMembers } from './problem.ts';
import { described, flag, listOf, model, oneOf, queryFlag, text, texts } from './schema.ts';
import { Claim, sourceQuery } from './sources.ts';
import { TrustedIp } from './trusted-ips.ts';

const tag = 'Blocked addresses';

export const allowWide = queryFlag(
  'Allows networks wider than /8 (IPv6: /16) and complete special ranges, such as 10.0.0.0/8. Needs the scope `admin`.',
);
const BlockQuery = Type.Object(
  {
    allow_wide: allowWide,
    source: sourceQuery('Whose claim it is; absent: of the source of the key, or `manual`.'),
  },
  { additionalProperties: false },
);
const UnblockQuery = Type.Object(
  {
    source: sourceQuery(
      'Drops the claim of this source only; absent: of the source of the key, or all claims of `manual` and of agents.',
    ),
    trust_for: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 11,
        description:
          'Also trusts exactly this address or network for this time, written as `90s`, `30m`, `4h`, `7d` or `2w`, so that lists that claim it do not block it; a later end stays. Needs the scope `admin`.',
        mustBe: 'a number and a unit, such as 7d',
        examples: ['7d'],
      }),
    ),
  },
  { additionalProperties: false },
);

export const trustEnded = texts('Temporary trust that this block ended, the first 100; absent if there was none.');

const BlockAnswer = model('BlockAnswer', 'The entry as it is now, and whether the workers hold it.', {
  ...entryFields,
  ...runtimeReportFields,
  special: Type.Optional(special),
  overridden_by: Type.Optional(texts('Trusted entries that override this block; absent if there are none.')),
  trusted_inside: Type.Optional(texts('Trusted entries inside this network, the first 100; absent if there are none.')),
  known_cdn: Type.Optional(
    oneOf(
      ['cloudflare', 'fastly', 'cloudfront'],
      'The CDN to which the address belongs, by the lists of proxy-manager; absent: none of these. If your sites are behind it, the block denies all clients of that server of the CDN: set it as an upstream instead.',
    ),
  ),
  upstreams_inside: Type.Optional(
    texts(
      'Networks of upstreams inside this network, the first 100; absent if there are none. The upstreams themselves are still served.',
    ),
  ),
  trust_ended: Type.Optional(trustEnded),
});
export type BlockAnswer = Static<typeof BlockAnswer>;

const stillClaimedBy = listOf(
  Claim,
  'The claims by which exactly this address or network is still blocked; absent if there are none.',
);

const UnblockAnswer = model('UnblockAnswer', 'What was removed, and whether the workers no longer hold it.', {
  ip_address: text(addressText),
  still_blocked_by: texts('Blocked networks that still cover it.'),
  still_claimed_by: Type.Optional(stillClaimedBy),
  trusted: Type.Optional(described(TrustedIp, 'The trust that `trust_for` added or extended; absent without it.')),
  ...runtimeReportFields,
});
export type UnblockAnswer = Static<typeof UnblockAnswer>;

const covered = 'Blocked networks that contain the address.';

const CoveredMembers = model('CoveredMembers', 'The networks that cover an address without an entry of its own.', {
  covered_by: texts(covered),
});

const UnblockMembers = model('UnblockMembers', 'What was found for an address without an entry of its own.', {
  covered_by: Type.Optional(texts(covered)),
  still_claimed_by: Type.Optional(stillClaimedBy),
  stray_removed: Type.Optional(flag('A foreign entry for it was found in a map, and removed.')),
  runtime_map_updated: Type.Optional(runtimeReportFields.runtime_map_updated),
  runtime_map_failures: Type.Optional(runtimeReportFields.runtime_map_failures),
  runtime_map_failures_total: Type.Optional(runtimeReportFields.runtime_map_failures_total),
  reload_scheduled: Type.Optional(runtimeReportFields.reload_scheduled),
});

const BlockConflictMembers = model(
  'BlockConflictMembers',
  'Why the entry is not blocked; the members depend on `code`.',
  {
    overridden_by: Type.Optional(texts('Trusted entries that cover the address (6007).')),
    upstream: Type.Optional(text('The upstream to which the address belongs (6050).')),
    ip_address: Type.Optional(text('The wide network (6030).')),
    contains: Type.Optional(texts('Special ranges that it contains completely (6030).')),
    ...fullMembers,
  },
);

const UnblockConflictMembers = model('UnblockConflictMembers', 'Which lists claim the address.', {
  still_claimed_by: stillClaimedBy,
});

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
const hits = {
  last_24h: 104,
  last_30d: 310,
  total: 310,
  first_hit: '2026-11-19T12:00:10.000Z',
  last_hit: '2026-11-20T11:59:58.000Z',
};
export const listBlockedAddresses = operation({
  id: 'listBlockedAddresses',
  method: 'GET',
  path: '/api/blocked-ips',
  access: 'read',
  audit: null,
  tag,
  summary: 'List blocked addresses',
  description:
    'In pages: `cursor` continues after a page, `offset` skips entries, after the cursor or from the start. `q` searches addresses. `sort` and `order` choose the order; `source`, `family`, `wider_than`, `blocked_since`, `hit_within` and `expiring` select entries and can be combined. `text` searches reasons and `blocked_by`; it reads all entries and takes half a second for a million. Eight searches, selections and lists in another order may run at once, four of one key. With `Accept: text/plain` the response is the complete list as text, one address or network per line, streamed; no parameter is allowed then.',
  query: ListQuery,
  answers: {
    200: {
      description: 'A page of the list, or the complete list as text.',
      schema: BlockedIpPage,
      content: { 'text/plain': AddressLines },
      headers: ['Vary'],
    },
  },
  codes: [codes.InvalidTime, codes.NotFound, codes.InsightOff, codes.InsightLoading, codes.NotWatched],
  examples: {
    first_page: {
      summary: 'The first two entries',
      query: { limit: 2 },
      answer: {
        items: [
          { ...network, hits },
          { ...entry, hits },
        ],
        next_cursor: 'AQAAAAAAAAAAAAD__8sAcQeA',
        total: 3,
      },
    },
    search: {
      summary: 'Temporary blocks of addresses that start with 203.0.113.',
      query: { q: '203.0.113.', expiring: true },
      answer: { items: [{ ...entry, hits }], next_cursor: null, total: 1 },
    },
    text: {
      summary: 'Entries with “scan” in `reason` or `blocked_by`',
      query: { text: 'scan' },
      answer: { items: [{ ...entry, hits }], next_cursor: null, total: 1 },
    },
    newest: {
      summary: 'IPv4 entries by the time of their block, the newest first',
      query: { sort: 'blocked_at', order: 'desc', family: 'ipv4' },
      answer: {
        items: [
          { ...entry, hits },
          { ...network, hits },
        ],
        next_cursor: null,
        total: 2,
      },
    },
    loudest: {
      summary: 'The entries that denied most in the last 24 hours',
      query: { sort: 'hits', order: 'desc', hit_within: '24h' },
      answer: { items: [{ ...entry, hits }], next_cursor: null, total: 1 },
    },
    far: {
      summary: 'The third entry alone',
      query: { limit: 1, offset: 2 },
      answer: { items: [{ ...entry, ip_address: '203.0.113.8', hits }], next_cursor: null, total: 3 },
    },
    as_text: { summary: 'The complete list as text', accept: 'text/plain', answer: '198.51.100.0/24\n203.0.113.7\n' },
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
  description: `${durable}\n\nIf the address is already blocked, the response is 200: without a time the block becomes permanent, \`duration_seconds\` takes the later expiry (permanent stays), \`expires_at\` is applied as given; an absent \`reason\` or \`blocked_by\` keeps the old value. An expired entry counts as absent, even before it is removed. Send only one of \`expires_at\` and \`duration_seconds\`. An address that a trusted entry covers is rejected (409), but a block by \`manual\` or an agent ends a temporary trust of exactly this address (\`trust_ended\`); \`force\`, which needs the scope \`admin\`, stores the block anyway, but trust overrides it. An address inside an upstream is rejected too (409, 6050), since the upstream itself is served; a network around one is accepted, and \`upstreams_inside\` names it.\n\nA network wider than /8 (IPv6: /16), or one that contains a complete special range (0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16, 224.0.0.0/4, fc00::/7, fe80::/10, ff00::/8), is rejected (409) without \`allow_wide\`, which needs the scope \`admin\`. Entries inside such a range are accepted, and \`special\` names the range. A new entry beyond the maximum number of entries is rejected (409).`,
  query: BlockQuery,
  body: BlockRequest,
  answers: {
    200: { description: 'It was already blocked; this is the entry as it is now.', schema: BlockAnswer },
    201: { description: 'It is blocked.', schema: BlockAnswer },
  },
  codes: [
    codes.InvalidAddress,
    codes.InvalidTime,
    codes.CoveredByTrust,
    codes.InsideUpstream,
    codes.WideNetwork,
    codes.SetFull,
    codes.Conflict,
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
      summary: 'A permanent block of a network',
      body: { ip_address: '198.51.100.0/24', reason: 'abuse desk does not answer', blocked_by: 'ops' },
      status: 201,
      answer: { ...network, ...report },
    },
    again: {
      summary: 'A temporary block becomes permanent',
      body: { ip_address: '203.0.113.7' },
      status: 200,
      answer: { ...entry, expires_at: null, ...report },
    },
    host_bits: {
      summary: 'A network with host bits is rejected, and the correct one suggested',
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
          '192.0.2.10 is covered by the trusted 192.0.2.10, which overrides blocks; to store it anyway, send force: true with an admin key',
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
  summary: 'Get one blocked address or network',
  description:
    'The entry in the database, the blocked networks that cover it too and, for each worker of HAProxy, whether the worker holds it. 404 if there is no entry for exactly this address or network, with the networks that cover it.',
  params,
  answers: { 200: { description: 'The entry.', schema: BlockedIpDetail } },
  codes: [codes.NotFound],
  members: { 404: CoveredMembers },
  examples: {
    address: {
      summary: 'An address',
      path: { ip_address: '203.0.113.7' },
      answer: {
        ...entry,
        covered_by: [],
        workers: [{ pid: 4711, draining: false, holds: true }],
        hits: { ...hits, spark: null },
      },
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
        detail: '198.51.100.9 has no entry of its own; it is covered by 198.51.100.0/24',
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
  description: `Drops the claims of \`manual\` and of agents to exactly this address or network (with \`source\` or a key that is bound to one, of that source only), and removes the entry when no claim is left: \`still_claimed_by\` lists those that keep it blocked, \`still_blocked_by\` the blocked networks that still cover it. Claims of lists stay, since they would come back with the next list: if there are no others, the response is 409 (6035). With \`trust_for\` it is 200, and the address is trusted for that time: \`trusted\` says until when. 404 if there is nothing to drop; a foreign entry in a map is removed anyway. ${durable}`,
  params,
  query: UnblockQuery,
  answers: { 200: { description: 'The claims are dropped.', schema: UnblockAnswer } },
  codes: [codes.InvalidTime, codes.NotFound, codes.ClaimedByList, ...changeCodes],
  members: { 404: UnblockMembers, 409: UnblockConflictMembers, ...changeMembers },
  examples: {
    address: {
      summary: 'An address',
      path: { ip_address: '203.0.113.7' },
      answer: { ip_address: '203.0.113.7', still_blocked_by: [], ...report },
    },
    exception: {
      summary: 'An address that a list claims, for a week',
      path: { ip_address: '203.0.113.66' },
      query: { trust_for: '7d' },
      answer: {
        ip_address: '203.0.113.66',
        still_blocked_by: [],
        still_claimed_by: [
          {
            source: 'drop',
            kind: 'list',
            reason: null,
            blocked_by: 'updater',
            claimed_at: '2026-11-20T12:00:00.000Z',
            expires_at: null,
          },
        ],
        trusted: {
          ip_address: '203.0.113.66',
          note: null,
          added_at: '2026-11-20T12:30:00.000Z',
          expires_at: '2026-11-27T12:30:00.000Z',
        },
        ...report,
      },
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
        detail: '198.51.100.9 has no entry of its own; to unblock it, unblock 198.51.100.0/24, or trust it',
        code: 1100,
        op: 'unblock',
        ...problem,
        kind: 'Search',
      },
    },
  },
});

export const blockedIpOperations = [listBlockedAddresses, blockAddress, getBlockedAddress, unblockAddress] as const;
