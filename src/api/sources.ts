import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { changeCodes, changeMembers, durable, report, runtimeReportFields } from './changes.ts';
import { operation } from './operation.ts';
import {
  count,
  flag,
  lineOfTextOrNull,
  listOf,
  model,
  oneOf,
  requestModel,
  text,
  textOrNull,
  time,
  timeOrNull,
} from './schema.ts';

const tag = 'Sources';

const namePattern = '^[A-Za-z0-9][A-Za-z0-9._-]*(:[A-Za-z0-9._-]+)*$';
const mustBe =
  'a name of 1 to 64 letters, digits, dots, hyphens and underscores that starts with a letter or digit; colons separate parts, as in fail2ban:sshd';

/** The name of a source in a request. */
export const sourceName = (description: string) =>
  Type.String({ minLength: 1, maxLength: 64, pattern: namePattern, description, mustBe, examples: ['fail2ban'] });

export const sourceQuery = (description: string) => Type.Optional(sourceName(description));

const kind = oneOf(
  ['manual', 'agent', 'list'],
  '`manual`: requests that name no source. `agent`: a program that blocks and unblocks single addresses, such as fail2ban. `list`: a complete list, sent again and again; an unblock does not change it.',
);

export const Claim = model('Claim', 'One source that wants the address blocked.', {
  source: text('The name of the source.'),
  kind,
  reason: textOrNull('Why it claims it; null: not stated.'),
  blocked_by: textOrNull('Who or what claimed it; null: not stated.'),
  claimed_at: time('When it claimed it.'),
  expires_at: timeOrNull('When the claim ends; null: it is permanent.'),
});
export type Claim = Static<typeof Claim>;

const Source = model('Source', 'A source of claims to blocked addresses.', {
  name: text('The name of the source.'),
  kind,
  note: textOrNull('A note; null: none.'),
  release_at: timeOrNull('When all its claims are dropped, unless the source keeps them; null: not.'),
  created_at: time('When it was first named.'),
  claims: count('How many addresses it claims.'),
  alone: count('How many of them no other source claims: they would be unblocked without it.'),
  last_claimed_at: timeOrNull('When it made its newest claim, which it may have dropped since; null: none is known.'),
});
export type Source = Static<typeof Source>;

const Sources = model('Sources', 'All sources.', { items: listOf(Source, 'The entries.') });

const sshd = {
  name: 'fail2ban:sshd',
  kind: 'agent',
  note: null,
  release_at: null,
  created_at: '2026-11-20T12:30:00.000Z',
  claims: 1,
  alone: 0,
  last_claimed_at: '2026-11-20T12:30:00.000Z',
} satisfies Source;
const drop = {
  name: 'drop',
  kind: 'list',
  note: 'Spamhaus DROP',
  release_at: null,
  created_at: '2026-11-20T12:30:00.000Z',
  claims: 0,
  alone: 0,
  last_claimed_at: null,
} satisfies Source;
const params = Type.Object({ name: sourceName('The name of the source.') });
const ofOthers = 'Needs the scope `admin`, or a key that is bound to the source.';

export const listSources = operation({
  id: 'listSources',
  method: 'GET',
  path: '/api/sources',
  access: 'read',
  audit: null,
  tag,
  summary: 'List the sources',
  description:
    'Who wants addresses blocked. An address is blocked while at least one source claims it. The counts are exact, claims that have just ended included, and cost the same however many entries there are.',
  answers: { 200: { description: 'The sources, the oldest first.', schema: Sources } },
  examples: {
    all: {
      summary: 'The operator and fail2ban',
      answer: {
        items: [
          {
            name: 'manual',
            kind: 'manual',
            note: null,
            release_at: null,
            created_at: '2026-11-20T12:00:00.000Z',
            claims: 3,
            alone: 2,
            last_claimed_at: '2026-11-20T12:00:00.000Z',
          },
          sshd,
        ],
      },
    },
  },
});

export const getSource = operation({
  id: 'getSource',
  method: 'GET',
  path: '/api/sources/:name',
  access: 'read',
  audit: null,
  tag,
  summary: 'Get one source',
  description: 'With its counts, as in the list of all sources.',
  params,
  answers: { 200: { description: 'The source.', schema: Source } },
  codes: [codes.NotFound],
  examples: { sshd: { summary: 'A jail of fail2ban', path: { name: 'fail2ban:sshd' }, answer: sshd } },
});

const SourceRequest = requestModel(
  'SourceRequest',
  'The kind and note of a source.',
  'a JSON object with kind, note, or empty',
  {
    kind: Type.Optional(oneOf(['agent', 'list'], 'Absent: kept; of a new source `list`. Not for `manual`.')),
    note: Type.Optional(lineOfTextOrNull(0, 500, 'A note. Absent: kept; null: none.')),
  },
);

