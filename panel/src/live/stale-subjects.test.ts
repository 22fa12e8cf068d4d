import { expect, it } from 'vitest';
import { eventTypes } from '../../../src/events/event-types.ts';
import { kindOf } from '../pages/activity/live/event-kinds.ts';
import { eventWords } from '../pages/activity/live/event-words.ts';
import { type EventType, type KnownEvent, readServiceEvent, type ServiceEvent } from './service-event.ts';
import { staleSubjects } from './stale-subjects.ts';

const head = { id: 'a-1', at: '2026-11-21T20:00:00Z' };
const event = (type: EventType) => ({ ...head, type, data: {} }) as KnownEvent;
const gap: ServiceEvent = { ...head, type: 'gap' };

it.each(eventTypes)('%s has a kind, a sentence, and refreshes what is shown of it', (type) => {
  expect(kindOf(type)).not.toBeNull();
  expect(eventWords(event(type)).words).not.toContain(type);
  expect(staleSubjects([event(type)])?.size).toBeGreaterThan(0);
});

it('refreshes what an event is about, and nothing else', () => {
  expect(staleSubjects([event('trust.added'), event('key.revoked'), event('webhook.set')])).toEqual(
    new Set(['trusted-ips', 'check', 'api-keys', 'webhooks']),
  );
});

it('refreshes everything after a gap', () => {
  expect(staleSubjects([event('entry.blocked'), gap])).toBeNull();
});

function unknown(type: string): ServiceEvent {
  const read = readServiceEvent(JSON.stringify({ ...head, type, data: { phase: 1 } }), 0);
  if (read === null) throw new Error('not read');
  return read;
}

it('shows an event of a newer service with its name', () => {
  expect(eventWords(unknown('moon.full'))).toEqual({ tone: 'unknown', words: 'moon.full {"phase":1}' });
});

it('refreshes what the first word of an unknown event is about', () => {
  expect(staleSubjects([unknown('entry.renamed')])).toEqual(staleSubjects([event('entry.blocked')]));
  expect(staleSubjects([unknown('webhook.paused')])).toEqual(new Set(['webhooks']));
});

it.each(['moon.full', 'moon', 'constructor.called'])('refreshes nothing for the unknown subject of %s', (type) => {
  expect(staleSubjects([unknown(type)])?.size).toBe(0);
});
