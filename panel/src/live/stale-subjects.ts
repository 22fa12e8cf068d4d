// Which cached data an event makes stale.
import type { Subject } from '../api/query-keys.ts';
import type { EventType, ServiceEvent } from './service-event.ts';

/** The first word of an event's type. */
export type EventSubject = EventType extends infer Type
  ? Type extends `${infer First}.${string}`
    ? First
    : never
  : never;

const staleAfter: Readonly<Record<EventSubject, readonly Subject[]>> = {
  // Health is polled every two seconds and costs the service a check of every worker, so no block repeats it.
  entry: ['blocked-ips', 'blocked-ip', 'check'],
  entries: ['blocked-ips', 'blocked-ip', 'check'],
  sync: ['blocked-ip', 'check'],
  drift: ['health', 'blocked-ip', 'check'],
  reload: ['health', 'config', 'reloads', 'backups', 'site-servers'],
  trust: ['trusted-ips', 'check'],
  site: ['sites', 'site-servers', 'config'],
  key: ['api-keys'],
  webhook: ['webhooks'],
  health: ['health'],
  worker: ['health', 'blocked-ip', 'check'],
  service: ['health'],
};

export function eventSubject(type: EventType): EventSubject {
  return type.slice(0, type.indexOf('.')) as EventSubject;
}

/** Null: all of it. */
export function staleSubjects(events: readonly ServiceEvent[]): ReadonlySet<Subject> | null {
  const stale = new Set<Subject>();
  for (const { type } of events) {
    // The missed events may have changed anything.
    if (type === 'gap') return null;
    if (type === 'unknown') continue;
    for (const subject of staleAfter[eventSubject(type)]) stale.add(subject);
  }
  return stale;
}
