// The records of certificates that an authority issues.
import Type, { type Static } from 'typebox';
import {
  count,
  described,
  listOf,
  model,
  oneOf,
  orNull,
  plainName,
  requestModel,
  text,
  textOrNull,
  texts,
  time,
  timeOrNull,
} from './schema.ts';

const mostNames = 100;
const challengeTypes = ['http-01', 'dns-01'] as const;

export const AcmeRequest = requestModel(
  'AcmeRequest',
  'The names that a certificate is to be for.',
  'a JSON object with names',
  {
    names: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
      minItems: 1,
      maxItems: mostNames,
      description: 'Host names, each once; the first names the certificate.',
      mustBe: `1 to ${mostNames} host names`,
      examples: [['shop.example.com', 'www.shop.example.com']],
    }),
    challenge: Type.Optional(
      oneOf(
        challengeTypes,
        'How the names are validated. Default: `dns-01` if one is a wildcard, otherwise `http-01`. By `dns-01` a hook creates TXT records (`PROXY_MANAGER_ACME_DNS_HOOK`), and the names need not lead to this HAProxy.',
      ),
    ),
    profile: Type.Optional(plainName('A profile of the authority. Default: that of the settings.', 'shortlived')),
  },
);

const AcmeSubproblem = model('AcmeSubproblem', 'A problem of one name.', {
  name: textOrNull('The name; null: none was stated.'),
  type: text('As `type` of the problem.'),
  detail: text('In the words of the authority.'),
});

export const AcmeProblem = model('AcmeProblem', 'Why a certificate is not issued.', {
  class: oneOf(
    ['will retry', 'needs attention', 'limited'],
    '`will retry`: the order is repeated after 10 minutes to 24 hours. `needs attention`: correct something first; it is repeated every 24 hours, more often when the certificate expires soon, and after a restart with other settings. `limited`: not before a time.',
  ),
  type: text(
    'An ACME error without `urn:ietf:params:acme:error:`, or `unreachable`, `limit`, `wait`, `challenge`, `clock`, `key`, `certificate` or `internal`.',
  ),
  detail: text('In the words of the authority, if it is its problem.'),
  subproblems: listOf(AcmeSubproblem, 'Of single names.'),
  advice: textOrNull('What to do; null: nothing is known.'),
  at: time('When it was seen.'),
});

const states = ['planned', 'created', 'showing', 'told', 'finalizing', 'issued', 'stored', 'failed'] as const;

export const AcmeAttempt = model('AcmeAttempt', 'One order.', {
  state: oneOf(
    states,
    '`planned`, `created`: at the authority. `showing`, `told`: HAProxy answers the challenges. `finalizing`: the certificate is asked for. `issued`: it is fetched. `stored`: done.',
  ),
  directory: text('The URL of the authority.'),
  began_at: time('When the order began.'),
  ended_at: timeOrNull('When it ended; null: it is open.'),
  problem: orNull(AcmeProblem, 'Why it failed, or what it waits for; null: nothing is wrong.'),
});

export const AcmeCertificate = model('AcmeCertificate', 'A certificate that an authority issues and renews.', {
  id: text('The id; that of the certificate, once it is issued.'),
  names: texts('What it is for.'),
  challenge: oneOf(challengeTypes, 'How the names are validated.'),
  profile: textOrNull('The profile that was asked for; null: that of the settings.'),
  directory: text('The URL of the authority of the last version, or of the first order.'),
  not_after: timeOrNull('When the certificate expires; null: none was issued yet.'),
  due_at: time('When the next order is due.'),
  due_by: oneOf(
    ['request', 'age', 'ari', 'retry', 'limit'],
    'Why then: it was requested, the age of the certificate, the time that the authority named, a failure, or a limit.',
  ),
  failures: count('How many orders failed in succession.'),
  problem: orNull(AcmeProblem, 'Why it is not issued; null: nothing is wrong.'),
  attempts: listOf(AcmeAttempt, 'The last orders, the newest first, at most 20.'),
});

const AcmePause = model('AcmePause', 'What the authority is not asked for.', {
  directory: text('The URL of the authority.'),
  scope: oneOf(['orders', 'requests'], '`orders`: new ones. `requests`: anything.'),
  until: time('Until when.'),
  problem: described(AcmeProblem, 'Why.'),
});

export const AcmeStatus = model('AcmeStatus', 'The authority, and what is due.', {
  directory: text('The URL of the authority for new orders.'),
  account: textOrNull('The URL of the account; null: it is made with the first order.'),
  pauses: listOf(AcmePause, 'Those in force.'),
  total: count('How many certificates the service orders and renews.'),
  failing: count('How many of these have a problem.'),
  next: listOf(AcmeCertificate, 'Those that are due first, at most 100, without their orders.'),
});

export const AcmeRemoved = model('AcmeRemoved', 'What is not ordered any more.', { id: text('The id.') });

export type AcmeRequest = Static<typeof AcmeRequest>;
export type AcmeProblem = Static<typeof AcmeProblem>;
export type AcmeAttempt = Static<typeof AcmeAttempt>;
export type AcmeCertificate = Static<typeof AcmeCertificate>;
export type AcmeStatus = Static<typeof AcmeStatus>;
