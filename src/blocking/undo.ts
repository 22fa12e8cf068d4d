// Undoes what an operation of the audit log did to claims: exactly, or not at all. Only these claims are changed, so
// what another source claims stays blocked, and what was changed since stays as it is.

import type { AuditRecord } from '../api/audit.ts';
import type { Caller } from '../api/caller.ts';
import type { StillTrusted, UndoAnswer, UndoneClaim } from '../api/undo.ts';
import { yieldToLoop } from '../concurrency/pause.ts';
import { count } from '../domain/counted.ts';
import { type IpEntry, parseIp } from '../domain/ip.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { type AuditedChange, auditedChange } from '../store/audit-rows.ts';
import type { AuditStore } from '../store/audit-store.ts';
import { isExpired } from '../store/blocked-changes.ts';
import type { BulkStore, StagedRow } from '../store/bulk-store.ts';
import { type ClaimStep, isSame, type Said, said, saysSame } from '../store/claim-steps.ts';
import { applyChange, type Claimed, furtherClaims, type Lists, MANUAL } from '../store/claims.ts';
import type { ClaimsStore } from '../store/claims-store.ts';
import { UNDO_KEPT, type UndoRecords } from '../store/undo-records.ts';
import { type ChangeCounts, countsOf, nothingChanged, runtimeReport } from './answers.ts';
import { type BulkPart, type BulkResult, type BulkRunner, type PartRows, sumOf } from './bulk/bulk-runner.ts';
import { type NamedSource, type Sources, sourceOf } from './sources.ts';
import { singleSteps } from './undo-details.ts';
import type { Admission } from './write/admission.ts';
import { hasStored, stored } from './write/change-failure.ts';
import type { EntryLimit } from './write/entry-limit.ts';
import type { Outcomes } from './write/outcomes.ts';

const undoable: ReadonlySet<string> = new Set(['block', 'unblock', 'batch', 'replace', 'unblock_selected', 'undo']);
const shown = 20;
/** Claims compared between two yields to the event loop. */
const comparedAtOnce = 1_000;

interface UndoDeps {
  readonly audit: Pick<AuditStore, 'get'>;
  readonly records: Pick<UndoRecords, 'find' | 'isBeingApplied' | 'read'>;
  readonly claims: Pick<ClaimsStore, 'claimedAmong'>;
  readonly sources: Pick<Sources, 'byNumber'>;
  readonly admission: Pick<Admission, 'trustInForce' | 'insideUpstream'>;
  readonly bulk: Pick<BulkRunner, 'runTogether'>;
  readonly total: Pick<BulkStore, 'currentTotal' | 'furtherClaims'>;
  readonly limit: EntryLimit;
  readonly outcomes: Pick<Outcomes, 'reportBulk'>;
  readonly now: () => Date;
}

/** What an undo of one claim would do now. */
type Verdict =
  /** `isOwn`: the step's source has the claim. Else only ended claims of others are left, which the change removes. */
  | { readonly kind: 'change'; readonly row: StagedRow & { readonly source: number }; readonly isOwn: boolean }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'changed-since' };

interface Judged {
  readonly step: ClaimStep;
  readonly verdict: Verdict;
}

/** The changes of one source: how many blocked addresses, and claims beyond the first of each, there are more. */
interface Part {
  readonly source: NamedSource;
  entries: number;
  further: number;
}

/** All of it is known once every step is judged. */
interface Plan {
  counts: ChangeCounts;
  readonly parts: Map<number, Part>;
  readonly first: UndoneClaim[];
  readonly stillTrusted: Map<string, StillTrusted>;
}

export class Undo {
  readonly #deps: UndoDeps;

  constructor(deps: UndoDeps) {
    this.#deps = deps;
  }

