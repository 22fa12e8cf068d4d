import type { Subject } from '../api/query-keys.ts';
import type { EventType, ServiceEvent } from './service-event.ts';

export type EventSubject = EventType extends infer Type
  ? Type extends `${infer First}.${string}`
    ? First
    : never
  : never;

const staleAfter: Readonly<Record<EventSubject, readonly Subject[]>> = {
  // Health is polled every few seconds and costs the service a check of every worker, so no block repeats it.
  entry: ['blocked-ips', 'blocked-ip', 'check'],
  entries: ['blocked-ips', 'blocked-ip', 'check'],
  sync: ['blocked-ip', 'check'],
  drift: ['health', 'blocked-ip', 'check', 'upstreams'],
  reload: [
    'health',
    'config',
    'reloads',
    'backups',
    'site-servers',
    'site-tls',
    'upstreams',
    'certificates',
    'notices',
  ],
  trust: ['trusted-ips', 'check'],
  upstream: ['upstreams', 'config', 'check'],
  site: ['sites', 'site-servers', 'site-tls', 'config', 'certificates'],
  certificate: ['certificates', 'acme', 'site-tls', 'health', 'notices'],
  acme: ['acme', 'health', 'notices'],
  key: ['api-keys'],
  webhook: ['webhooks'],
  health: ['health', 'notices'],
  worker: ['health', 'blocked-ip', 'check', 'upstreams', 'certificates'],
  service: ['health'],
  attack: ['insight', 'notices'],
  candidate: ['insight', 'notices'],
  counting: ['insight', 'health', 'notices'],
  insight: ['insight'],
  source: ['sources', 'insight', 'notices'],
};

export function eventSubject(type: EventType): EventSubject {
  return firstWord(type) as EventSubject;
}

/** Null: all of it. */
export function staleSubjects(events: readonly ServiceEvent[]): ReadonlySet<Subject> | null {
  const stale = new Set<Subject>();
  for (const event of events) {
    // The missed events may have changed anything.
    if (event.type === 'gap') return null;
    const subject = firstWord(event.type === 'unknown' ? event.name : event.type);
    if (isSubject(subject)) for (const one of staleAfter[subject]) stale.add(one);
  }
  return stale;
}

function firstWord(type: string): string {
  return type.split('.', 1)[0] ?? '';
}

function isSubject(word: string): word is EventSubject {
  return Object.hasOwn(staleAfter, word);
}
