import { expect, it } from 'vitest';
import { eventTypes } from '../../../src/events/event-types.ts';
import { kindOf } from '../pages/activity/live/event-kinds.ts';
import { eventWords } from '../pages/activity/live/event-words.ts';
import { outdated, outdatedBy } from './outdated.ts';

const event = (type: string) => ({ id: 'a-1', type, at: '2026-11-21T20:00:00Z', data: {} });

it.each(eventTypes)('%s is known, about something, and told in words', (type) => {
  expect(Object.keys(outdatedBy)).toContain(type.split('.')[0]);
  expect(kindOf(type)).not.toBeNull();
  expect(eventWords(event(type)).words).not.toContain(type);
});

it('makes old what an event is about, and nothing else', () => {
  expect(outdated([event('trust.added'), event('key.revoked'), event('webhook.set')])).toEqual(
    new Set(['trusted-ips', 'check', 'keys', 'webhooks']),
  );
});

it('takes everything for old after a gap', () => {
  expect(outdated([event('entry.blocked'), event('gap')])).toBeNull();
});
