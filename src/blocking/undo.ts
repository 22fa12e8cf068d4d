// Undoes what an operation of the audit log did to claims: exactly, or not at all. Only these claims are changed, so
// what another source claims stays blocked, and what was changed since stays as it is.

import type { AuditRecord } from '../api/audit.ts';
import type { Caller } from '../api/caller.ts';
import type { StillTrusted, UndoAnswer, UndoneClaim } from '../api/undo.ts';
import { yieldToLoop } from '../concurrency/pause.ts';
import { type IpEntry, parseIp } from '../domain/ip.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { auditedChange } from '../store/audit-rows.ts';
import type { AuditStore } from '../store/audit-store.ts';
import { isExpired } from '../store/blocked-changes.ts';
import type { StagedRow } from '../store/bulk-store.ts';
import { type ClaimStep, isSame, type Said, said, saysSame } from '../store/claim-steps.ts';
import { applyChange, type Claimed, type Lists, MANUAL } from '../store/claims.ts';
import type { ClaimsStore } from '../store/claims-store.ts';
import { UNDO_KEPT, type UndoRecords } from '../store/undo-records.ts';
import { type ChangeCounts, countsOf, nothingChanged, runtimeReport } from './answers.ts';
import type { BulkResult, BulkRunner } from './bulk/bulk-runner.ts';
import { type NamedSource, type Sources, sourceOf } from './sources.ts';
import { singleSteps } from './undo-details.ts';
import type { Admission } from './write/admission.ts';
import { stored } from './write/change-failure.ts';
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
  readonly bulk: Pick<BulkRunner, 'run'>;
  readonly outcomes: Pick<Outcomes, 'reportBulk'>;
  readonly now: () => Date;
}

/** What an undo of one claim would do now. */
type Verdict =
  | { readonly kind: 'change'; readonly row: StagedRow & { readonly source: number } }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'changed-since' };

interface Plan {
  readonly counts: ChangeCounts;
  readonly sources: ReadonlyMap<number, NamedSource>;
  readonly first: readonly UndoneClaim[];
  readonly trusted: Pick<UndoAnswer, 'still_trusted' | 'still_trusted_total'>;
}

export class Undo {
  readonly #deps: UndoDeps;

  constructor(deps: UndoDeps) {
    this.#deps = deps;
  }

  /** Errors: 1100 for an unknown entry; 6050 inside an upstream; 6041 if it cannot be undone exactly, and nothing is changed then. */
  async undo(id: number, { dryRun }: { readonly dryRun: boolean }, caller: Caller): Promise<UndoAnswer> {
    const { record, steps } = await stored(() => this.#find(id));
    const plan = await stored(() => this.#plan(id, steps, caller));
    const { operation, at, key } = record;
    const undoes = { id, operation, at, key };
    const rejected = { total: 0, first: [] };
    if (dryRun) {
      const answer = { ...plan.counts, rejected_total: 0, rejected: [], ...runtimeReport([], false) };
      return { undoes, first: [...plan.first], ...plan.trusted, ...answer, dry_run: true };
    }
    const done = await this.#apply(id, steps, plan, operation, caller);
    const answer = { undoes, first: [...plan.first], ...plan.trusted };
    return { ...answer, ...this.#deps.outcomes.reportBulk('undo', done, rejected, caller) };
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
          `what the ${operation} ${id} changed is not known; of operations on several addresses it is kept for ${UNDO_KEPT.days} days, of the last ${UNDO_KEPT.changes} with ${UNDO_KEPT.claims} claims together`,
        );
      }
      return { record, steps: () => once(single) };
    }
    if (!kept.complete) {
      const most = UNDO_KEPT.claimsOfOne;
      throw cannot(`the ${operation} ${id} changed more than ${most} claims, and what they were is not kept`);
    }
    if (await this.#deps.records.isBeingApplied(id)) {
      throw cannot(`the ${operation} ${id} is still being applied; retry when it is complete`);
    }
    return { record, steps: () => complete(this.#deps.records.read(id), kept.claims) };
  }

  /** What it would do now; throws if that is not exactly the reverse. */
  async #plan(id: number, steps: () => AsyncIterable<readonly ClaimStep[]>, caller: Caller): Promise<Plan> {
    const known = await this.#deps.sources.byNumber();
    const lists: Lists = new Set([...known.values()].filter(({ kind }) => kind === 'list').map((one) => one.id));
    const sources = new Map<number, NamedSource>();
    const first: UndoneClaim[] = [];
    const trust = await this.#deps.admission.trustInForce();
    const stillTrusted = new Map<string, StillTrusted>();
    const changed: string[] = [];
    let changedTotal = 0;
    let counts = nothingChanged;
    for await (const { step, claimed, now } of this.#current(steps())) {
      const source = known.get(step.source);
      if (source === undefined) throw cannot('a source that it changed claims of does not exist any more');
      if (!sources.has(step.source)) {
        sourceOf(source.name, caller);
        sources.set(source.id, source);
      }
      const verdict = judge(step, claimed.current, now);
      if (verdict.kind === 'changed-since') {
        changedTotal += 1;
        if (changed.length < shown) changed.push(step.ip_address);
      } else if (verdict.kind === 'unchanged') counts = { ...counts, unchanged: counts.unchanged + 1 };
      else {
        const { effect, after } = applyChange(claimed.current, verdict.row, now, lists);
        claimed.current = after;
        const made = countsOf([effect]);
        if (made.added > 0) this.#refuseInsideUpstream(verdict.row.entry);
        counts = sum(counts, made);
        if (first.length < shown) first.push(shownOf(verdict.row, step, source));
        const [by] = verdict.row.op === 'add' ? trust.covering(verdict.row.entry) : [];
        if (by !== undefined) stillTrusted.set(step.ip_address, { ip_address: step.ip_address, by });
      }
    }
    if (changedTotal > 0) {
      const were = changedTotal === 1 ? '1 was' : `${changedTotal} were`;
      const detail = `of the claims that the operation ${id} changed, ${were} changed since: ${changed.join(', ')}${changedTotal > changed.length ? ' and others' : ''}; nothing was changed`;
      throw new ServiceError(codes.CannotUndo, 'undo', detail, {
        members: { changed_since: changed, changed_since_total: changedTotal },
      });
    }
    const trusted = stillTrusted.size > 0 && {
      still_trusted: [...stillTrusted.values()].slice(0, shown),
      still_trusted_total: stillTrusted.size,
    };
    return { counts, sources, first, trusted: { ...trusted } };
  }

  /** As a block is refused there. What is blocked already may be changed. Errors: 6050. */
  #refuseInsideUpstream(entry: IpEntry): void {
    const inside = this.#deps.admission.insideUpstream(entry);
    if (inside === null) return;
    const detail = `it would block ${entry.text} again, but ${inside.why}; nothing was changed`;
    throw new ServiceError(codes.InsideUpstream, 'undo', detail, { members: { upstream: inside.upstream } });
  }

