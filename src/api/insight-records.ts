// What the answers about denied requests have in common.
import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import {
  count,
  described,
  figure,
  figureOrNull,
  flag,
  listOf,
  model,
  oneOf,
  orNull,
  text,
  textOrNull,
  texts,
  time,
  timeOrNull,
} from './schema.ts';

const Gap = model('InsightGap', 'A time in which denied requests were not counted, or only as a sum.', {
  from: time('Its begin.'),
  to: time('Its end.'),
  cause: text('Why.'),
});

const Sampled = model('Sampled', 'Figures that are estimated from a sample of the requests.', {
  one_in: count('How many requests stand for one that is counted.'),
});

/** In every answer. */
export const knownFields = {
  complete: flag('True: the whole range was watched, without a gap.'),
  gaps: listOf(Gap, 'Gaps in the range.'),
};

export const sampledField = orNull(Sampled, 'How the figures are estimated; null: they are exact.');

export interface Known {
  readonly complete: boolean;
  readonly gaps: readonly Static<typeof Gap>[];
}

export const rangeQuery = Type.Optional(
  Type.String({
    minLength: 2,
    maxLength: 12,
    pattern: '^[1-9][0-9]{0,9}[smhdw]$',
    description: 'How far back, from an hour to 400 days. Default `24h`.',
    mustBe: 'a duration such as 1h, 24h or 30d',
    examples: ['24h'],
  }),
);

const rowId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Its id.' });

const countOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, description });

const previous = model('InsightPrevious', 'The same figures of the time of equal length before.', {
  denied: figureOrNull('Denied requests; null: not known.'),
  requests: figureOrNull('Requests; null: not known.'),
  not_attributed: figureOrNull('Denied requests that no entry explains; null: not known.'),
});

const NeverMatched = model('NeverMatched', 'Entries that were blocked all the time and denied nothing.', {
  days: count('How many days.'),
  count: countOrNull(
    'How many entries; null: not known, since not all of these days were watched. Counted once an hour.',
  ),
  old_enough: countOrNull(
    'How many entries were blocked on all of these days: only they can be counted. With 0, `count` says nothing. Null: as for `count`.',
  ),
  watched_days: count(
    'How many days without larger gaps denied requests have been watched, at most as many as `days`.',
  ),
});

export const InsightSummary = model('InsightSummary', 'What the blocked set did in the range.', {
  range_seconds: count('How many seconds the range has.'),
  ...previous.properties,
  addresses: countOrNull(
    'How many addresses were denied in the range, of the last 100,000; null: HAProxy does not count them.',
  ),
  new_addresses: countOrNull('How many of them had not been denied before; null: as for `addresses`.'),
  entries: count('How many entries are blocked now.'),
  expiring_24h: count('How many of them expire within 24 hours.'),
  never_matched: described(NeverMatched, 'Entries that denied nothing for a long time.'),
  candidates: countOrNull('How many clients are candidates now; null: HAProxy does not count clients.'),
  attack: orNull(
    model('CurrentAttack', 'An attack that continues.', { id: rowId, started_at: time('When it began.') }),
    'The attack that continues; null: there is none.',
  ),
  since: timeOrNull('When denied requests were first counted; null: not yet.'),
  last_read_at: timeOrNull("When HAProxy's tables were last read in this run of the service; null: not yet."),
  previous: described(previous, 'For comparison.'),
  ...knownFields,
});
export type InsightSummary = Static<typeof InsightSummary>;

const Mark = model('SeriesMark', 'Something that happened at a point of a chart.', {
  at: time('When; of a gap and an attack its begin.'),
  kind: oneOf(
    ['reload', 'import', 'attack', 'gap', 'start'],
    'What it was. `import`: a bulk change of at least 100 entries; `start`: of the service.',
  ),
  text: text('What to show.'),
  ended_at: Type.Optional(timeOrNull('Of an attack: when it ended; null: it continues. Other kinds do not have it.')),
});

