// Schedules reloads. One at a time; callers that arrive meanwhile share the next one. Scheduled reloads are coalesced
// with all their reasons, spaced out, and dropped when the current worker, the only one that a reload replaces, was
// meanwhile found in sync.

import { randomBytes } from 'node:crypto';
import type { ReloadAnswer } from '../../api/configuration.ts';
import { Mutex } from '../../concurrency/mutex.ts';
import { WakeablePause, withTimeout } from '../../concurrency/pause.ts';
import type { Emit, ReloadPurpose } from '../../events/facts.ts';
import { crashPoint } from '../../faults/crash-point.ts';
import type { ReloadsStore } from '../../store/reloads-store.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import { codeOf, isUnconsented, reloadRecord, statusOf } from './reload-record.ts';
import type { ReloadRequest } from './reload-request.ts';
import { comparisonTimeoutMs } from './worker-comparison.ts';

interface ScheduledReload {
  readonly reasons: readonly string[];
  readonly since: Date;
  readonly attempts: number;
}

interface LastReload {
  readonly id: string;
  readonly status: 'completed' | 'refused' | 'failed';
  readonly finished_at: string;
  readonly error: string | null;
  readonly error_code: number | null;
}

const coalesceMs = 150;
const minPauseMs = 10_000;
const restPerDuration = 4;
const maxPauseMs = 300_000;
const maxReasons = 20;

export interface Reload {
  /** @throws ServiceError when it was not started, refused or not confirmed */
  run(request: ReloadRequest): Promise<ReloadAnswer>;
}

interface Scheduled {
  readonly reasons: Set<string>;
  readonly since: Date;
  attempts: number;
  /** Postponed once already, because the check whether it is needed timed out. */
  postponed: boolean;
}

interface ReloadCoordinatorDeps {
  readonly reload: Reload;
  readonly store: ReloadsStore;
  readonly log: Log;
  readonly emit: Emit;
  readonly now: () => Date;
  /** Checks the workers: false when all of them are in sync. */
  readonly stillNeeded: () => Promise<boolean>;
  /**
   * Why scheduled reloads are dropped: they could not enforce what is missing, or are left to the operator. Null: they
   * run.
   */
  readonly obstacle?: () => Promise<string | null>;
  /** Whether one more worker beside the draining ones would fit. */
  readonly memoryAllows: () => Promise<boolean>;
  /** What a scheduled reload deploys: the live configuration; null: render from database and template. */
  readonly configuration: () => Promise<NonNullable<ReloadRequest['restore']> | null>;
  /** The last reload and its rollback failed: live file, proxy and database may disagree. */
  readonly interrupted: () => boolean;
  readonly comparisonTimeoutMs?: number;
}

export class ReloadCoordinator {
  readonly #deps: ReloadCoordinatorDeps;
  readonly #stop = new AbortController();
  readonly #lock = new Mutex();
  readonly #pause = new WakeablePause();
  #next: { reasons: string[]; consent: { replace: boolean }; promise: Promise<ReloadAnswer> } | null = null;
  #scheduled: Scheduled | null = null;
  #loop: Promise<void> | null = null;
  #lastEnd = Number.NEGATIVE_INFINITY;
  /** Duration of the last completed one. */
  #completedMs = 0;
  #last: LastReload | null = null;
  #underWay = false;

  constructor(deps: ReloadCoordinatorDeps) {
    this.#deps = deps;
  }

  get scheduled(): ScheduledReload | null {
    const scheduled = this.#scheduled;
    return scheduled === null
      ? null
      : { reasons: [...scheduled.reasons], since: scheduled.since, attempts: scheduled.attempts };
  }

  get last(): LastReload | null {
    return this.#last;
  }

  /** From the start of a reload until the new worker was compared, or the rollback ended. */
  get underWay(): boolean {
    return this.#underWay;
  }

