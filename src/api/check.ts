import Type, { type Static } from 'typebox';
import { addressText } from './changes.ts';
import { operation } from './operation.ts';
import {
  count,
  flagOrNull,
  listOf,
  model,
  oneOf,
  pathText,
  pid,
  text,
  textOrNull,
  texts,
  timeOrNull,
} from './schema.ts';

const tag = 'Blocked addresses';
const params = Type.Object({ ip_address: pathText });

const WorkerVerdict = model('WorkerVerdict', 'What one worker does with this address.', {
  pid: pid('The process id of the worker.'),
  verdict: oneOf(['blocked', 'trusted', 'allowed'], 'What it does with this address.'),
});
export type WorkerVerdict = Static<typeof WorkerVerdict>;

const CheckAnswer = model('CheckAnswer', 'What happens to a client with this address.', {
  ip_address: text(addressText),
  verdict: oneOf(
    ['blocked', 'trusted', 'allowed', 'partly'],
    'What happens to the client: `blocked` is 403, `trusted` is never denied. `partly`: a network that no entry covers whole, with blocked entries inside.',
  ),
  by: textOrNull('The entry that decides; null where none does.'),
  reason: textOrNull('What that entry says about itself.'),
  expires_at: timeOrNull('When that entry ends; null: never, or there is none.'),
  enforced: flagOrNull(
    'Every live worker was seen to say the same; false: one says otherwise; null: none could be asked, or the verdict is `partly`.',
  ),
  blocked_inside: texts(
    'Blocked entries inside a network that no entry covers, the first 100 in the order of addresses.',
  ),
  blocked_inside_total: count('How many they are.'),
  workers: listOf(WorkerVerdict, 'Each worker that could be asked.'),
});
export type CheckAnswer = Static<typeof CheckAnswer>;

export const checkAddress = operation({
  id: 'checkAddress',
  method: 'GET',
  path: '/api/check/:ip_address',
  access: 'read',
  audit: null,
  tag,
  summary: 'Say whether a client is let in, and why',
  description:
    'From the database and from the running proxy: which entry decides, and whether the workers of the proxy say the same. Of a network that no entry covers whole, `blocked_inside` names the blocked entries inside; then no client decides for all of it, and the verdict is `partly`.',
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
