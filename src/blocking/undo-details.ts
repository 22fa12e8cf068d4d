// What the audit log says about a change of a single address is enough to undo it.

import type { AuditRecord } from '../api/audit.ts';
import type { ClaimStep, Said } from '../store/claim-steps.ts';
import type { NamedSource } from './sources.ts';

/** Null: an earlier version wrote it, it changed nothing, or a source does not exist any more. */
export function singleSteps(
  { ip_address: ip, details, operation }: Pick<AuditRecord, 'ip_address' | 'details' | 'operation'>,
  sources: ReadonlyMap<number, NamedSource>,
): readonly ClaimStep[] | null {
  if (ip === null || details === null || details['dropped_total'] !== undefined) return null;
  const numberOf = (name: unknown): number | undefined =>
    [...sources.values()].find((source) => source.name === name)?.id;
  const step = (name: unknown, before: Said | null, after: Said | null): ClaimStep | null => {
    const source = numberOf(name);
    return source === undefined ? null : { ip_address: ip, source, before, after };
  };
  const { dropped } = details;
  const steps = Array.isArray(dropped)
    ? dropped.map((claim) => step(claim.source, saidIn(claim), null))
    : [step(details['source'], saidIn(details['was']), saidIn(details))];
  if (operation !== 'unblock' && !Array.isArray(dropped) && saidIn(details) === null) return null;
  return steps.every((one) => one !== null) && steps.length > 0 ? steps : null;
}

function saidIn(value: unknown): Said | null {
  const { reason, blocked_by, claimed_at, expires_at } = (value ?? {}) as Partial<Said>;
  if (claimed_at === undefined) return null;
  return { reason: reason ?? null, blocked_by: blocked_by ?? null, claimed_at, expires_at: expires_at ?? null };
}
