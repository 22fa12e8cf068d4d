import Type, { type Static } from 'typebox';
import { addressText, addressParams as params } from './changes.ts';
import { operation } from './operation.ts';
import { count, flagOrNull, listOf, model, oneOf, pid, text, textOrNull, texts, timeOrNull } from './schema.ts';
import { Claim } from './sources.ts';

const tag = 'Blocked addresses';

const WorkerVerdict = model('WorkerVerdict', 'The verdict of one worker for this address.', {
  pid: pid('The process id of the worker.'),
  verdict: oneOf(['blocked', 'trusted', 'allowed'], 'Its verdict for this address.'),
});
export type WorkerVerdict = Static<typeof WorkerVerdict>;

const CheckAnswer = model('CheckAnswer', 'The verdict for a client with this address.', {
  ip_address: text(addressText),
  upstream: Type.Optional(
    text(
      'The upstream to which the address belongs; absent: none. It is served itself, and the verdict applies to a client with this address that an upstream names.',
    ),
  ),
  verdict: oneOf(
    ['blocked', 'trusted', 'allowed', 'partly'],
    '`blocked`: denied with 403. `trusted`: never denied. `allowed`: no entry covers it. `partly`: a network with blocked entries inside that no entry covers completely.',
  ),
  by: textOrNull('The entry that decides; null: none does.'),
  reason: textOrNull('The reason or note of that entry.'),
  expires_at: timeOrNull('When that entry expires; null: never, or there is no entry.'),
  claims: Type.Optional(
    listOf(
      Claim,
      'All claims to the blocked entry that decides, the one that ends last first; absent if only `manual` claims it.',
    ),
  ),
  enforced: flagOrNull(
    'True: every live worker gives the same verdict. False: at least one gives another. Null: no worker answered, or the verdict is `partly`.',
  ),
  blocked_inside: texts(
    'Blocked entries inside a network that no entry covers completely, the first 100 in the order of addresses.',
  ),
  blocked_inside_total: count('How many blocked entries are inside.'),
  workers: listOf(WorkerVerdict, 'Every worker that answered.'),
});
export type CheckAnswer = Static<typeof CheckAnswer>;

export const checkAddress = operation({
  id: 'checkAddress',
  method: 'GET',
  path: '/api/check/:ip_address',
  access: 'read',
  audit: null,
  tag,
  summary: 'Check whether a client is denied, and why',
  description:
    'From the database and the running HAProxy: which entry decides, and whether the workers give the same verdict. For a network that no entry covers completely, `blocked_inside` lists the blocked entries inside; the verdict is then `partly`, and no lookup in a worker can answer for the complete network.',
  params,
  answers: { 200: { description: 'The verdict.', schema: CheckAnswer } },
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
});
