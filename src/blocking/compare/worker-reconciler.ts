// Brings a worker's map in sync: verify, else compare, repair, verify again. One at a time for reconciler, sync and
// reload, so that none takes another's repair for drift.

import { Mutex } from '../../concurrency/mutex.ts';
import { type TurnQueue, WaitedTurns } from '../../concurrency/turn-queue.ts';
import type { Emit } from '../../events/facts.ts';
import { RuntimeMapRejection, type WorkerRef } from '../../haproxy/maps/runtime-map.ts';
import { MasterSocketError, type SocketFailureReason } from '../../haproxy/socket/master-socket.ts';
import { mayBeReload } from '../../haproxy/socket/master-socket-error.ts';
import { isWorkerGone } from '../../haproxy/socket/replies.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import { isUnused, type MirroredMap } from '../mirrored-map.ts';
import type { ChangeWindows } from '../write/change-windows.ts';
import type { DeleteStrategy } from '../write/delete-strategy.ts';
import { type DriftObserver, DriftTally, unobservedDrift } from './drift-observer.ts';
import { type PendingVersions, replaceWorkerMap } from './map-replacement.ts';
import { LookupSize, RepairTime, RepairTooLong } from './repair-limits.ts';
import { verifyWorker } from './verification.ts';
import { compareWorker, listLimit } from './worker-comparison.ts';
import type { WorkerRegistry } from './worker-registry.ts';
import { type Repairs, repairWorker } from './worker-repair.ts';

export interface WorkerVerdict extends Repairs {
  readonly pid: number;
  readonly inSync: boolean;
  /** Why it is not known to be in sync. */
  readonly reason: string | null;
  readonly socketFailure: SocketFailureReason | null;
}

export interface Remaining {
  readonly missing: readonly string[];
  readonly unexpected: readonly string[];
  readonly wrongValue: readonly string[];
  readonly duplicate: readonly string[];
}

/** A listing of a million takes 0.1 s; the rest is for an overloaded machine. */
const patienceMs = 60_000;
/** On a busy machine a healthy worker may be silent for two seconds. */
const firstAnswerMs = 5_000;
/** For a worker that did not answer before. */
const silentBeforeMs = 2_000;
const rounds = 3;
/** A million missing entries take some 10 s on a quiet machine. */
const repairPatienceMs = 180_000;

interface WorkerReconcilerDeps {
  readonly registry: WorkerRegistry;
  readonly turns: TurnQueue;
  readonly windows: ChangeWindows;
  readonly pending: PendingVersions;
  readonly log: Log;
  readonly emit: Emit;
  readonly strategy: DeleteStrategy;
  /** Per kind; the next comparison finds the rest. */
  readonly listAtMost?: number;
  readonly drift?: DriftObserver;
}

export class WorkerReconciler {
  readonly #deps: WorkerReconcilerDeps;
  readonly #listAtMost: number;
  readonly #drift: DriftObserver;
  readonly #lookups = new LookupSize();
  readonly #mutex = new Mutex();

  constructor(deps: WorkerReconcilerDeps) {
    this.#deps = deps;
    this.#listAtMost = deps.listAtMost ?? listLimit;
    this.#drift = deps.drift ?? unobservedDrift;
  }

  /** Never throws: a failed read or repair is a verdict too. */
  async sync(map: MirroredMap, pid: number): Promise<WorkerVerdict> {
    const verdict = await this.#mutex.run(() => this.#sync(map, pid));
    const { inSync, socketFailure } = verdict;
    this.#drift.compared(map.name, inSync ? 'whole' : socketFailure === null ? 'differs' : 'unreadable');
    return verdict;
  }