export const InsightSeries = model('InsightSeries', 'Figures over time.', {
  from: time('The begin of the first step.'),
  step_seconds: count('How many seconds each step has.'),
  labels: texts('The name of each list of values: a site, a source, or the metric.'),
  values: listOf(
    listOf(figureOrNull('The value; null: not known.'), 'A value for each step.'),
    'The values of each label.',
  ),
  marks: listOf(
    Mark,
    'What happened in the range, oldest first: all stored attacks, also those that began before it and lasted into it, and at most the last 200 of the other kinds.',
  ),
  sampled: sampledField,
  ...knownFields,
});
export type InsightSeries = Static<typeof InsightSeries>;

const KnockingAddress = model('KnockingAddress', 'An address that was denied.', {
  ip_address: text('The address.'),
  entry: textOrNull('The entry that denied it last; null: none that still exists.'),
  source: textOrNull('The source whose claim this entry carries; null: unknown.'),
  hits: count('How many requests were denied in the range.'),
  total: count('How many requests were denied since the first one.'),
  first_hit: time('When it was first denied.'),
  last_hit: time('When it was last denied.'),
  spark: listOf(count('How many requests were denied.'), 'Of each of the last 24 hours, the current one last.'),
});
export type KnockingAddress = Static<typeof KnockingAddress>;

export const KnockingPage = model('KnockingPage', 'A page of addresses that were denied.', {
  items: listOf(KnockingAddress, 'The addresses.'),
  total: count('How many there are.'),
  next_cursor: textOrNull('`cursor` of the next page; null: this is the last one.'),
  ...knownFields,
});
export type KnockingPage = Static<typeof KnockingPage>;

const SourceEffect = model('SourceEffect', 'What a source does.', {
  source: text('The name of the source.'),
  kind: text('`manual`, `agent` or `list`.'),
  entries: count('How many addresses it claims.'),
  only_here: count('How many of them no other source claims.'),
  matched_30d: count('How many entries that carry its claim denied a request in the last 30 days.'),
  denied: figure('Denied requests in the range, of entries that carry its claim.'),
  share: figureOrNull('Of all denied requests in the range, from 0 to 1; null: there were none.'),
  last_match: timeOrNull('When one of its claims last denied a request; null: never, as far as is known.'),
});

export const SourceEffects = model('SourceEffects', 'What each source does.', {
  items: listOf(SourceEffect, 'The sources, the oldest first.'),
  ...knownFields,
});
export type SourceEffects = Static<typeof SourceEffects>;

const SiteTraffic = model(
  'SiteTraffic',
  'The traffic of a site in the last 24 hours: the current hour and the 23 before.',
  {
    site: text('Its domain.'),
    requests: countOrNull(
      'How many requests there were for its servers, also those that HAProxy answered because none was up. Redirects are not counted. Null: not known.',
    ),
    denied: countOrNull('How many requests were denied, estimated; null: not known.'),
    server_errors: countOrNull(
      'How many of `requests` were answered with 5xx, by a server or by HAProxy; null: not known.',
    ),
    response_ms: countOrNull(
      'Milliseconds from a request to the start of its response, on average, from HAProxy’s moving averages; null: there were no requests, or it is not known.',
    ),
  },
);
export type SiteTraffic = Static<typeof SiteTraffic>;

export const SiteTrafficList = model('SiteTrafficList', 'The traffic of each site.', {
  items: listOf(SiteTraffic, 'All sites, by domain.'),
  sampled: described(Sampled, 'How `denied` is estimated.'),
  ...knownFields,
});
export type SiteTrafficList = Static<typeof SiteTrafficList>;

