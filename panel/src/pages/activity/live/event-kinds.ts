import type { EventType, ServiceEvent } from '../../../live/service-event.ts';
import { type EventSubject, eventSubject } from '../../../live/stale-subjects.ts';

export const eventKinds = [
  { kind: 'blocking', label: 'Blocking' },
  { kind: 'trust', label: 'Trust' },
  { kind: 'configuration', label: 'Proxy' },
  { kind: 'keys', label: 'Keys and webhooks' },
  { kind: 'health', label: 'Health' },
] as const;

export type EventKind = (typeof eventKinds)[number]['kind'];

const kinds: Readonly<Record<EventSubject, EventKind>> = {
  entry: 'blocking',
  entries: 'blocking',
  sync: 'blocking',
  drift: 'blocking',
  trust: 'trust',
  upstream: 'configuration',
  site: 'configuration',
  certificate: 'configuration',
  acme: 'configuration',
  reload: 'configuration',
  key: 'keys',
  webhook: 'keys',
  health: 'health',
  worker: 'health',
  service: 'health',
  attack: 'blocking',
  candidate: 'blocking',
  counting: 'blocking',
  insight: 'blocking',
  source: 'blocking',
};

export function kindOf(type: EventType): EventKind {
  return kinds[eventSubject(type)];
}

/** Null: a gap or an event of a newer service, which no filter hides. */
export function kindOfEvent({ type }: ServiceEvent): EventKind | null {
  return type === 'gap' || type === 'unknown' ? null : kindOf(type);
}