  /**
   * Errors: 1100 for an unknown entry; 6050 inside an upstream; 6041 if it cannot be undone exactly, and nothing is changed
   * then.
   */
  async undo(id: number, { dryRun }: { readonly dryRun: boolean }, caller: Caller): Promise<UndoAnswer> {
    const { record, steps } = await stored(() => this.#find(id));
    const planned = emptyPlan();
    await stored(async () => {
      for await (const _ of this.#judged(id, steps(), planned, caller));
    });
    const { operation, at, key } = record;
    const undoes = { id, operation, at, key };
    const rejected = { total: 0, first: [] };
    if (dryRun) {
      const answer = { ...planned.counts, rejected_total: 0, rejected: [], ...runtimeReport([], false) };
      return { undoes, ...shownOfPlan(planned), ...answer, dry_run: true };
    }
    const { plan, done } = await this.#apply(id, steps, inOrder(planned), operation, caller);
    return { undoes, ...shownOfPlan(plan), ...this.#deps.outcomes.reportBulk('undo', done, rejected, caller) };
  }

  async #find(id: number): Promise<{ record: AuditRecord; steps: () => AsyncIterable<readonly ClaimStep[]> }> {
    const record = await this.#deps.audit.get(id);
    if (record === null) throw new ServiceError(codes.NotFound, 'undo', `the audit log has no entry ${id}`);
    const { operation } = record;
    if (!undoable.has(operation)) throw cannot(`${operation} cannot be undone, only changes of blocked addresses`);
    if (record.outcome === 'refused') throw cannot(`the ${operation} ${id} was refused and changed nothing`);
    const kept = await this.#deps.records.find(id);
    if (kept === null) {
      const single = singleSteps(record, await this.#deps.sources.byNumber());
      if (single === null) {
        throw cannot(
          `what the ${operation} ${id} changed is not known; of operations on several addresses or many claims it is kept for ${UNDO_KEPT.days} days, of the last ${UNDO_KEPT.changes} with ${UNDO_KEPT.claims} claims together`,
        );
      }
      return { record, steps: () => once(single) };
    }
    if (!kept.complete) {
      const most = UNDO_KEPT.claimsOfOne;
      throw cannot(`the ${operation} ${id} changed more than ${count(most)} claims, and what they were is not kept`);
    }
    if (await this.#deps.records.isBeingApplied(id)) {
      throw cannot(`the ${operation} ${id} is still being applied; retry when it is complete`);
    }
    return { record, steps: () => complete(this.#deps.records.read(id), kept.claims) };
  }

  /**
   * Each step and what its undo would do now, which it adds to `plan`. After the last it throws if that is not exactly
   * the reverse, or more than the limit allows.
   */
  async *#judged(
    id: number,
    steps: AsyncIterable<readonly ClaimStep[]>,
    plan: Plan,
    caller: Caller,
  ): AsyncGenerator<Judged> {
    const known = await this.#deps.sources.byNumber();
    const lists: Lists = new Set([...known.values()].filter(({ kind }) => kind === 'list').map((one) => one.id));
    const trust = await this.#deps.admission.trustInForce();
    const changed: string[] = [];
    let changedTotal = 0;
    for await (const { step, claimed, now } of this.#current(steps)) {
      const source = known.get(step.source);
      if (source === undefined) throw cannot('a source that it changed claims of does not exist any more');
      const part = plan.parts.get(source.id) ?? { source, entries: 0, further: 0 };
      if (!plan.parts.has(source.id)) {
        sourceOf(source.name, caller);
        plan.parts.set(source.id, part);
      }
      const verdict = judge(step, claimed.current, now);
      if (verdict.kind === 'changed-since') {
        changedTotal += 1;
        if (changed.length < shown) changed.push(step.ip_address);
      } else if (verdict.kind === 'unchanged') plan.counts = sumOf(plan.counts, oneUnchanged);
      else {
        const { effect, after } = applyChange(claimed.current, verdict.row, now, lists);
        part.entries += (after === null ? 0 : 1) - (claimed.current === null ? 0 : 1);
        part.further += furtherClaims(after) - furtherClaims(claimed.current);
        claimed.current = after;
        const made = countsOf([effect]);
        if (made.added > 0) this.#refuseInsideUpstream(verdict.row.entry);
        plan.counts = sumOf(plan.counts, made);
        if (plan.first.length < shown && verdict.isOwn) plan.first.push(shownOf(verdict.row, step, source));
        const [by] = verdict.row.op === 'add' ? trust.covering(verdict.row.entry) : [];
        if (by !== undefined) plan.stillTrusted.set(step.ip_address, { ip_address: step.ip_address, by });
      }
      yield { step, verdict };
    }
    if (changedTotal > 0) {
      const were = changedTotal === 1 ? '1 was' : `${changedTotal} were`;
      const detail = `of the claims that the operation ${id} changed, ${were} changed since: ${changed.join(', ')}${changedTotal > changed.length ? ' and others' : ''}; nothing was changed`;
      throw new ServiceError(codes.CannotUndo, 'undo', detail, {
        members: { changed_since: changed, changed_since_total: changedTotal },
      });
    }
    this.#checkLimit(inOrder(plan));
  }

  /** As a block is refused there. What is blocked already may be changed. Errors: 6050. */
  #refuseInsideUpstream(entry: IpEntry): void {
    const inside = this.#deps.admission.insideUpstream(entry);
    if (inside === null) return;
    const detail = `it would block ${entry.text} again, but ${inside.why}; nothing was changed`;
    throw new ServiceError(codes.InsideUpstream, 'undo', detail, { members: { upstream: inside.upstream } });
  }

  /** Of all parts before the first is applied: a limit that refuses a later one would leave half an undo. */
  #checkLimit(parts: readonly Part[]): void {
    const { limit, total } = this.#deps;
    let [entries, further] = [total.currentTotal, total.furtherClaims];
    for (const part of parts) {
      entries += part.entries;
      further += part.further;
      if (part.entries > 0 && !limit.allows(entries)) throw limit.refusal(total.currentTotal, entries);
      if (part.source.id !== MANUAL && part.further > 0 && !limit.allows(further))
        throw limit.refusalOfClaims(total.furtherClaims, further);
    }
  }

  /**
   * A bulk change for each source, all in one turn. While their rows are read, the claims are judged again, now that no
   * other bulk change is applied, and nothing is changed if one was changed since. What is changed after that stays as
   * it is and counts as unchanged.
   */
  async #apply(
    id: number,
    steps: () => AsyncIterable<readonly ClaimStep[]>,
    parts: readonly Part[],
    operation: string,
    caller: Caller,
  ): Promise<{ plan: Plan; done: BulkResult }> {
    const plan = emptyPlan();
    const skipped = { unchanged: 0 };
    // Every change that comes after the beginning of these wins.
    const options = { replace: false, allowShrink: true, filter: {}, requestedBy: null };
    const sources = parts.length === 0 ? [undefined] : parts.map((part) => part.source);
    const changes = sources.map((source): BulkPart => ({ ...options, source }));
    const places = new Map(parts.map(({ source }, index) => [source.id, index]));
    const rows = rowsOf(this.#judged(id, steps(), plan, caller), places, skipped);
    const audited = (): AuditedChange => {
      const { added, updated, removed } = plan.counts;
      return auditedChange('undo', caller, {
        target: String(id),
        details: { undoes: operation, added, updated, removed },
      });
    };
    const done = await this.#deps.bulk.runTogether(changes, rows, { audited }).catch((error: unknown) => {
      throw error instanceof ServiceError ? partStored(error) : error;
    });
    return { plan, done: { ...done, unchanged: done.unchanged + skipped.unchanged } };
  }

