// The only writer. Waiting changes become one group: one transaction, one append and fsync, one payload, one read-back.
// The order of file and transaction is that of durable-commit.ts.

import type { RuntimeMapFailure } from '../../api/changes.ts';
import type { Lane, TurnQueue } from '../../concurrency/turn-queue.ts';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { crashPoint } from '../../faults/crash-point.ts';
import type { RuntimeMap } from '../../haproxy/maps/runtime-map.ts';
import type { BlockedChange, BlockedEffect, BlockedIpsStore, GroupAudit } from '../../store/blocked-ips-store.ts';
import { MANUAL } from '../../store/claims.ts';
import { countsOf } from '../answers.ts';
import { changeFailure } from './change-failure.ts';
import type { ChangeWindows } from './change-windows.ts';
import type { Committed, DurableCommit } from './durable-commit.ts';
import type { EntryLimit } from './entry-limit.ts';
import { type GroupAuthor, groupAudit } from './group-audit.ts';
import type { MapFileKeeper } from './map-file-keeper.ts';
import type { RuntimeChanger } from './runtime-changer.ts';

export interface ChangeResult {
  readonly effects: readonly BlockedEffect[];
  readonly failures: readonly RuntimeMapFailure[];
  readonly currentFailed: boolean;
  /** Removed texts that the file or a worker held without a row. */
  readonly strays: ReadonlySet<string>;
}

interface Pending {
  readonly changes: readonly BlockedChange[];
  readonly audit: GroupAudit;
  readonly deadline: number;
  readonly hooks: TurnHooks;
  readonly resolve: (result: ChangeResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Called in the turn, before anything is changed. */
interface TurnHooks {
  /** If it throws, nothing is changed. */
  readonly first?: () => Promise<void>;
  /** Notes what was so when the change was made. */
  readonly note?: () => void;
}

interface Progress {
  stored: Committed | null;
}

const groupLimit = 1_000;
/** A group of 200 changes took 0.1 to 0.3 s on a busy machine, and failed because one of them had waited 1.4 s. */
const leastBudgetMs: Record<Lane, number> = { urgent: 500, bulk: 1_000 };
/** More are rejected with 503 and `Retry-After`, before memory grows. */
const queueLimit = 20_000;

interface GroupWriterDeps {
  readonly turns: TurnQueue;
  readonly store: BlockedIpsStore;
  readonly durable: DurableCommit;
  readonly keeper: MapFileKeeper;
  readonly changer: RuntimeChanger;
  readonly map: RuntimeMap;
  readonly windows: ChangeWindows;
  /** Called with the number of changes, and how long the group held the turn. */
  readonly onGroup: (changes: number, milliseconds: number) => void;
  /** Removals that the workers complete before a group's deadline; one is always allowed. */
  readonly removalsAtMost: () => number;
  readonly limit: EntryLimit;
}

export class GroupWriter {
  readonly #deps: GroupWriterDeps;
  readonly #pending: Record<Lane, Pending[]> = { urgent: [], bulk: [] };
  readonly #scheduled: Record<Lane, boolean> = { urgent: false, bulk: false };
  #waitingChanges = 0;

  constructor(deps: GroupWriterDeps) {
    this.#deps = deps;
  }

  get removalsAtMost(): number {
    return this.#deps.removalsAtMost();
  }

  get queueDepth(): number {
    return this.#waitingChanges;
  }

  /**
   * Resolves when the changes are durable, and read back from every worker or failed there.
   * @param deadline of the running maps, in `performance.now()` milliseconds
   * @throws ServiceError when the queue is full, or database or file fail: no addition was made; a removal whose line
   * stays in the file is made in database and workers
   */
  change(
    changes: readonly BlockedChange[],
    lane: Lane,
    deadline: number,
    author: GroupAuthor,
    hooks: TurnHooks = {},
  ): Promise<ChangeResult> {
    if (this.#waitingChanges + changes.length > queueLimit) {
      return Promise.reject(
        new ServiceError(
          codes.QueueFull,
          'change blocked set',
          `${this.#waitingChanges} changes are waiting, and the limit is ${queueLimit}; retry shortly`,
          { retryAfterSeconds: 1 },
        ),
      );
    }
    return new Promise((resolve, reject) => {
      this.#waitingChanges += changes.length;
      this.#pending[lane].push({
        changes,
        audit: groupAudit(author, changes.length),
        deadline,
        hooks,
        resolve,
        reject,
      });
      this.#schedule(lane);
    });
  }