  /**
   * Reloads the rendered configuration, now. Callers that arrive during a reload share the next one; the consent of one
   * of them is enough.
   */
  reload(reason: string, { replace = false }: { readonly replace?: boolean } = {}): Promise<ReloadAnswer> {
    if (this.#next !== null) {
      this.#next.reasons.push(reason);
      this.#next.consent.replace ||= replace;
      return this.#next.promise;
    }
    const reasons = [reason];
    const consent = { replace };
    const promise = this.#lock.run(async () => {
      this.#next = null;
      return await this.#run({ id: newId(this.#deps.now()), reasons, ...consent });
    });
    this.#next = { reasons, consent, promise };
    return promise;
  }

  /** A reload with other sites, with or without upstreams, or of a backup; `prepare` runs inside the lock. */
  change(prepare: () => Promise<Omit<ReloadRequest, 'id'>>): Promise<ReloadAnswer> {
    return this.#lock.run(async () => await this.#run({ id: newId(this.#deps.now()), ...(await prepare()) }));
  }

  /** Runs work that must not overlap a reload. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#lock.run(work);
  }

  /** Never throws, returns at once. */
  schedule(reason: string): void {
    this.#scheduled ??= { reasons: new Set(), since: this.#deps.now(), attempts: 0, postponed: false };
    const { reasons } = this.#scheduled;
    if (reasons.size < maxReasons) reasons.add(reason);
    this.#loop ??= this.#runScheduled().finally(() => {
      this.#loop = null;
      if (this.#scheduled !== null && !this.#stop.signal.aborted) this.schedule([...this.#scheduled.reasons][0]!);
    });
  }

  /** HAProxy answers again, or its workers are in sync: the scheduled reload may no longer be needed. */
  reconsider(): void {
    this.#pause.wake();
  }

  /** Waits for the running reload. A scheduled one is left to the next start, which compares everything. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#pause.wake();
    await this.#loop;
    await this.#lock.drained();
  }

  async #runScheduled(): Promise<void> {
    await this.#wait(coalesceMs);
    while (this.#scheduled !== null && !this.#stop.signal.aborted) {
      const scheduled = this.#scheduled;
      if (!(await this.#isNeeded())) {
        // Without an attempt, another reload brought the worker in sync.
        const how = scheduled.attempts > 0 ? 'done' : 'dropped';
        this.#deps.log.info(`Scheduled reload ${how}: the current worker is in sync`, {
          reasons: [...scheduled.reasons],
        });
        if (this.#scheduled === scheduled) this.#scheduled = null;
        return;
      }
      const obstacle = (await this.#deps.obstacle?.()) ?? null;
      if (obstacle !== null) {
        this.#deps.log.warn(`Scheduled reload dropped: ${obstacle}`, { reasons: [...scheduled.reasons] });
        if (this.#scheduled === scheduled) this.#scheduled = null;
        return;
      }
      const wait = this.#waitBefore(scheduled.attempts);
      if (wait > 0) {
        await this.#wait(Math.min(wait, minPauseMs));
        continue;
      }
      if (!(await this.#hasMemory())) {
        this.#deps.log.warn('Scheduled reload postponed: not enough memory for another worker');
        await this.#wait(minPauseMs);
        continue;
      }
      await this.#tryScheduled(scheduled);
    }
  }

  async #isNeeded(): Promise<boolean> {
    try {
      return await this.#deps.stillNeeded();
    } catch (error) {
      this.#deps.log.warn('Workers could not be checked', { cause: causeText(error) });
      return true;
    }
  }

  async #hasMemory(): Promise<boolean> {
    try {
      return await this.#deps.memoryAllows();
    } catch (error) {
      // Unknown memory is no reason to leave a block unenforced.
      this.#deps.log.warn('Free memory could not be determined', { cause: causeText(error) });
      return true;
    }
  }

  async #tryScheduled(scheduled: Scheduled): Promise<void> {
    try {
      await this.#lock.run(async () => {
        // A reload that held the lock before may have brought the workers in sync.
        const needed = await withTimeout(this.#isNeeded(), this.#deps.comparisonTimeoutMs ?? comparisonTimeoutMs);
        // Timed out: check again without the lock, once. One reload too many is better than none.
        if (needed === null && !scheduled.postponed) {
          scheduled.postponed = true;
          return;
        }
        if (needed === false || this.#waitBefore(scheduled.attempts) > 0) return;
        scheduled.attempts += 1;
        const request = { id: newId(this.#deps.now()), reasons: [`scheduled: ${[...scheduled.reasons].join('; ')}`] };
        // It only enforces the blocked set. A changed template, or a live configuration that the template would
        // replace, waits for a requested reload.
        const live = await this.#deps.configuration();
        await this.#run(live === null ? request : { ...request, restore: live }, 'scheduled');
      });
    } catch (error) {
      this.#deps.log.error('Scheduled reload failed', { attempt: scheduled.attempts, cause: causeText(error) });
      // A failure before the reload began delays the next attempt too.
      this.#lastEnd = performance.now();
    }
    // Whatever the outcome, the workers decide whether it is still needed.
  }

  #waitBefore(attempts: number): number {
    const apart = Math.max(minPauseMs, restPerDuration * this.#completedMs);
    const backOff = attempts === 0 ? apart : Math.min(apart * 2 ** (attempts - 1), maxPauseMs);
    return this.#lastEnd + backOff - performance.now();
  }

  async #run(request: ReloadRequest, purpose: ReloadPurpose = purposeOf(request)): Promise<ReloadAnswer> {
    const began = performance.now();
    const startedAt = this.#deps.now().toISOString();
    this.#deps.emit('reload.started', { id: request.id, reasons: request.reasons });
    let status: LastReload['status'] = 'completed';
    // A reload rejected for lack of consent changed nothing: it counts neither as the last nor as failed.
    let lacksConsent = false;
    this.#underWay = true;
    try {
      const done = await this.#deps.reload.run(request);
      crashPoint('reload.done');
      await this.#record(request, startedAt, done, null);
      crashPoint('reload.recorded');
      return done;
    } catch (error) {
      status = statusOf(error);
      lacksConsent = isUnconsented(error);
      await this.#record(request, startedAt, null, error);
      throw error;
    } finally {
      this.#underWay = false;
      if (!lacksConsent) this.#ended(status, purpose, performance.now() - began);
      if (this.#deps.interrupted()) this.schedule('previous reload left half-applied');
      this.reconsider();
    }
  }

  #ended(status: LastReload['status'], purpose: ReloadPurpose, milliseconds: number): void {
    this.#lastEnd = performance.now();
    // A failed one may only have waited, while new blocks reach no worker. The number of attempts keeps further ones
    // apart.
    if (status === 'completed') this.#completedMs = milliseconds;
    this.#deps.emit('reload.ended', { status, purpose, milliseconds });
  }

  async #record(request: ReloadRequest, startedAt: string, done: ReloadAnswer | null, error: unknown): Promise<void> {
    const status = done !== null ? 'completed' : statusOf(error);
    const finishedAt = this.#deps.now().toISOString();
    const cause = error === null ? null : causeText(error);
    if (!isUnconsented(error)) {
      this.#last = { id: request.id, status, finished_at: finishedAt, error: cause, error_code: codeOf(error) };
    }
    if (done === null) this.#deps.emit('reload.failed', { id: request.id, status, error: cause });
    else {
      const { id, changed, worker_before, worker_after, duration_ms } = done;
      this.#deps.emit('reload.completed', { id, changed, worker_before, worker_after, duration_ms });
    }
    if (error !== null)
      this.#deps.log.error('Reload did not complete', { reload: request.id, status, cause: causeText(error) });
    try {
      await this.#deps.store.append(reloadRecord(request, { status, startedAt, finishedAt }, done, error));
    } catch (failure) {
      // The outcome stands without the record.
      this.#deps.log.error('Reload could not be recorded', { reload: request.id, cause: causeText(failure) });
    }
  }

  async #wait(ms: number): Promise<void> {
    await this.#pause.wait(ms, { signal: this.#stop.signal });
  }
}

/** Sorts by time: `20261120T123456789Z-1a2b3c4d`. */
function newId(now: Date): string {
  return `${now.toISOString().replaceAll(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`;
}

function purposeOf({ sites, upstreams, restore }: ReloadRequest): ReloadPurpose {
  if (sites !== undefined) return 'site';
  if (upstreams !== undefined) return 'upstream';
  return restore === undefined ? 'requested' : 'restore';
}