  /** Each step with the claims to its address as they are now; those of an address in the order of the parts. */
  async *#current(blocks: AsyncIterable<readonly ClaimStep[]>) {
    for await (const block of blocks) {
      for (let start = 0; start < block.length; start += comparedAtOnce) {
        const some = bySource(block.slice(start, start + comparedAtOnce));
        const all = await this.#deps.claims.claimedAmong(some.map(({ ip_address }) => ip_address));
        const now = this.#deps.now().toISOString();
        const held = new Map<string, { current: Claimed | null }>();
        for (const step of some) {
          const claimed = held.get(step.ip_address) ?? { current: all.get(step.ip_address) ?? null };
          held.set(step.ip_address, claimed);
          yield { step, claimed, now };
        }
        await yieldToLoop();
      }
    }
  }
}

function emptyPlan(): Plan {
  return { counts: nothingChanged, parts: new Map(), first: [], stillTrusted: new Map() };
}

/** As they are applied. */
function inOrder({ parts }: Plan): Part[] {
  return [...parts.values()].toSorted((a, b) => a.source.id - b.source.id);
}

function bySource(steps: readonly ClaimStep[]): ClaimStep[] {
  const ofAddress = Map.groupBy(steps, ({ ip_address }) => ip_address);
  return [...ofAddress.values()].flatMap((some) => some.toSorted((a, b) => a.source - b.source));
}

