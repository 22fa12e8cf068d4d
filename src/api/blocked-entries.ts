// Requests for and entries of the blocked set; its operations are in `blocked-ips.ts`.
import Type, { type Static } from 'typebox';
import { specialRanges } from '../domain/special-ranges.ts';
import { addressText, durationField, sentAddress, untilField } from './changes.ts';
import {
  count,
  countOrNull,
  flag,
  flagOrNull,
  lineOfText,
  lineOfTextOrNull,
  listOf,
  model,
  oneOf,
  orNull,
  pageFields,
  pid,
  queryFlag,
  requestFlag,
  requestModel,
  text,
  textOrNull,
  texts,
  time,
  timeOrNull,
} from './schema.ts';
import { Claim, sourceQuery } from './sources.ts';

export const BlockRequest = requestModel(
  'BlockRequest',
  'What to block, why, and until when.',
  'a JSON object with ip_address',
  {
    ip_address: sentAddress('The address or network to block.'),
    reason: Type.Optional(lineOfTextOrNull(0, 500, 'Why it is blocked.')),
    blocked_by: Type.Optional(lineOfText(1, 100, 'Who or what blocks it; absent: the name of the key.')),
    expires_at: untilField('When the block expires; null: never. Not together with `duration_seconds`.'),
    duration_seconds: durationField,
    force: requestFlag('Stores the entry even if a trusted entry covers it. Needs the scope `admin`.'),
    allow_wide: requestFlag(
      'Allows a network wider than /8 (IPv6: /16), or one that contains a complete special range. Needs the scope `admin`.',
    ),
  },
);
export type BlockRequest = Static<typeof BlockRequest>;

/** The exact texts of claims. @param says is completed by the name of the field */
export const claimFilterFields = (says: string) => ({
  reason: Type.Optional(lineOfText(1, 500, `${says} reason.`, 'port scan')),
  blocked_by: Type.Optional(lineOfText(1, 100, `${says} \`blocked_by\`.`, 'fail2ban')),
});

/** @param says is completed by what they select */
export const entryFilterFields = (says: string) => ({
  family: Type.Optional({
    ...oneOf(['ipv4', 'ipv6'], `${says} of this family.`),
    mustBe: 'ipv4 or ipv6',
    examples: ['ipv6'],
  }),
  wider_than: Type.Optional(
    Type.Integer({
      minimum: 2,
      maximum: 128,
      description: `${says} whose prefix is shorter than this: \`24\` selects a /23 and everything wider, \`32\` every IPv4 network. Above 32 only with \`family=ipv6\`.`,
      mustBe: 'a prefix length from 2 to 128',
      examples: [24],
    }),
  ),
  blocked_since: Type.Optional(
    Type.String({
      minLength: 2,
      maxLength: 40,
      description: `${says} that were blocked since this time, or within this duration before the request, written as \`90s\`, \`30m\`, \`4h\`, \`7d\` or \`2w\`.`,
      mustBe: 'a time such as 2030-01-31T12:00:00Z, or a duration such as 7d',
      examples: ['24h'],
    }),
  ),
});

const EntryFilterFields = Type.Object(entryFilterFields(''));
export type EntryFilterQuery = Static<typeof EntryFilterFields>;

/** @param says is completed by what it selects */
export const notHitFor = (says: string) =>
  Type.Optional(
    Type.String({
      minLength: 2,
      maxLength: 12,
      pattern: '^[1-9][0-9]{0,9}[smhdw]$',
      description: `${says} that were blocked all this time and denied nothing in it, from 1 to 400 days. Rejected (409, 7012) unless all of it was watched.`,
      mustBe: 'a duration such as 90d',
      examples: ['90d'],
    }),
  );

/** Skipping costs time for each skipped entry. */
const largestOffset = 1_000_000_000;

