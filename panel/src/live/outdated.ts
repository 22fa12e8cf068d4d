// Which of what the panel shows is old when something happened.
import type { ServiceEvent } from './service-event.ts';

/** First words of the query keys (the API layer's) that an event makes old. */
export const outdatedBy: Readonly<Record<string, readonly string[]>> = {
  // Health is asked every two seconds anyway, and costs the service a look at every worker: no block asks for it.
  entry: ['blocked-ips', 'blocked-ip', 'check'],
  entries: ['blocked-ips', 'blocked-ip', 'check'],
  sync: ['blocked-ip', 'check'],
  drift: ['health', 'blocked-ip', 'check'],
  reload: ['health', 'config', 'reloads', 'backups', 'site-servers'],
  trust: ['trusted-ips', 'check'],
  site: ['sites', 'site-servers', 'config'],
  key: ['keys'],
  webhook: ['webhooks'],
  health: ['health'],
  worker: ['health', 'blocked-ip', 'check'],
  service: ['health'],
};

/** Null: all of it. */
export function outdated(events: readonly ServiceEvent[]): ReadonlySet<string> | null {
  const keys = new Set<string>();
  for (const { type } of events) {
    // What was missed may have been anything.
    if (type === 'gap') return null;
    for (const key of outdatedBy[type.split('.')[0] as string] ?? []) keys.add(key);
  }
  return keys;
}
