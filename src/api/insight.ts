import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import {
  AttackDetail,
  Attacks,
  type Candidate,
  Candidates,
  InsightLimits,
  InsightSeries,
  InsightSummary,
  insightCodes,
  KnockingPage,
  limitFields,
  rangeQuery,
  SiteTrafficList,
  SourceEffects,
} from './insight-records.ts';
import { operation } from './operation.ts';
import { model, oneOf, pageFields, requestModel, text, timeOrNull } from './schema.ts';

const tag = 'Denied requests';
const closed = { additionalProperties: false };
const complete = { complete: true, gaps: [] };

const rangeOnly = Type.Object({ range: rangeQuery }, closed);

export const getInsight = operation({
  id: 'getInsight',
  method: 'GET',
  path: '/api/insight',
  access: 'read',
  audit: null,
  tag,
  summary: 'What the blocked set did',
  description:
    'Denied requests are HAProxy’s own number. What no entry explains is in `not_attributed`. A figure that is not known is null.',
  query: rangeOnly,
  answers: { 200: { description: 'The figures.', schema: InsightSummary } },
  codes: insightCodes,
  examples: {
    day: {
      summary: 'The last 24 hours',
      query: { range: '24h' },
      answer: {
        range_seconds: 86_400,
        denied: 1_284_902,
        requests: 20_076_594,
        not_attributed: 5_140,
        addresses: 21_894,
        new_addresses: 4_102,
        entries: 379_126,
        expiring_24h: 310,
        never_matched: { days: 90, count: null, old_enough: null, watched_days: 12 },
        candidates: 0,
        attack: null,
        since: '2026-11-08T12:00:00.000Z',
        last_read_at: '2026-11-20T12:00:00.000Z',
        previous: { denied: 1_190_331, requests: 19_555_203, not_attributed: 4_022 },
        ...complete,
      },
    },
  },
});

const SeriesQuery = Type.Object(
  {
    metric: Type.Optional(
      oneOf(
        ['denied', 'requests', 'not_attributed', 'addresses', 'entries'],
        'What to show. `addresses`: different addresses that were denied in a step. Default `denied`.',
      ),
    ),
    by: Type.Optional(
      oneOf(
        ['none', 'site', 'source'],
        'Of `denied`: a list of values for each site, estimated, or for each source. Default `none`.',
      ),
    ),
    range: rangeQuery,
  },
  closed,
);
export type SeriesQuery = Static<typeof SeriesQuery>;

export const getSeries = operation({
  id: 'getSeries',
  method: 'GET',
  path: '/api/insight/series',
  access: 'read',
  audit: null,
  tag,
  summary: 'Denied requests over time',
  description:
    'At most 300 steps, whose length follows from the range. Null is “not known”, never 0. Only `denied` can be divided by site or source.',
  query: SeriesQuery,
  answers: { 200: { description: 'The values.', schema: InsightSeries } },
  codes: insightCodes,
  examples: {
    hour: {
      summary: 'The last hour',
      query: { metric: 'denied', by: 'none', range: '1h' },
      answer: {
        from: '2026-11-20T11:00:00.000Z',
        step_seconds: 60,
        labels: ['denied'],
        values: [[41, 39, null]],
        marks: [{ at: '2026-11-20T11:02:00.000Z', kind: 'start', text: 'The service started' }],
        sampled: null,
        ...complete,
      },
    },
  },
});

const KnockingQuery = Type.Object(
  {
    ...pageFields,
    sort: Type.Optional(oneOf(['hits', 'last_hit'], 'Most denied requests, or the last one, first. Default `hits`.')),
    range: rangeQuery,
    entry: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Only addresses that this entry denied last.',
        mustBe: 'an address or a network',
        examples: ['192.0.2.0/24'],
      }),
    ),
  },
  closed,
);
export type KnockingQuery = Static<typeof KnockingQuery>;

export const listKnocking = operation({
  id: 'listKnocking',
  method: 'GET',
  path: '/api/insight/knocking',
  access: 'read',
  audit: null,
  tag,
  summary: 'List the addresses that were denied',
  description:
    'The last 100,000 addresses. Requests in a range of up to 24 hours are counted by whole hours, the current one included; a longer range gives the totals of the addresses that were denied in it.',
  query: KnockingQuery,
  answers: { 200: { description: 'A page of addresses.', schema: KnockingPage } },
  codes: insightCodes,
  examples: {
    loudest: {
      summary: 'The loudest of the last 24 hours',
      query: { sort: 'hits', limit: 1 },
      answer: {
        items: [
          {
            ip_address: '185.220.101.34',
            entry: '185.220.101.0/24',
            source: 'drop',
            hits: 104_918,
            total: 310_200,
            first_hit: '2026-11-14T03:10:20.000Z',
            last_hit: '2026-11-20T11:59:58.000Z',
            spark: [4_102, 4_410],
          },
        ],
        total: 1,
        next_cursor: null,
        ...complete,
      },
    },
  },
});

