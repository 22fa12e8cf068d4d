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
  ['delivering', 'a delivery succeeded since it was saved', { last_success_at: at(11) }],
  ['delivering', 'a delivery succeeded after a failure', { last_success_at: at(30), ...failed }],
  ['untried', 'nothing was delivered', {}],
  ['untried', 'the last delivery was before its last change', { last_success_at: at(9) }],
  [
    'failing',
    'the last delivery failed and will be retried',
    { last_success_at: at(11), ...failed, next_attempt_at: at(21) },
  ],
  ['failing', 'a delivery is being retried', { ...failed, failing_since: at(20) }],
  ['failing', 'a delivery failed after the last success', { last_success_at: at(11), ...failed }],
  ['disabled', 'it is disabled', { enabled: false, last_success_at: at(11), ...failed }],
] as const)('is %s when %s', (state, _, facts) => {
  expect(webhookState(hook(facts))).toBe(state);
});

it('shows a failure only until the next success', () => {
  expect(lastFailure(hook(failed))).toBe('it answered 500');
  expect(lastFailure(hook({ ...failed, last_success_at: at(21) }))).toBeNull();
  expect(lastFailure(hook({}))).toBeNull();
});

it('shows the origin of a URL without possible secrets', () => {
  expect(shownUrl('https://hooks.example.com/services/T0/B0/s3cret?token=x')).toBe('https://hooks.example.com/…');
  expect(shownUrl('http://127.0.0.1:9000/')).toBe('http://127.0.0.1:9000');
});

it('names a few events and counts the others', () => {
  expect(eventsWords(null)).toBe('All events');
  expect(eventsWords(['a', 'b', 'c', 'd'])).toBe('a, b, c, d');
  expect(eventsWords(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c and 2 more');
});
