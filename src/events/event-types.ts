// Which events there are, and which of their parts are for administrators only: what the API itself keeps from other keys
// (ADR 0024), names and scopes of keys, webhooks, and whatever HAProxy says of a configuration.
import type { Activities, ActivityType } from './facts.ts';

/** `null`: all of it is an administrator's; else the fields that are. */
const adminParts: { readonly [Type in ActivityType]: readonly (keyof Activities[Type])[] | null } = {
  'entry.blocked': [],
  'entry.unblocked': [],
  'entry.expired': [],
  'entries.changed': [],
  'sync.done': [],
  'drift.seen': [],
  'drift.repaired': [],
  'reload.started': ['reasons'],
  'reload.completed': [],
  'reload.failed': ['error'],
  'trust.added': [],
  'trust.removed': [],
  'trust.expired': [],
  'site.set': [],
  'site.removed': [],
  'key.created': null,
  'key.revoked': null,
  'webhook.set': null,
  'webhook.removed': null,
  'health.changed': [],
  'worker.appeared': [],
  'worker.gone': [],
  'service.started': [],
  'service.stopping': [],
};

export const eventTypes = Object.keys(adminParts) as readonly ActivityType[];

/** What others than administrators see of it; null: nothing. The same object where all of it is for everybody. */
export function publicPart<Type extends ActivityType>(
  type: Type,
  data: Activities[Type],
): Partial<Activities[Type]> | null {
  const hidden = adminParts[type];
  if (hidden === null) return null;
  if (hidden.length === 0) return data;
  return Object.fromEntries(
    Object.entries(data).filter(([name]) => !(hidden as readonly string[]).includes(name)),
  ) as Partial<Activities[Type]>;
}