export const setSource = operation({
  id: 'setSource',
  method: 'PUT',
  path: '/api/sources/:name',
  access: 'admin',
  audit: 'set_source',
  tag,
  summary: 'Set the kind and note of a source',
  description:
    'Creates the source if it is new. Its claims do not change. The kind decides whether an unblock that names no source drops them.',
  params,
  body: SourceRequest,
  answers: {
    200: { description: 'The source as it is now.', schema: Source },
    201: { description: 'The source is created.', schema: Source },
  },
  codes: [codes.ManualSource, codes.Conflict],
  examples: {
    list: {
      summary: 'A list, before it is sent for the first time',
      path: { name: 'drop' },
      body: { kind: 'list', note: 'Spamhaus DROP' },
      status: 201,
      answer: drop,
    },
  },
});

const RemovedSource = model('RemovedSource', 'What was dropped.', {
  name: text('The name of the source.'),
  claims_dropped: count('How many claims it had.'),
  removed: count('How many addresses are no longer blocked: those that no other source claims.'),
  ...runtimeReportFields,
});
export type RemovedSource = Static<typeof RemovedSource>;

export const removeSource = operation({
  id: 'removeSource',
  method: 'DELETE',
  path: '/api/sources/:name',
  access: 'admin',
  audit: 'remove_source',
  tag,
  summary: 'Remove a source and drop all its claims',
  description: `Addresses that other sources claim stay blocked. A claim that is made meanwhile stays, and so does then the source. ${durable}`,
  params,
  answers: { 200: { description: 'The source is removed.', schema: RemovedSource } },
  codes: [codes.NotFound, codes.ManualSource, ...changeCodes],
  members: changeMembers,
  examples: {
    sshd: {
      summary: 'A jail that is no longer used',
      path: { name: 'fail2ban:sshd' },
      answer: { name: 'fail2ban:sshd', claims_dropped: 1, removed: 0, ...report },
    },
  },
});

/** A year: more is a mistake. */
const longestReleaseSeconds = 31_536_000;

const ReleasedSource = model('ReleasedSource', 'What is released, and when.', {
  name: text('The name of the source.'),
  claims: count('How many claims it has.'),
  release_at: time('When they are dropped.'),
});
export type ReleasedSource = Static<typeof ReleasedSource>;

export const releaseSource = operation({
  id: 'releaseSource',
  method: 'POST',
  path: '/api/sources/:name/release',
  access: 'block',
  audit: 'release',
  tag,
  summary: 'Drop all claims of a source later',
  description: `For an agent that stops, and may be back soon: until the time has passed all its addresses stay blocked, and \`keep\` takes the release back. Claims made meanwhile are dropped too. A second release replaces the first. The time is stored: a service that is not running then drops the claims when it starts. ${ofOthers}`,
  params,
  body: requestModel('ReleaseRequest', 'When to drop the claims.', 'a JSON object with after_seconds', {
    after_seconds: Type.Integer({
      minimum: 0,
      maximum: longestReleaseSeconds,
      description: 'In how many seconds.',
      mustBe: `a whole number from 0 to ${longestReleaseSeconds}`,
    }),
  }),
  answers: { 200: { description: 'The release is stored.', schema: ReleasedSource } },
  codes: [codes.Forbidden, codes.NotFound, codes.ManualSource],
  examples: {
    stop: {
      summary: 'fail2ban stops',
      path: { name: 'fail2ban:sshd' },
      body: { after_seconds: 600 },
      answer: { name: 'fail2ban:sshd', claims: 1, release_at: '2026-11-20T12:40:00.000Z' },
    },
  },
});

const KeptSource = model('KeptSource', 'Whether the source still has its claims.', {
  name: text('The name of the source.'),
  claims: count('How many claims it has.'),
  kept: flag(
    'No release and no removal dropped its claims. False, also if it is repeated, until the agent claims again, as it must; false also if it has never had any.',
  ),
});
export type KeptSource = Static<typeof KeptSource>;

export const keepSource = operation({
  id: 'keepSource',
  method: 'POST',
  path: '/api/sources/:name/keep',
  access: 'block',
  audit: 'keep',
  tag,
  summary: 'Keep the claims of a source',
  description: `For an agent that starts: takes back a release that is not due. What the agent claims from now on stays, even if a release is just dropping its earlier claims. A source that does not exist is not created. ${ofOthers}`,
  params,
  answers: { 200: { description: 'The release is taken back.', schema: KeptSource } },
  codes: [codes.Forbidden, codes.ManualSource],
  examples: {
    start: {
      summary: 'fail2ban is back',
      path: { name: 'fail2ban:sshd' },
      answer: { name: 'fail2ban:sshd', claims: 1, kept: true },
    },
  },
});

export const sourceOperations = [listSources, getSource, setSource, removeSource, releaseSource, keepSource] as const;