export const listSourceEffects = operation({
  id: 'listSourceEffects',
  method: 'GET',
  path: '/api/insight/sources',
  access: 'read',
  audit: null,
  tag,
  summary: 'What each source does',
  description:
    'A request counts for the source whose claim the entry carries that denied it; for `last_match`, for each source that claims this entry. `matched_30d` is read from all entries that denied a request, in slices. A key may have 4 such requests in progress, all keys together 8; others get 503.',
  query: rangeOnly,
  answers: { 200: { description: 'The sources.', schema: SourceEffects } },
  codes: insightCodes,
  examples: {
    all: {
      summary: 'The operator alone',
      answer: {
        items: [
          {
            source: 'manual',
            kind: 'manual',
            entries: 3,
            only_here: 3,
            matched_30d: 1,
            denied: 420,
            share: 0.8,
            last_match: '2026-11-20T11:59:58.000Z',
          },
        ],
        ...complete,
      },
    },
  },
});

const limits = { rate: 100, error_share: 0.5, error_requests: 500, attack_factor: 5, attack_minimum: 60 };
const candidate = {
  ip_address: '203.0.113.7',
  rate: 40.2,
  requests: 24_120,
  error_share: 0.9,
  active_since: '2026-11-20T11:46:10.000Z',
  network: '203.0.113.0/24',
  clients_inside: 1,
  spark: [2_400, 2_416],
} satisfies Candidate;

export const listSiteTraffic = operation({
  id: 'listSiteTraffic',
  method: 'GET',
  path: '/api/insight/sites',
  access: 'read',
  audit: null,
  tag,
  summary: 'The traffic of each site in the last 24 hours',
  description:
    'Requests, server errors and response times are HAProxy’s own figures of the backends of the sites; of a site that was redirected or disabled all the time they are null. They do not include requests of a time in which the service was stopped, those that a worker answered after its last reading, and up to a minute that was not stored when the service was killed. `complete` is false if a gap is known; less than 40 seconds without a reading are none.',
  answers: { 200: { description: 'The sites.', schema: SiteTrafficList } },
  codes: insightCodes,
  examples: {
    two: {
      summary: 'Two sites, one of them redirected',
      answer: {
        items: [
          { site: 'shop.example.com', requests: 1_284_902, denied: 20_480, server_errors: 31, response_ms: 42 },
          { site: 'www.example.com', requests: null, denied: 16, server_errors: null, response_ms: null },
        ],
        sampled: { one_in: 16 },
        ...complete,
      },
    },
  },
});

export const listCandidates = operation({
  id: 'listCandidates',
  method: 'GET',
  path: '/api/insight/candidates',
  access: 'read',
  audit: null,
  tag,
  summary: 'List loud clients that are not blocked',
  description:
    'Clients above the limits for ten minutes. Trusted addresses, upstreams and the networks of known CDNs are left out. The figures are estimated from 1 in 16 requests. Nothing is blocked by itself: block one with `POST /api/blocked-ips`.',
  answers: { 200: { description: 'The candidates.', schema: Candidates } },
  codes: insightCodes,
  examples: {
    one: {
      summary: 'A client with many errors',
      answer: { limits, items: [candidate], sampled: { one_in: 16 }, ...complete },
    },
  },
});

const IgnoreRequest = requestModel(
  'IgnoreRequest',
  'For how long the client is no candidate.',
  'a JSON object with ignored_for_seconds',
  {
    ignored_for_seconds: Type.Integer({
      minimum: 0,
      maximum: 31_536_000,
      description: 'So many seconds from now; 0: it may be one again.',
      mustBe: 'a whole number from 0 to 31536000',
    }),
  },
);

const Ignored = model('IgnoredClient', 'Until when a client is no candidate.', {
  ip_address: text('The address; of IPv6 its /64.'),
  ignored_until: timeOrNull('Until then; null: it may be one.'),
});
export type Ignored = Static<typeof Ignored>;

