// What a change did to claims, so that it can be undone.

import type { BlockedIp } from '../api/blocked-entries.ts';
import { type Claim, isExpired } from './blocked-changes.ts';
import type { Claimed } from './claims.ts';

/** What a claim says, besides its address and source. */
export interface Said {
  readonly reason: string | null;
  readonly blocked_by: string | null;
  readonly claimed_at: string;
  readonly expires_at: string | null;
}

/** One claim before and after a change; null: there was none. */
export interface ClaimStep {
  readonly ip_address: string;
  readonly source: number;
  readonly before: Said | null;
  readonly after: Said | null;
}

/** Claims that had ended by `now` count as absent. */
export function stepsBetween(text: string, before: Claimed | null, after: Claimed | null, now: string): ClaimStep[] {
  if (before === after) return [];
  const had = before?.claims.filter(({ row }) => !isExpired(row, now)) ?? [];
  const has = after?.claims ?? [];
  const steps: ClaimStep[] = [];
  for (const { source, row } of had) {
    const now = claimOf(has, source);
    if (now?.row === row || (now !== undefined && isSame(said(now.row), said(row)))) continue;
    steps.push({ ip_address: text, source, before: said(row), after: now === undefined ? null : said(now.row) });
  }
  for (const { source, row } of has) {
    if (claimOf(had, source) === undefined) steps.push({ ip_address: text, source, before: null, after: said(row) });
  }
  return steps;
}

export function said({ reason, blocked_by, blocked_at, expires_at }: BlockedIp): Said {
  return { reason, blocked_by, claimed_at: blocked_at, expires_at };
}

export function isSame(a: Said, b: Said): boolean {
  return saysSame(a, b) && a.claimed_at === b.claimed_at;
}

/** Whenever it was claimed. */
export function saysSame(a: Said, b: Said): boolean {
  return a.reason === b.reason && a.blocked_by === b.blocked_by && a.expires_at === b.expires_at;
}

/** Several changes of one claim become one. */
export function joinedSteps(steps: readonly ClaimStep[]): ClaimStep[] {
  const joined = new Map<string, ClaimStep>();
  for (const step of steps) {
    const name = `${step.ip_address} ${step.source}`;
    const first = joined.get(name);
    joined.set(name, first === undefined ? step : { ...first, after: step.after });
  }
  return [...joined.values()];
}

function claimOf(claims: readonly Claim[], of: number): Claim | undefined {
  return claims.find(({ source }) => source === of);
}
