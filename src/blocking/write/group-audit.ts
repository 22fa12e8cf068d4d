import type { BlockedIp } from '../../api/blocked-entries.ts';
import type { Caller } from '../../api/caller.ts';
import { type AuditNote, noteOf } from '../../store/audit-rows.ts';
import type { BlockedEffect, GroupAudit, NamedStep } from '../../store/blocked-ips-store.ts';

type BlockedRemoval = Exclude<BlockedEffect, { op: 'add' }>;

/** The other addresses of a group, and the other claims to an address, are only counted. */
const namedOfGroup = 20;

export interface GroupAuthor {
  readonly operation: string;
  /** Null: the service itself. */
  readonly caller: Caller | null;
  readonly written?: (id: number) => void;
  /** Whose claims it changes; absent: those of several sources. */
  readonly source?: string | undefined;
}

/** One row for all changes of a request; none if there was nothing to remove. */
export function groupAudit({ operation, caller, written, source }: GroupAuthor, changes: number): GroupAudit {
  return {
    changes,
    // An expired claim is not undone.
    records: (steps) => caller !== null && (changes > 1 || steps > namedOfGroup),
    note: (effects, steps) => {
      const done = effects.filter((effect) => effect.op === 'add' || removedRow(effect) !== null);
      if (done.length === 0) return null;
      const single = changes === 1 && caller !== null;
      return noteOf(
        operation,
        caller,
        single
          ? aboutOne(done[0]!, steps, source)
          : { details: { ...countsOf(done), ...(source !== undefined && { source }) } },
      );
    },
    written: (id) => {
      caller?.audited?.(id);
      written?.(id);
    },
  };
}

/** The claim that was made, and the former one; of a removal those that were dropped. It is what an undo needs. */
function aboutOne(
  effect: BlockedEffect,
  steps: readonly NamedStep[],
  source?: string,
): Pick<AuditNote, 'ipAddress' | 'details'> {
  if (effect.op === 'add') {
    const [step] = steps;
    const { ip_address: ipAddress } = effect.row;
    const { reason, blocked_by, expires_at } = step?.after ?? effect.row;
    const of = source === undefined ? {} : { source };
    const details = { created: effect.created, reason, blocked_by, expires_at, ...of };
    if (step?.after === null || step === undefined) return { ipAddress, details };
    const was = step.before === null ? {} : { was: step.before };
    return { ipAddress, details: { ...details, source: step.sourceName, claimed_at: step.after.claimed_at, ...was } };
  }
  const { ip_address: ipAddress, blocked_at, ...said } = removedRow(effect)!;
  const dropped = steps.map(({ sourceName, before }) => ({ source: sourceName, ...before }));
  const more = dropped.length - namedOfGroup;
  return {
    ipAddress,
    details: {
      ...said,
      blocked_at,
      ...(source !== undefined && { source }),
      ...(dropped.length > 0 && { dropped: dropped.slice(0, namedOfGroup) }),
      ...(more > 0 && { dropped_total: dropped.length }),
    },
  };
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