export const ignoreCandidate = operation({
  id: 'ignoreCandidate',
  method: 'PUT',
  path: '/api/insight/candidates/:ip_address',
  access: 'block',
  audit: 'ignore_candidate',
  tag,
  summary: 'Ignore a loud client for a time',
  description: 'It is no candidate until then. 0 ends that.',
  params: Type.Object({
    ip_address: Type.String({ description: 'The address; of IPv6 its /64.', examples: ['203.0.113.7'] }),
  }),
  body: IgnoreRequest,
  answers: { 200: { description: 'The client is ignored.', schema: Ignored } },
  codes: insightCodes,
  examples: {
    week: {
      summary: 'A client for a week',
      path: { ip_address: '203.0.113.200' },
      body: { ignored_for_seconds: 604_800 },
      answer: { ip_address: '203.0.113.200', ignored_until: '2026-11-27T12:00:00.000Z' },
    },
  },
});

export const getLimits = operation({
  id: 'getLimits',
  method: 'GET',
  path: '/api/insight/limits',
  access: 'read',
  audit: null,
  tag,
  summary: 'Get the limits of candidates and attacks',
  description: 'Above which figures a client is a candidate, and a rise of denied requests an attack.',
  answers: { 200: { description: 'The limits.', schema: InsightLimits } },
  codes: insightCodes,
  examples: { defaults: { summary: 'The defaults', answer: limits } },
});

const LimitsRequest = requestModel(
  'LimitsRequest',
  'The new limits.',
  `a JSON object with ${Object.keys(limitFields).join(', ')}`,
  limitFields,
);

export const setLimits = operation({
  id: 'setLimits',
  method: 'PUT',
  path: '/api/insight/limits',
  access: 'admin',
  audit: 'set_limits',
  tag,
  summary: 'Set the limits of candidates and attacks',
  description: 'All of them; they apply from the next minute on.',
  body: LimitsRequest,
  answers: { 200: { description: 'The limits.', schema: InsightLimits } },
  codes: insightCodes,
  examples: { defaults: { summary: 'The defaults', body: limits, answer: limits } },
});

export const listAttacks = operation({
  id: 'listAttacks',
  method: 'GET',
  path: '/api/insight/attacks',
  access: 'read',
  audit: null,
  tag,
  summary: 'List attacks',
  description: 'The last 1,000 rises of denied requests far above the usual.',
  answers: { 200: { description: 'The attacks.', schema: Attacks } },
  codes: insightCodes,
  examples: { none: { summary: 'None yet', answer: { items: [] } } },
});

const tenQuiet = new Array<number>(10).fill(12);

export const getAttack = operation({
  id: 'getAttack',
  method: 'GET',
  path: '/api/insight/attacks/:id',
  access: 'read',
  audit: null,
  tag,
  summary: 'Get an attack',
  description: 'What it did, when, and which entries denied its requests.',
  params: Type.Object({
    id: Type.String({
      minLength: 1,
      maxLength: 15,
      pattern: '^[1-9][0-9]*$',
      description: 'Its id, of `GET /api/insight/attacks`.',
      mustBe: 'the id of an attack, a whole number',
      examples: ['7'],
    }),
  }),
  answers: { 200: { description: 'The attack.', schema: AttackDetail } },
  codes: [codes.NotFound, ...insightCodes],
  examples: {
    ended: {
      summary: 'One that has ended',
      path: { id: '7' },
      answer: {
        ...{ id: 7, started_at: '2026-11-20T10:00:00.000Z', ended_at: '2026-11-20T10:02:00.000Z' },
        ...{ peak: 360, usual: 12, denied: 1_030 },
        top_networks: [{ entry: '192.0.2.0/24', denied: 900 }],
        top_sites: [{ site: 'www.example.com', denied: 880 }],
        entries: [{ entry: '192.0.2.0/24', denied: 900, source: 'drop' }],
        ...{ from: '2026-11-20T09:50:00.000Z', step_seconds: 60, values: [...tenQuiet, 340, 360, 330, ...tenQuiet] },
        sampled: { one_in: 16 },
        complete: false,
        gaps: [],
      },
    },
  },
});

export const insightOperations = [
  getInsight,
  getSeries,
  listKnocking,
  listSourceEffects,
  listSiteTraffic,
  listCandidates,
  ignoreCandidate,
  getLimits,
  setLimits,
  listAttacks,
  getAttack,
] as const;
