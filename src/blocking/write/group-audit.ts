import type { BlockedIp } from '../../api/blocked-ips.ts';
import type { Caller } from '../../api/caller.ts';
import { type AuditNote, noteOf } from '../../store/audit-rows.ts';
import type { BlockedEffect, GroupAudit } from '../../store/blocked-ips-store.ts';

type BlockedRemoval = Exclude<BlockedEffect, { op: 'add' }>;

/** The other addresses of a group are only counted. */
const namedOfGroup = 20;

export interface GroupAuthor {
  readonly operation: string;
  /** Null: the service itself. */
  readonly caller: Caller | null;
  readonly written?: (id: number) => void;
}

/** One row for all changes of a request; none if there was nothing to remove. */
export function groupAudit({ operation, caller, written }: GroupAuthor, changes: number): GroupAudit {
  return {
    changes,
    note: (effects) => {
      const done = effects.filter((effect) => effect.op === 'add' || removedRow(effect) !== null);
      if (done.length === 0) return null;
      const single = changes === 1 && caller !== null;
      return noteOf(operation, caller, single ? aboutOne(done[0]!) : { details: countsOf(done) });
    },
    written: (id) => {
      caller?.audited?.(id);
      written?.(id);
    },
  };
}

/** The row of a removal records the entry: its author, time, reason and expiry. */
function aboutOne(effect: BlockedEffect): Pick<AuditNote, 'ipAddress' | 'details'> {
  if (effect.op === 'add') {
    const { ip_address: ipAddress, reason, blocked_by, expires_at } = effect.row;
    return { ipAddress, details: { created: effect.created, reason, blocked_by, expires_at } };
  }
  const { ip_address: ipAddress, ...was } = removedRow(effect)!;
  return { ipAddress, details: was };
}

function countsOf(effects: readonly BlockedEffect[]): Record<string, unknown> {
  const added = effects.filter((effect) => effect.op === 'add' && effect.created).length;
  const updated = effects.filter((effect) => effect.op === 'add' && !effect.created && effect.changed).length;
  const removed = effects.filter((effect) => effect.op !== 'add' && effect.removed !== null).length;
  const texts = effects.slice(0, namedOfGroup).map(textOf);
  return { added, updated, removed, unchanged: effects.length - added - updated - removed, ip_addresses: texts };
}

function textOf(effect: BlockedEffect): string {
  return effect.op === 'add' ? effect.row.ip_address : removedRow(effect)!.ip_address;
}

/** Of an address that other claims still block: the dropped claim. */
function removedRow(effect: BlockedRemoval): BlockedIp | null {
  return effect.removed ?? effect.dropped?.[0] ?? null;
}
