import { expect, it } from 'vitest';
import type { AcmeCertificate, AcmeProblem } from '../../../api/types.ts';
import { dueWords, isUnderWay, namesIn, orderState, remedyWords } from './order-words.ts';

const now = Date.parse('2026-11-20T12:00:00.000Z');
const attempt = { state: 'told', directory: 'd', began_at: '', ended_at: null, problem: null } as const;
const certificate: AcmeCertificate = {
  id: 'c-a',
  names: ['shop.example'],
  challenge: 'http-01',
  profile: null,
  directory: 'd',
  not_after: '2027-01-01T00:00:00.000Z',
  due_at: '2026-12-01T00:00:00.000Z',
  due_by: 'ari',
  failures: 0,
  problem: null,
  attempts: [],
};
const problem = (kind: AcmeProblem['class']): AcmeProblem => ({
  class: kind,
  type: 'dns',
  detail: 'no such name',
  subproblems: [],
  advice: null,
  at: '',
});

it.each([
  [{}, 'good', 'Issued'],
  [{ not_after: null }, 'unknown', 'Not issued yet'],
  [{ not_after: null, attempts: [attempt] }, 'unknown', 'The authority validates the names'],
  [{ attempts: [{ ...attempt, ended_at: 'x' }] }, 'good', 'Issued'],
  [{ problem: problem('will retry') }, 'warn', 'Failed, will retry'],
  [{ problem: problem('limited') }, 'warn', 'Limit reached, will retry'],
  [{ problem: problem('needs attention'), not_after: null }, 'bad', 'Needs attention'],
  [{ problem: problem('needs attention'), attempts: [attempt] }, 'warn', 'Needs attention'],
] as const)('the state of %j is %s: %s', (changes, tone, words) => {
  expect(orderState({ ...certificate, ...(changes as Partial<AcmeCertificate>) })).toEqual({ tone, words });
});

it.each([
  [{}, /2026.*, as the authority suggests$/],
  [{ due_at: '2026-11-20T12:00:00.000Z', due_by: 'request' }, /^Now, as requested$/],
  [{ due_by: 'retry', failures: 1 }, /, after a failed order$/],
  [{ due_by: 'retry', failures: 3 }, /, after 3 failed orders$/],
] as const)('the next order of %j is due: %s', (changes, words) => {
  expect(dueWords({ ...certificate, ...(changes as Partial<AcmeCertificate>) }, now)).toMatch(words);
});

it('says what to do unless the service retries by itself', () => {
  expect(remedyWords({ ...problem('will retry'), advice: 'Open port 80.' })).toBe('Open port 80.');
  expect(remedyWords(problem('needs attention'))).toBe('Correct the cause, then renew.');
  expect(remedyWords(problem('limited'))).toBeNull();
});

it('an order is followed once it is due', () => {
  expect(isUnderWay(certificate, now)).toBe(false);
  expect(isUnderWay({ due_at: '2026-11-20T12:00:00.000Z' }, now)).toBe(true);
});

it('names may be separated by spaces, commas and lines', () => {
  expect(namesIn(' a.example, b.example\nc.example ;')).toEqual(['a.example', 'b.example', 'c.example']);
});