  /** A bulk change for each source, whose rows are chosen again: what is changed meanwhile stays as it is. */
  async #apply(
    id: number,
    steps: () => AsyncIterable<readonly ClaimStep[]>,
    { sources, counts }: Plan,
    operation: string,
    caller: Caller,
  ): Promise<BulkResult> {
    let row: number | undefined;
    let done: BulkResult | null = null;
    const { added, updated, removed } = counts;
    const details = { undoes: operation, added, updated, removed };
    for (const source of sources.size === 0 ? [undefined] : sources.values()) {
      const part = await this.#deps.bulk.run(this.#rows(steps(), source?.id ?? MANUAL), {
        replace: false,
        allowShrink: true,
        source,
        // Every change that comes after its beginning wins.
        filter: {},
        requestedBy: null,
        partOf: row,
        ...(row === undefined && {
          audited: () => {
            const change = auditedChange('undo', caller, { target: String(id), details });
            const written = (written: number): void => {
              row = written;
              change.written(written);
            };
            return { ...change, written };
          },
        }),
      });
      done = done === null ? part : together(done, part);
    }
    // Those that are as before already need no change.
    return { ...done!, unchanged: done!.unchanged + counts.unchanged };
  }

  async *#rows(steps: AsyncIterable<readonly ClaimStep[]>, source: number): AsyncGenerator<readonly StagedRow[]> {
    let rows: StagedRow[] = [];
    for await (const { step, claimed, now } of this.#current(steps)) {
      if (step.source !== source) continue;
      const verdict = judge(step, claimed.current, now);
      if (verdict.kind === 'change') rows.push(verdict.row);
      if (rows.length < comparedAtOnce) continue;
      yield rows;
      rows = [];
    }
    yield rows;
  }

  /** Each step with the claims to its address as they are now. */
  async *#current(blocks: AsyncIterable<readonly ClaimStep[]>) {
    for await (const block of blocks) {
      for (let start = 0; start < block.length; start += comparedAtOnce) {
        const some = block.slice(start, start + comparedAtOnce);
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

/** A claim that has ended counts as absent, before and now, so it is not made again. */
function judge({ ip_address: text, source, before, after }: ClaimStep, claimed: Claimed | null, now: string): Verdict {
  const row = claimed?.claims.find((claim) => claim.source === source)?.row;
  const current = row === undefined || isExpired(row, now) ? null : said(row);
  const wanted = before === null || hasEnded(before, now) ? null : before;
  const left = after === null || hasEnded(after, now) ? null : after;
  if (wanted === null ? current === null : current !== null && saysSame(current, wanted)) return { kind: 'unchanged' };
  if (left === null ? current !== null : current === null || !isSame(current, left)) return { kind: 'changed-since' };
  const parsed = parseIp(text);
  if (!parsed.ok) return { kind: 'changed-since' };
  const { entry } = parsed;
  if (wanted === null) return { kind: 'change', row: { op: 'remove', entry, source } };
  const { reason, blocked_by, expires_at } = wanted;
  // No addition removes the author of a claim.
  if (blocked_by === null && current !== null && current.blocked_by !== null) return { kind: 'changed-since' };
  const expiry = expires_at === null ? ({ kind: 'permanent' } as const) : ({ kind: 'at', at: expires_at } as const);
  return { kind: 'change', row: { op: 'add', entry, source, reason, blockedBy: blocked_by ?? undefined, expiry } };
}

function hasEnded({ expires_at }: Said, now: string): boolean {
  return expires_at !== null && expires_at <= now;
}

function shownOf(row: StagedRow, { ip_address, before, after }: ClaimStep, { name }: NamedSource): UndoneClaim {
  const action = row.op === 'remove' ? 'drop' : after === null ? 'restore' : 'change';
  return { ip_address, source: name, action, expires_at: row.op === 'remove' ? null : (before?.expires_at ?? null) };
}

function sum(a: ChangeCounts, b: ChangeCounts): ChangeCounts {
  const still = (a.still_claimed_total ?? 0) + (b.still_claimed_total ?? 0);
  return {
    added: a.added + b.added,
    updated: a.updated + b.updated,
    removed: a.removed + b.removed,
    unchanged: a.unchanged + b.unchanged,
    ...(still > 0 && { still_claimed_total: still }),
  };
}

function together(a: BulkResult, b: BulkResult): BulkResult {
  return {
    ...sum(a, b),
    failures: [...a.failures, ...b.failures],
    failuresTotal: a.failuresTotal + b.failuresTotal,
    currentFailed: a.currentFailed || b.currentFailed,
  };
}

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
