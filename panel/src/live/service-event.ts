import { type Events, type EventType, eventTypes } from '../../../src/events/event-types.ts';

export type { EventType } from '../../../src/events/event-types.ts';

/**
 * The members of an event. Each may be absent: some are for administrators only, and the service may be of another
 * version than the page.
 */
export type EventData<Type extends EventType = EventType> = Partial<Events[Type]>;

interface EventHead {
  readonly id: string;
  /** ISO 8601; of a gap, when this page received it. */
  readonly at: string;
}

export type KnownEvent<Type extends EventType = EventType> = {
  readonly [T in Type]: EventHead & { readonly type: T; readonly data: EventData<T> };
}[Type];

type Gap = EventHead & { readonly type: 'gap' };

type UnknownEvent = EventHead & { readonly type: 'unknown'; readonly name: string; readonly data: object };

export type ServiceEvent = KnownEvent | Gap | UnknownEvent;

/** Null: not in the documented form. */
export function readServiceEvent(text: string, receivedAt: number): ServiceEvent | null {
  const read = parseRecord(text);
  const { id, type, at = new Date(receivedAt).toISOString(), data } = read ?? {};
  if (typeof id !== 'string' || typeof type !== 'string' || typeof at !== 'string' || !isRecord(data)) return null;
  if (type === 'gap') return { id, at, type };
  // The type determines what `data` may have (EventData).
  return isEventType(type) ? ({ id, at, type, data } as KnownEvent) : { id, at, type: 'unknown', name: type, data };
}

function parseRecord(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const read: unknown = JSON.parse(text);
    return isRecord(read) ? read : null;
  } catch {
    // The caller ignores what is not an event; the next one is read as usual.
    return null;
  }
}

function isEventType(type: string): type is EventType {
  return (eventTypes as readonly string[]).includes(type);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
