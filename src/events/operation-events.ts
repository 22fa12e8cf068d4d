import type { BulkOperation, Event } from './event-types.ts';
import type { DoneOperation, EntryEffect, EntryTotals } from './facts.ts';

/** More than these become one event with counts: the ring has room for some thousands. */
const mostOneByOne = 100;

export function eventsOf(done: DoneOperation): readonly Event[] {
  switch (done.operation) {
    case 'block':
    case 'unblock':
      return entryEvents(done.effects, done.caller.keyName, done.report.runtime_map_updated);
    case 'batch':
    case 'replace':
    case 'unblock_selected':
    case 'undo': {
      const { operation, subject, effects, report } = done;
      const by = done.caller.keyName;
      if (effects === undefined || effects.length > mostOneByOne) {
        return [totalsEvent(operation, subject, by, report.runtime_map_updated)];
      }
      return entryEvents(effects, by, report.runtime_map_updated);
    }
    case 'expire': {
      const { runtime_map_updated } = done.report;
      const { count } = done.subject;
      const totals = { added: 0, updated: 0, removed: count, unchanged: 0 };
      if (count > mostOneByOne) return [totalsEvent('expire', totals, null, runtime_map_updated)];
      return done.ip_addresses.map((ip_address) => ({
        type: 'entry.expired',
        data: { ip_address, runtime_map_updated },
      }));
    }
    case 'sync': {
      const { runtime_map_synced, total_ips, added, removed, reload_scheduled, duration_ms } = done.answer;
      const counts = { runtime_map_synced, total_ips, added, removed, reload_scheduled, duration_ms };
      return [{ type: 'sync.done', data: { ...counts, by: done.caller.keyName } }];
    }
    case 'trust': {
      const { created, note, expires_at, report, subject, caller } = done;
      const { runtime_map_updated } = report;
      const data = { ...subject, created, note, expires_at, by: caller.keyName, runtime_map_updated };
      return [{ type: 'trust.added', data }];
    }
    case 'distrust': {
      const { runtime_map_updated } = done.report;
      return [{ type: 'trust.removed', data: { ...done.subject, by: done.caller.keyName, runtime_map_updated } }];
    }
    case 'expire_trust': {
      const { runtime_map_updated } = done.report;
      return [{ type: 'trust.expired', data: { ...done.subject, runtime_map_updated } }];
    }
    case 'set_site': {
      const { subject, created, caller } = done;
      return [{ type: 'site.set', data: { ...subject, created, by: caller.keyName } }];
    }
    case 'set_site_tls':
      return [{ type: 'site.set', data: { ...done.subject, created: false, by: done.caller.keyName } }];
    case 'remove_site':
      return [{ type: 'site.removed', data: { ...done.subject, by: done.caller.keyName } }];
    case 'set_certificate': {
      const { subject, created, names, not_after, sha256, runtime_updated, caller } = done;
      const certificate = { id: subject.certificate, created, names, not_after, sha256 };
      return [{ type: 'certificate.installed', data: { ...certificate, by: caller.keyName, runtime_updated } }];
    }
    case 'remove_certificate': {
      const { subject, names, runtime_updated, caller } = done;
      const data = { id: subject.certificate, names, by: caller.keyName, runtime_updated };
      return [{ type: 'certificate.removed', data }];
    }
    case 'set_upstream': {
      const { subject, created, networks, report, caller } = done;
      const { runtime_map_updated } = report;
      const data = { name: subject.upstream, created, networks, by: caller.keyName, runtime_map_updated };
      return [{ type: 'upstream.set', data }];
    }
    case 'remove_upstream': {
      const { subject, report, caller } = done;
      const { runtime_map_updated } = report;
      return [{ type: 'upstream.removed', data: { name: subject.upstream, by: caller.keyName, runtime_map_updated } }];
    }
    case 'create_key':
      return [{ type: 'key.created', data: { ...done.subject, by: done.caller.keyName } }];
    case 'revoke_key':
      return [{ type: 'key.revoked', data: { ...done.subject, by: done.caller.keyName } }];
    case 'set_webhook': {
      const { subject, enabled, caller } = done;
      return [{ type: 'webhook.set', data: { id: subject.webhook, enabled, by: caller.keyName } }];
    }
    case 'remove_webhook':
      return [{ type: 'webhook.removed', data: { id: done.subject.webhook, by: done.caller.keyName } }];
    case 'remove_source':
    case 'drop_released': {
      const { removed } = done.subject;
      if (removed === 0) return [];
      const totals = { added: 0, updated: 0, removed, unchanged: 0 };
      // As the list of the source without any address would be.
      return [totalsEvent('replace', totals, done.caller?.keyName ?? null, done.report.runtime_map_updated)];
    }
    // The reload itself emits `reload.*`.
    case 'reload':
    case 'verify_certificate':
    case 'request_certificate':
    case 'renew_certificate':
    case 'stop_renewal':
    case 'bind_key':
    case 'set_source':
    case 'release':
    case 'keep':
    case 'restore_backup':
    case 'set_view':
    case 'remove_view':
    case 'ignore_candidate':
    case 'set_limits':
    case 'sign_in':
    case 'sign_out':
      return [];
  }
}

function entryEvents(effects: readonly EntryEffect[], by: string, runtime_map_updated: boolean): Event[] {
  return effects.flatMap((effect): Event[] => {
    if (effect.op === 'add') {
      const { ip_address, reason, blocked_by, expires_at } = effect.row;
      const entry = { ip_address, created: effect.created, reason, blocked_by, expires_at };
      return [{ type: 'entry.blocked', data: { ...entry, by, runtime_map_updated } }];
    }
    if (effect.removed === null) return [];
    return [{ type: 'entry.unblocked', data: { ip_address: effect.removed.ip_address, by, runtime_map_updated } }];
  });
}

function totalsEvent(
  operation: BulkOperation | 'expire',
  { added, updated, removed, unchanged }: EntryTotals,
  by: string | null,
  runtime_map_updated: boolean,
): Event {
  const data = { operation, added, updated, removed, unchanged, by, runtime_map_updated };
  return { type: 'entries.changed', data };
}
