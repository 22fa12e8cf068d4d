// The event types of the service, in groups and with plain names.
import type { EventType } from '../../live/service-event.ts';

/** Of each type, what happened. */
const named = {
  'Attacks and candidates': {
    'attack.started': 'Attack started',
    'attack.ended': 'Attack ended',
    'candidate.found': 'Candidate found',
  },
  'Blocked addresses': {
    'entry.blocked': 'Address blocked',
    'entry.unblocked': 'Address unblocked',
    'entry.expired': 'Block expired',
    'entries.changed': 'Bulk change or list',
    'sync.done': 'Entries verified',
  },
  'Trusted addresses': {
    'trust.added': 'Address trusted',
    'trust.removed': 'Trust removed',
    'trust.expired': 'Trust expired',
  },
  'HAProxy and the service': {
    'health.changed': 'Health changed',
    'reload.started': 'Reload started',
    'reload.completed': 'Reload completed',
    'reload.failed': 'Reload failed',
    'drift.seen': 'Drift in a worker',
    'drift.repaired': 'Drift repaired',
    'worker.appeared': 'Worker started',
    'worker.gone': 'Worker ended',
    'service.started': 'Service started',
    'service.stopping': 'Service stopping',
  },
  Certificates: {
    'certificate.installed': 'Certificate uploaded',
    'certificate.issued': 'Certificate issued',
    'certificate.expiring': 'Certificate expires soon',
    'certificate.expired': 'Certificate expired',
    'certificate.failing': 'Order failed',
    'certificate.repaired': 'Certificate repaired',
    'certificate.removed': 'Certificate removed',
    'acme.paused': 'Authority paused',
  },
  'Sites and upstreams': {
    'site.set': 'Site saved',
    'site.removed': 'Site removed',
    'site.down': 'Site down',
    'site.up': 'Site up again',
    'upstream.set': 'Upstream saved',
    'upstream.removed': 'Upstream removed',
  },
  'Counting and sources': {
    'insight.gap': 'Requests not counted',
    'counting.incomplete': 'Counting tables missing',
    'counting.complete': 'Counting tables complete',
    'source.useless': 'List without a match',
  },
  'Keys and webhooks': {
    'key.created': 'Key created',
    'key.revoked': 'Key revoked',
    'key.expiring': 'Key expires soon',
    'key.expired': 'Key expired',
    'webhook.set': 'Webhook saved',
    'webhook.removed': 'Webhook removed',
    'webhook.failing': 'Webhook fails',
    'webhook.recovered': 'Webhook works again',
  },
} as const satisfies Readonly<Record<string, Partial<Readonly<Record<EventType, string>>>>>;

interface EventGroup {
  readonly label: string;
  readonly events: readonly { readonly type: string; readonly name: string }[];
}

export const eventGroups: readonly EventGroup[] = Object.entries(named).map(([label, events]) => ({
  label,
  events: Object.entries(events).map(([type, name]) => ({ type, name })),
}));