function shownOfPlan({
  first,
  stillTrusted,
}: Plan): Pick<UndoAnswer, 'first' | 'still_trusted' | 'still_trusted_total'> {
  const trusted = stillTrusted.size > 0 && {
    still_trusted: [...stillTrusted.values()].slice(0, shown),
    still_trusted_total: stillTrusted.size,
  };
  return { first, ...trusted };
}

/**
 * What the bulk change of each source gets; the rest is counted.
 * @param places the index of each source's bulk change
 */
async function* rowsOf(
  judged: AsyncIterable<Judged>,
  places: ReadonlyMap<number, number>,
  skipped: { unchanged: number },
): AsyncGenerator<PartRows> {
  const waiting = new Map<number, StagedRow[]>();
  for await (const { step, verdict } of judged) {
    if (verdict.kind !== 'change') {
      skipped.unchanged += 1;
      continue;
    }
    const part = places.get(step.source)!;
    const rows = waiting.get(part) ?? [];
    waiting.set(part, rows);
    rows.push(verdict.row);
    if (rows.length < comparedAtOnce) continue;
    yield { part, rows };
    waiting.delete(part);
  }
  for (const [part, rows] of waiting) yield { part, rows };
}

/** What is stored stays, and the same undo completes the rest. */
function partStored(failure: ServiceError): ServiceError {
  if (!hasStored(failure)) return failure;
  const detail = `a part of the undo is stored, as \`committed\` counts it; to complete it, undo again: ${failure.detail}`;
  const { cause = failure, fields, members, retryAfterSeconds } = failure;
  const more = { cause, fields, members, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  return new ServiceError(failure.code, failure.op, detail, more);
}

/**
 * A claim that has ended counts as absent, before and now, so it is not made again. If all claims to an address have ended,
 * the undo removes it: workers may still have it, and the answer says that it is unblocked.
 */
function judge({ ip_address: text, source, before, after }: ClaimStep, claimed: Claimed | null, now: string): Verdict {
  const row = claimed?.claims.find((claim) => claim.source === source)?.row;
  const current = row === undefined || isExpired(row, now) ? null : said(row);
  const wanted = before === null || hasEnded(before, now) ? null : before;
  const left = after === null || hasEnded(after, now) ? null : after;
  const isDone = wanted === null ? current === null : current !== null && saysSame(current, wanted);
  const isOver = claimed?.claims.every((claim) => isExpired(claim.row, now)) ?? false;
  if (isDone && !isOver) return { kind: 'unchanged' };
  if (!isDone && (left === null ? current !== null : current === null || !isSame(current, left)))
    return { kind: 'changed-since' };
  const parsed = parseIp(text);
  if (!parsed.ok) return { kind: 'changed-since' };
  const { entry } = parsed;
  if (wanted === null) return { kind: 'change', row: { op: 'remove', entry, source }, isOwn: row !== undefined };
  const { reason, blocked_by, expires_at } = wanted;
  // No addition removes the author of a claim.
  if (blocked_by === null && current !== null && current.blocked_by !== null) return { kind: 'changed-since' };
  const expiry = expires_at === null ? ({ kind: 'permanent' } as const) : ({ kind: 'at', at: expires_at } as const);
  const addition = { op: 'add', entry, source, reason, blockedBy: blocked_by ?? undefined, expiry } as const;
  return { kind: 'change', row: addition, isOwn: true };
}

function hasEnded({ expires_at }: Said, now: string): boolean {
  return expires_at !== null && expires_at <= now;
}

function shownOf(row: StagedRow, { ip_address, before, after }: ClaimStep, { name }: NamedSource): UndoneClaim {
  const action = row.op === 'remove' ? 'drop' : after === null ? 'restore' : 'change';
  return { ip_address, source: name, action, expires_at: row.op === 'remove' ? null : (before?.expires_at ?? null) };
}

const oneUnchanged: ChangeCounts = { ...nothingChanged, unchanged: 1 };

function cannot(detail: string): ServiceError {
  return new ServiceError(codes.CannotUndo, 'undo', `${detail}; nothing was changed`);
}

/** Its oldest records are dropped at any time. */
async function* complete(blocks: AsyncIterable<readonly ClaimStep[]>, claims: number) {
  let count = 0;
  for await (const block of blocks) {
    count += block.length;
    yield block;
  }
  if (count !== claims) throw cannot('what it changed is no longer kept');
}

async function* once(steps: readonly ClaimStep[]): AsyncGenerator<readonly ClaimStep[]> {
  yield steps;
}