export const limitFields = {
  rate: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'Requests a second over ten minutes, above which a client is a candidate.',
    mustBe: 'a whole number from 1 to 1000000',
  }),
  error_share: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Of its requests, from 0 to 1: errors (4xx of a server), above which a client is a candidate.',
    mustBe: 'a number from 0 to 1',
  }),
  error_requests: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    description: 'Errors in ten minutes, below which their share does not matter.',
    mustBe: 'a whole number from 1 to 1000000000',
  }),
  attack_factor: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    description: 'Times the usual number of denied requests, above which a rise is an attack.',
    mustBe: 'a whole number from 1 to 1000',
  }),
  attack_minimum: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    description: 'Denied requests a minute, below which nothing is an attack.',
    mustBe: 'a whole number from 1 to 1000000000',
  }),
};

export const InsightLimits = model(
  'InsightLimits',
  'Above which figures a client is a candidate, and a rise an attack.',
  limitFields,
);
export type InsightLimits = Static<typeof InsightLimits>;

const Candidate = model('Candidate', 'A loud client that is not blocked.', {
  ip_address: text('The address; of IPv6 its /64.'),
  rate: figure('Requests a second over the last ten minutes.'),
  requests: count('How many requests it sent in the last ten minutes.'),
  error_share: figure('Of these, from 0 to 1: errors (4xx of a server).'),
  active_since: time('Since when it has sent requests without a longer pause.'),
  network: text('The network around it: a /24, of IPv6 a /48.'),
  clients_inside: count('How many loud clients are in this network, itself included.'),
  spark: listOf(count('How many requests it sent.'), 'Of each of the last ten complete minutes, oldest first.'),
});
export type Candidate = Static<typeof Candidate>;

export const Candidates = model('Candidates', 'Loud clients that are not blocked, trusted, upstreams or known CDNs.', {
  limits: described(InsightLimits, 'The limits that they are above.'),
  items: listOf(Candidate, 'Those with most requests first.'),
  sampled: orNull(Sampled, 'How the figures are estimated; null: HAProxy does not count clients.'),
  ...knownFields,
});
export type Candidates = Static<typeof Candidates>;

const Attack = model('Attack', 'A rise of denied requests far above the usual.', {
  id: rowId,
  started_at: time('When it began.'),
  ended_at: timeOrNull('When it ended; null: it continues.'),
  peak: figure('The most denied requests of a minute.'),
  usual: figure('What was usual when it began, a minute.'),
  denied: figure('Denied requests until now, or until its end.'),
  top_networks: listOf(
    model('AttackNetwork', 'An entry that denied much.', {
      entry: text('The entry.'),
      denied: count('How many requests it denied.'),
    }),
    'The five entries that denied most.',
  ),
  top_sites: listOf(
    model('AttackSite', 'A site at which much was denied.', {
      site: text('The site.'),
      denied: figure('Denied requests, estimated.'),
    }),
    'The five sites at which most was denied, estimated from a sample of 1 in 16.',
  ),
});
export type Attack = Static<typeof Attack>;

const AttackEntry = model('AttackEntry', 'An entry that denied requests of an attack.', {
  entry: text('The entry.'),
  denied: count('How many requests it denied in the hours of the attack, at most the last 24.'),
  source: textOrNull('The source whose claim it carries now; null: it is blocked no longer.'),
});

export const AttackDetail = model('AttackDetail', 'An attack, and the time around it, minute by minute.', {
  ...Attack.properties,
  entries: listOf(AttackEntry, 'The 50 entries that denied most.'),
  from: time('The begin of the first step: a quarter of the length of the attack before it, at least ten minutes.'),
  step_seconds: count('How many seconds each step has.'),
  values: listOf(
    figureOrNull('Denied requests; null: not known.'),
    'Of each step, at most 300; after the attack as long as before it, at most until now.',
  ),
  sampled: described(Sampled, 'How the figures of the sites are estimated.'),
  ...knownFields,
});
export type AttackDetail = Static<typeof AttackDetail>;

export const Attacks = model('Attacks', 'Attacks, the newest first.', {
  items: listOf(Attack, 'The attacks, at most 1,000.'),
});
export type Attacks = Static<typeof Attacks>;

/** Of every operation. */
export const insightCodes = [codes.InsightOff, codes.InsightLoading] as const;