  #schedule(lane: Lane): void {
    if (this.#scheduled[lane] || this.#pending[lane].length === 0) return;
    this.#scheduled[lane] = true;
    void this.#run(lane);
  }

  async #run(lane: Lane): Promise<void> {
    const rewriting = this.#deps.keeper.underWay;
    if (rewriting !== null) await rewriting;
    await this.#deps.turns.take(lane, async () => {
      this.#scheduled[lane] = false;
      // Another rewrite may have begun while this turn waited.
      if (this.#deps.keeper.underWay !== null) return;
      const began = performance.now();
      const group = takeGroup(this.#pending[lane], this.removalsAtMost);
      for (const pending of group) this.#waitingChanges -= pending.changes.length;
      await this.#process(await this.#thatFit(await this.#begun(group)), leastBudgetMs[lane], began);
    });
    this.#schedule(lane);
  }

  async #process(group: readonly Pending[], leastMs: number, began: number): Promise<void> {
    if (group.length === 0) return;
    const changes = group.flatMap((pending) => pending.changes);
    const progress: Progress = { stored: null };
    for (const { hooks } of group) hooks.note?.();
    try {
      const result = await this.#apply(
        changes,
        group.map((pending) => pending.audit),
        // A change that waited long still gets an attempt, without taking time from the others.
        Math.max(Math.min(...group.map((pending) => pending.deadline)), performance.now() + leastMs),
        progress,
      );
      eachShare(group, result.effects, (pending, effects) =>
        pending.resolve(shareOf(result, pending.changes, effects)),
      );
    } catch (error) {
      if (progress.stored === null) for (const pending of group) pending.reject(changeFailure(error));
      else {
        eachShare(group, progress.stored.effects, (pending, effects) =>
          pending.reject(changeFailure(error, countsOf(effects))),
        );
      }
    }
    this.#deps.onGroup(changes.length, performance.now() - began);
  }

  async #apply(
    changes: readonly BlockedChange[],
    audits: readonly GroupAudit[],
    deadline: number,
    progress: Progress,
  ): Promise<ChangeResult> {
    const now = this.#deps.durable.now();
    const due = await this.#due(changes);
    const staying = await this.#deps.store.stayingOf(changes, now);
    const stays = (change: BlockedChange): boolean => staying.has(change.entry.text);
    // What other claims keep blocked is read back like an addition: it is sent only to a worker that lacks it.
    const add = unique(
      changes
        .filter((change) => change.op === 'add' || (change.op === 'remove' && stays(change)))
        .map((change) => change.entry.text),
    );
    const remove = unique(
      changes
        .filter((change) => change.op === 'remove' || (change.op === 'expire' && due.has(change.entry.text)))
        .filter((change) => !stays(change))
        .map((change) => change.entry.text),
    );
    const absent = await this.#deps.store.absentOf(add);
    const end = this.#deps.windows.begin([...add, ...remove]);
    try {
      // The workers are queried while database and file are written.
      const { map } = this.#deps;
      const runtime = this.#deps.changer.lookUp({ map, name: 'blocked', add, remove, deadline, absent });
      let stored: Committed;
      try {
        stored = await this.#deps.durable.commit(changes, remove, audits, now);
      } catch (error) {
        await runtime.abandon();
        throw error;
      }
      progress.stored = stored;
      crashPoint('group.before-runtime');
      const result = await runtime.apply(stored.net.added);
      crashPoint('group.after-runtime');
      if (stored.fileError !== null) throw stored.fileError;
      const gone = new Set(stored.net.removed);
      const strays = new Set([...stored.strayLines, ...result.removedFromWorkers].filter((text) => !gone.has(text)));
      return { effects: stored.effects, failures: result.failures, currentFailed: result.currentFailed, strays };
    } finally {
      end();
    }
  }

  /** Those of which nothing failed before. */
  async #begun(group: readonly Pending[]): Promise<readonly Pending[]> {
    const failed = new Set<Pending>();
    for (const pending of group) {
      try {
        await pending.hooks.first?.();
      } catch (error) {
        failed.add(pending);
        // It says itself what is stored.
        pending.reject(error instanceof ServiceError ? error : changeFailure(error));
      }
    }
    return failed.size === 0 ? group : group.filter((pending) => !failed.has(pending));
  }

  /** Inside the turn, where the set does not change. */
  async #thatFit(group: readonly Pending[]): Promise<readonly Pending[]> {
    const { store, limit } = this.#deps;
    let { total, furtherClaims: further } = store;
    const additions = group.reduce((sum, { changes }) => sum + changes.filter(({ op }) => op === 'add').length, 0);
    if (additions === 0 || limit.allows(Math.max(total, further) + additions)) return group;
    try {
      const requests = group.map(({ changes }) => changes);
      const fit = await store.fitting(requests, this.#deps.durable.now(), (index, growth) => {
        const { changes, reject } = group[index]!;
        const wouldBe = total + growth.entries;
        const claims = further + growth.further;
        if (growth.entries > 0 && !limit.allows(wouldBe)) {
          reject(limit.refusal(total, wouldBe));
          return false;
        }
        if (growth.further > 0 && !limit.allows(claims) && changes.some(isOfOtherSource)) {
          reject(limit.refusalOfClaims(further, claims));
          return false;
        }
        total = wouldBe;
        further = claims;
        return true;
      });
      return group.filter((_, index) => fit[index]);
    } catch (error) {
      for (const pending of group) pending.reject(changeFailure(error));
      return [];
    }
  }

  /** Inside the turn: an entry may have been extended since. */
  async #due(changes: readonly BlockedChange[]): Promise<ReadonlySet<string>> {
    const expiring = changes.filter((change) => change.op === 'expire');
    if (expiring.length === 0) return new Set();
    return await this.#deps.store.dueOf(
      expiring.map((change) => change.entry.text),
      expiring[0]!.now,
    );
  }
}