  /** The first `limit` differences of each kind, for the answer to a failed sync. */
  async remaining(map: MirroredMap, pid: number, limit: number): Promise<Remaining> {
    return await this.#mutex.run(async () => {
      const { differences, missing } = await compareWorker(map, { kind: 'pid', pid }, performance.now() + patienceMs);
      const lacking: string[] = [];
      for await (const page of missing()) {
        lacking.push(...page.slice(0, limit - lacking.length));
        if (lacking.length >= limit) break;
      }
      return {
        missing: lacking,
        unexpected: differences.unexpected.slice(0, limit),
        wrongValue: differences.wrongValue.slice(0, limit),
        duplicate: differences.duplicate.slice(0, limit),
      };
    });
  }

  async #sync(map: MirroredMap, pid: number): Promise<WorkerVerdict> {
    const worker: WorkerRef = { kind: 'pid', pid };
    const repairs: Repairs = { added: 0, removed: 0, corrected: 0 };
    const time = new RepairTime(repairPatienceMs);
    let seen = false;
    /** The last repair left differences that its comparison did not list, so another verification proves nothing. */
    let unlisted = false;
    let held = 0;
    let unanswered: MasterSocketError | null = null;
    const verdict = (
      inSync: boolean,
      reason: string | null,
      socketFailure: SocketFailureReason | null = null,
    ): WorkerVerdict => {
      if (inSync) this.#deps.registry.markInSync(pid, map.name);
      else {
        const passing = socketFailure !== null && mayBeReload(socketFailure) ? 'unverified' : null;
        this.#deps.registry.markSuspect(pid, map.name, reason ?? 'not verified', passing);
      }
      return { pid, inSync, reason, socketFailure, ...repairs };
    };
    try {
      // A worker that hangs must not delay the others.
      const firstMs = this.#deps.registry.byPid(pid)?.unresponsive === true ? silentBeforeMs : firstAnswerMs;
      await map.runtime.firstAnswer(performance.now() + firstMs, { kind: 'pid', pid });
      for (let round = 0; round <= rounds; round += 1) {
        time.step();
        if (!unlisted) {
          const { inSync, entries } = await verifyWorker(
            map,
            worker,
            this.#deps.windows,
            this.#deps.turns,
            performance.now() + patienceMs,
          );
          if (inSync) return verdict(true, null);
          held = entries;
          if (!seen) {
            seen = true;
            const { name, expected } = map;
            this.#deps.emit('drift.seen', { map: name, worker: pid, expected: expected.total, seen: entries });
          }
        }
        if (round === rounds) break;
        // A bulk change that began meanwhile differs on purpose. The verdict reports what remains.
        this.#deps.registry.markSuspect(pid, map.name, 'its map differs from the database', 'pending');
        const before = { ...repairs };
        let more = true;
        const verified = !unlisted;
        unlisted = false;
        try {
          more = await this.#repair(map, worker, pid, repairs, time, (listed) => {
            held = listed;
          });
          unlisted = more;
          unanswered = null;
        } catch (error) {
          if (!(error instanceof MasterSocketError && error.reason === 'deadline')) throw error;
          // A healthy worker may miss a deadline on a busy machine; the next slices are smaller.
          unanswered = error;
          await map.runtime.firstAnswer(performance.now() + firstAnswerMs, { kind: 'pid', pid });
        }
        const done = madeSince(before, repairs);
        const any = done.added + done.removed + done.corrected > 0;
        // It made progress, so repairs do help.
        if (more && any) round -= 1;
        if (!any) {
          unlisted = false;
          // The worker holds what the database holds: the expected fingerprint is wrong.
          if (verified && unanswered === null) await map.reread();
          continue;
        }
        this.#deps.emit('drift.repaired', { map: map.name, worker: pid, ...done });
        this.#deps.log.warn('Running map differed from the database and was repaired', {
          map: map.name,
          worker: pid,
          expected: map.expected.total,
          seen: held,
          ...done,
        });
      }
      if (unanswered !== null) throw unanswered;
      return verdict(false, `its map still differs after ${rounds} repairs`);
    } catch (error) {
      if (isUnused(map, error, this.#deps.registry.byPid(pid)?.role)) return verdict(true, null);
      if (
        !(error instanceof MasterSocketError || error instanceof RuntimeMapRejection || error instanceof RepairTooLong)
      ) {
        this.#deps.log.error('Comparing a running map failed', { map: map.name, worker: pid, cause: causeText(error) });
      }
      if (!(error instanceof MasterSocketError)) return verdict(false, causeText(error));
      // A worker that exited serves no client: it is not out of sync.
      if (isWorkerGone(error.partial)) this.#deps.registry.forget(pid);
      const known = this.#deps.registry.byPid(pid);
      if (known !== null && error.reason === 'deadline') known.unresponsive = true;
      return verdict(false, causeText(error), error.reason);
    }
  }

  /** Finished repairs count even if a later one throws. True: the comparison found more than it lists. */
  async #repair(
    map: MirroredMap,
    worker: WorkerRef,
    pid: number,
    repairs: Repairs,
    time: RepairTime,
    onListed: (entries: number) => void,
  ): Promise<boolean> {
    const window = this.#deps.windows.open();
    const before = { ...repairs };
    const drift = new DriftTally(this.#drift, map.name);
    try {
      const comparison = drift.found(
        await compareWorker(map, worker, performance.now() + patienceMs, this.#listAtMost),
      );
      onListed(comparison.listed);
      const { leftToReplace } = await repairWorker({
        map,
        pid,
        comparison,
        window,
        windows: this.#deps.windows,
        turns: this.#deps.turns,
        strategy: this.#deps.strategy,
        repairs,
        time,
        lookups: this.#lookups,
        inLines: this.#deps.registry.takesLines,
      });
      const { unexpectedTotal, wrongValue, duplicate, more } = comparison.differences;
      if (!leftToReplace) return more;
      await this.#replace(map, pid, comparison.listed, time);
      // Includes entries that commands removed before; missing entries were added and are counted separately.
      repairs.removed = before.removed + unexpectedTotal;
      repairs.corrected = before.corrected + new Set(wrongValue).size + new Set(duplicate).size;
      return false;
    } finally {
      this.#deps.windows.close(window);
      drift.repaired(madeSince(before, repairs));
    }
  }

  async #replace(map: MirroredMap, pid: number, listed: number, time: RepairTime): Promise<void> {
    const failures = this.#deps.registry.byPid(pid)?.failures;
    const began = performance.now();
    const turns = new WaitedTurns(this.#deps.turns);
    await replaceWorkerMap({
      map,
      pid,
      pending: this.#deps.pending,
      windows: this.#deps.windows,
      turns,
      time,
      noFailures: () => failures !== undefined && this.#deps.registry.byPid(pid)?.failures === failures,
    });
    // Only after the old entries are freed.
    this.#deps.strategy.recordReplace(Math.max(map.expected.total, listed), performance.now() - began - turns.waitedMs);
  }
}

function madeSince(before: Repairs, now: Repairs): Repairs {
  return {
    added: now.added - before.added,
    removed: now.removed - before.removed,
    corrected: now.corrected - before.corrected,
  };
}
