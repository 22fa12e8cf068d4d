import { expect, it, test } from 'vitest';
import type { Webhook } from '../../api/types.ts';
import { eventsWords, lastFailure, shownUrl, webhookState } from './webhook-state.ts';

const at = (minute: number) => `2026-11-21T20:${String(minute).padStart(2, '0')}:00.000Z`;

function hook(facts: Partial<Webhook>): Webhook {
  return {
    id: 'chat',
    url: 'https://hooks.example.com/',
    events: null,
    enabled: true,
    created_at: at(0),
    updated_at: at(10),
    last_success_at: null,
    last_error: null,
    last_error_at: null,
    next_attempt_at: null,
    failing_since: null,
    pending: 0,
    missed: 0,
    ...facts,
  };
}

const failed = { last_error: 'it answered 500', last_error_at: at(20) };

test.each([
  ['delivers', 'a delivery was received since it was set', { last_success_at: at(11) }],
  ['delivers', 'one was received after a failure', { last_success_at: at(30), ...failed }],
  ['untried', 'none was yet', {}],
  ['untried', 'the last one was of before it was changed', { last_success_at: at(9) }],
  [
    'failing',
    'the last one failed and is tried again',
    { last_success_at: at(11), ...failed, next_attempt_at: at(21) },
  ],
  ['failing', 'one is under way that failed before', { ...failed, failing_since: at(20) }],
  ['failing', 'one failed after the last that was received', { last_success_at: at(11), ...failed }],
  ['off', 'it is switched off, whatever was before', { enabled: false, last_success_at: at(11), ...failed }],
] as const)('a webhook %s where %s', (state, _, facts) => {
  expect(webhookState(hook(facts))).toBe(state);
});

it('tells of a failure only until something is received', () => {
  expect(lastFailure(hook(failed))).toBe('it answered 500');
  expect(lastFailure(hook({ ...failed, last_success_at: at(21) }))).toBeNull();
  expect(lastFailure(hook({}))).toBeNull();
});

it('shows where it sends to, and nothing of what may be a secret', () => {
  expect(shownUrl('https://hooks.example.com/services/T0/B0/s3cret?token=x')).toBe('https://hooks.example.com/…');
  expect(shownUrl('http://127.0.0.1:9000/')).toBe('http://127.0.0.1:9000');
});

it('names few events, and counts the others', () => {
  expect(eventsWords(null)).toBe('Everything');
  expect(eventsWords(['a', 'b', 'c', 'd'])).toBe('a, b, c, d');
  expect(eventsWords(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c and 2 more');
});