function isOfOtherSource(change: BlockedChange): boolean {
  return change.op === 'add' && (change.source ?? MANUAL) !== MANUAL;
}

function eachShare(
  group: readonly Pending[],
  effects: readonly BlockedEffect[],
  use: (pending: Pending, effects: readonly BlockedEffect[]) => void,
): void {
  let offset = 0;
  for (const pending of group) {
    use(pending, effects.slice(offset, offset + pending.changes.length));
    offset += pending.changes.length;
  }
}

/** Never combines two requests that conflict about one address. */
function takeGroup(waiting: Pending[], removalsAtMost: number): Pending[] {
  const wanted = new Map<string, 'add' | 'remove'>();
  const group: Pending[] = [];
  let size = 0;
  let removals = 0;
  while (waiting.length > 0) {
    const next = waiting[0]!;
    if (group.length > 0 && size + next.changes.length > groupLimit) break;
    const verbs = next.changes.map((change) => [change.entry.text, change.op === 'add' ? 'add' : 'remove'] as const);
    if (group.length > 0 && verbs.some(([text, verb]) => (wanted.get(text) ?? verb) !== verb)) break;
    const itsRemovals = verbs.filter(([, verb]) => verb === 'remove').length;
    if (group.length > 0 && itsRemovals > 0 && removals + itsRemovals > removalsAtMost) break;
    removals += itsRemovals;
    for (const [text, verb] of verbs) wanted.set(text, verb);
    group.push(waiting.shift()!);
    size += next.changes.length;
    // It holds the turn for as long as the group's own work: what waits behind it comes first in the next one.
    if (next.hooks.first !== undefined) break;
  }
  return group;
}

/** One request's part of the group's result. */
function shareOf(
  result: ChangeResult,
  changes: readonly BlockedChange[],
  effects: readonly BlockedEffect[],
): ChangeResult {
  const own = new Set(changes.map((change) => change.entry.text));
  const failures = result.failures.filter((failure) => own.has(failure.ip_address));
  return {
    effects,
    failures,
    currentFailed: result.currentFailed && failures.length > 0,
    strays: new Set([...result.strays].filter((text) => own.has(text))),
  };
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