export const ListQuery = Type.Object(
  {
    ...pageFields,
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^[0-9A-Fa-f:./]+$',
        description:
          'Only entries that are this address or network, start with it, or contain it; for a part of an address also networks that cover everything with that beginning. Not together with `text`.',
        mustBe: 'an address, the beginning of one, or a network',
        examples: ['203.0.113.'],
      }),
    ),
    text: Type.Optional(
      lineOfText(
        1,
        100,
        'Only entries whose `reason` or `blocked_by` contains this text, in upper or lower case of any script; no character is a wildcard. Not together with `q`.',
        'scan',
      ),
    ),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: largestOffset,
        description:
          'How many entries to skip, after `cursor` or from the start. Reaches a far page in one request; to read page after page use `cursor`, which is exact while entries are added or removed.',
        mustBe: `a whole number from 0 to ${largestOffset}`,
        examples: [500_000],
      }),
    ),
    expiring: queryFlag('Only temporary blocks.'),
    sort: Type.Optional({
      ...oneOf(
        ['address', 'blocked_at', 'expires_at', 'hits', 'last_hit'],
        'What the list is sorted by: by time in whole seconds, permanent blocks after all others, entries with the same value by address; `hits`: by the denied requests of the last 24 hours; for `hits` and `last_hit` what is not known counts as 0. Absent: `address`. Not together with `q`, `text`, `reason` or `blocked_by`, like `order`, `family`, `wider_than`, `blocked_since` and `hit_within`.',
      ),
      mustBe: 'address, blocked_at, expires_at, hits or last_hit',
      examples: ['blocked_at'],
    }),
    order: Type.Optional({
      ...oneOf(['asc', 'desc'], 'The direction of the order; `desc` is exactly the reverse. Absent: `asc`.'),
      mustBe: 'asc or desc',
      examples: ['desc'],
    }),
    ...entryFilterFields('Only entries'),
    source: sourceQuery('Only entries that this source claims. Not together with `q` or `text`.'),
    ...claimFilterFields('Only entries that are claimed, by `source` if it is sent, with exactly this'),
    not_hit_for: notHitFor('Only entries'),
    hit_within: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 12,
        pattern: '^[1-9][0-9]{0,9}[smhdw]$',
        description: 'Only entries that denied a request in this time, at most 400 days.',
        mustBe: 'a duration such as 24h',
        examples: ['24h'],
      }),
    ),
    spark: queryFlag('Adds the denied requests of each of the last 24 hours to `hits`.'),
  },
  { additionalProperties: false },
);
export type ListQuery = Static<typeof ListQuery>;

export const AddressLines = Type.Unsafe<string>({
  title: 'AddressLines',
  type: 'string',
  description: 'One address or network per line. In a request `#` and `;` start comments, and blank lines are ignored.',
});

export const special = oneOf(specialRanges, 'The special range that contains the entry; absent if there is none.');

const claims = Type.Optional(
  listOf(
    Claim,
    'All claims to it, the one that ends last first, whose `reason`, `blocked_by` and `expires_at` the entry has; absent if only `manual` claims it.',
  ),
);

export const entryFields = {
  ip_address: text(addressText),
  reason: textOrNull('Why it is blocked; null: not stated.'),
  blocked_by: textOrNull('Who or what blocked it; null: not stated.'),
  blocked_at: time('When it was blocked.'),
  expires_at: timeOrNull('When the block expires; null: it is permanent.'),
  claims,
};

const Entry = Type.Object(entryFields);
/** As stored, with its claims. */
export type BlockedIp = Static<typeof Entry>;

const EntryHits = model('EntryHits', 'What an entry denied since it was blocked; null: not known, which is not 0.', {
  last_24h: countOrNull('How many requests it denied in the last 24 whole hours, the current one included.'),
  last_30d: countOrNull('How many requests it denied in the last 30 days; null also if the first one is longer ago.'),
  total: countOrNull('How many requests it denied since the first one.'),
  first_hit: timeOrNull('When it first denied a request; null also if it never did.'),
  last_hit: timeOrNull('When it last denied a request; null also if it never did.'),
  spark: Type.Optional(
    Type.Unsafe<readonly number[] | null>({
      type: ['array', 'null'],
      items: count('How many requests it denied.'),
      description: 'Of each of the last 24 hours, the current one last; absent unless `spark` was sent.',
    }),
  ),
});
export type EntryHits = Static<typeof EntryHits>;

const hits = orNull(EntryHits, 'What it denied; null: not known, or `PROXY_MANAGER_INSIGHT` is `off`.');

const ListedIp = model('BlockedIp', 'An entry of the blocked set.', { ...entryFields, hits });
export type ListedIp = Static<typeof ListedIp>;

export const BlockedIpPage = model('BlockedIpPage', 'A page of the blocked set.', {
  items: listOf(ListedIp, 'The entries.'),
  next_cursor: textOrNull('The `cursor` of the next page; null on the last page.'),
  total: count('How many there are on all pages.'),
});
export type BlockedIpPage = Static<typeof BlockedIpPage>;

const WorkerHolding = model('WorkerHolding', 'Whether one worker holds the entry.', {
  pid: pid('The process id of the worker.'),
  draining: flag('It serves existing connections only.'),
  holds: flagOrNull('It holds the entry; null: it did not answer.'),
});
export type WorkerHolding = Static<typeof WorkerHolding>;

export const BlockedIpDetail = model('BlockedIpDetail', 'An entry of the blocked set, and the workers that hold it.', {
  ...entryFields,
  covered_by: texts('Blocked networks that also cover it, and still do when this entry is removed.'),
  workers: listOf(WorkerHolding, 'Every live worker of HAProxy.'),
  hits,
});
export type BlockedIpDetail = Static<typeof BlockedIpDetail>;
