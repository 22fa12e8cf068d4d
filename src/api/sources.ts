import Type, { type Static } from 'typebox';
import { operation } from './operation.ts';
import { count, listOf, model, oneOf, text, textOrNull, time, timeOrNull } from './schema.ts';

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
  created_at: time('When it was first named.'),
  claims: count('How many addresses it claims.'),
  alone: count('How many of them no other source claims: they would be unblocked without it.'),
  last_claimed_at: timeOrNull('When it made the newest of these claims; null: it has none.'),
});
export type Source = Static<typeof Source>;

const Sources = model('Sources', 'All sources.', { items: listOf(Source, 'The entries.') });

export const listSources = operation({
  id: 'listSources',
  method: 'GET',
  path: '/api/sources',
  access: 'read',
  audit: null,
  tag,
  summary: 'List the sources',
  description:
    'Who wants addresses blocked. An address is blocked while at least one source claims it. The counts are read from all entries, which takes 0.7 s for a million.',
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
            created_at: '2026-11-20T12:00:00.000Z',
            claims: 3,
            alone: 2,
            last_claimed_at: '2026-11-20T12:00:00.000Z',
          },
          {
            name: 'fail2ban:sshd',
            kind: 'agent',
            note: null,
            created_at: '2026-11-20T12:30:00.000Z',
            claims: 1,
            alone: 0,
            last_claimed_at: '2026-11-20T12:30:00.000Z',
          },
        ],
      },
    },
  },
});

export const sourceOperations = [listSources] as const;
