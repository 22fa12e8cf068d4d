// When reloads run, and how many. One at a time; callers that arrive meanwhile share the next one. Those that the
// service schedules for itself are coalesced with all their reasons, held apart from each other, and dropped when
// the current worker, the only one that a reload replaces, was meanwhile seen to hold the whole set.

import { randomBytes } from 'node:crypto';
import { Mutex } from '../../concurrency/mutex.ts';
import { WakeablePause, withTimeout } from '../../concurrency/pause.ts';
import { type Emit, noFacts } from '../../events/facts.ts';
import { crashPoint } from '../../faults/crash-point.ts';
import type { ReloadsStore } from '../../store/reloads-store.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import { comparisonPatienceMs } from './comparison-patience.ts';
import { codeOf, isUnconsented, reloadRecord, statusOf } from './reload-record.ts';
import type { CompletedReload, ReloadRequest } from './reload-request.ts';

export interface ScheduledReload {
  readonly reasons: readonly string[];
  readonly since: Date;
  readonly attempts: number;
}

export interface LastReload {
  readonly id: string;
  readonly status: 'completed' | 'refused' | 'failed';
  readonly finished_at: string;
  readonly error: string | null;
  /** The number of the error; null: none. */
  readonly error_code: number | null;
}

/** What it was made for: a site that changes, a backup, whatever the service found to need one, or none of them. */
export type ReloadPurpose = 'requested' | 'site' | 'restore' | 'scheduled';

export interface EndedReload {
  readonly status: LastReload['status'];
  readonly purpose: ReloadPurpose;
  readonly milliseconds: number;
}

const coalesceMs = 150;
const leastApartMs = 10_000;
const lengthsApart = 4;
const longestBackOffMs = 300_000;
const keptReasons = 20;

/** One reload from start to end; the coordinator sees to it that no other runs beside it. */
export interface Reload {
  /** @throws ServiceError when it was not begun, refused or not confirmed */
  run(request: ReloadRequest): Promise<CompletedReload>;
}

export class ReloadCoordinator {
  readonly #reload: Reload;
  readonly #store: ReloadsStore;
  readonly #log: Log;
  readonly #emit: Emit;
  readonly #now: () => Date;
  readonly #stillNeeded: () => Promise<boolean>;
  readonly #hindrance: () => Promise<string | null>;
  readonly #memoryAllows: () => Promise<boolean>;
  readonly #inForce: () => Promise<ReloadRequest['restore'] | null>;
  readonly #halfDone: () => boolean;
  readonly #onEnded: (ended: EndedReload) => void;
  readonly #comparisonPatienceMs: number;
  readonly #stop = new AbortController();
  readonly #mutex = new Mutex();
  #next: { reasons: string[]; consent: { replace: boolean }; promise: Promise<CompletedReload> } | null = null;
  #scheduled: { reasons: Set<string>; more: number; since: Date; attempts: number; putOff: boolean } | null = null;
  #loop: Promise<void> | null = null;
  readonly #timer = new WakeablePause();
  #lastEnd = Number.NEGATIVE_INFINITY;
  #lastLength = 0;
  #last: LastReload | null = null;
  #underWay = false;

  constructor(options: {
    readonly reload: Reload;
    readonly store: ReloadsStore;
    readonly log: Log;
    readonly emit?: Emit | undefined;
    readonly now: () => Date;
    /** Looks at the workers: false when all of them hold the whole set already. */
    readonly stillNeeded: () => Promise<boolean>;
    /** Why no scheduled reload is to be made: it could not enforce what is missing, or is left to others. Null: nothing. */
    readonly hindrance?: () => Promise<string | null>;
    /** False while one worker more, beside the draining ones, would not fit. */
    readonly memoryAllows: () => Promise<boolean>;
    /** The live configuration, which such a reload leaves as it is; null: what database and template say. */
    readonly inForce: () => Promise<ReloadRequest['restore'] | null>;
    /** Live file, proxy and database are of different minds: the last one failed, and so did its rollback. */
    readonly halfDone: () => boolean;
    /** Hears of every reload that ended, well or not. */
    readonly onEnded?: (ended: EndedReload) => void;
    /** What the look at the workers takes beyond this does not keep other reloads waiting. */
    readonly comparisonPatienceMs?: number;
  }) {
    this.#reload = options.reload;
    this.#store = options.store;
    this.#log = options.log;
    this.#emit = options.emit ?? noFacts;
    this.#now = options.now;
    this.#stillNeeded = options.stillNeeded;
    this.#hindrance = options.hindrance ?? (async () => null);
    this.#memoryAllows = options.memoryAllows;
    this.#inForce = options.inForce;
    this.#halfDone = options.halfDone;
    this.#onEnded = options.onEnded ?? (() => undefined);
    this.#comparisonPatienceMs = options.comparisonPatienceMs ?? comparisonPatienceMs;
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

  /** From its beginning until the new worker was compared, or everything was put back. */
  get underWay(): boolean {
    return this.#underWay;
  }

  /**
   * A reload of the rendered configuration, now. Callers that arrive while one runs share the one that follows it, and
   * the consent of any of them is the consent to it.
   */
  reload(reason: string, { replace = false }: { readonly replace?: boolean } = {}): Promise<CompletedReload> {
    if (this.#next !== null) {
      this.#next.reasons.push(reason);
      this.#next.consent.replace ||= replace;
      return this.#next.promise;
    }
    const reasons = [reason];
    const consent = { replace };
    const promise = this.#mutex.run(async () => {
      this.#next = null;
      return await this.#run({ id: newId(this.#now()), reasons, ...consent });
    });
    this.#next = { reasons, consent, promise };
    return promise;
  }

  /** A reload with something of its own (sites, a restore); `prepare` runs inside the lock. */
  change(prepare: () => Promise<Omit<ReloadRequest, 'id'>>): Promise<CompletedReload> {
    return this.#mutex.run(async () => await this.#run({ id: newId(this.#now()), ...(await prepare()) }));
  }

  /** Without a reload, but never beside one. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(work);
  }

  /** A reload has to follow. Never throws, returns at once. */
  schedule(reason: string): void {
    this.#scheduled ??= { reasons: new Set(), more: 0, since: this.#now(), attempts: 0, putOff: false };
    const { reasons } = this.#scheduled;
    if (reasons.size < keptReasons) reasons.add(reason);
    else if (!reasons.has(reason)) this.#scheduled.more += 1;
    this.#loop ??= this.#runScheduled().finally(() => {
      this.#loop = null;
      if (this.#scheduled !== null && !this.#stop.signal.aborted) this.schedule([...this.#scheduled.reasons][0]!);
    });
  }

  /** The proxy can be reached again, or its workers were seen whole: the scheduled one may not be needed any more. */
  reconsider(): void {
    this.#timer.wake();
  }

  /** Lets the running one end; what was only scheduled is left to the next start, which compares everything. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#timer.wake();
    await this.#loop;
    await this.#mutex.drained();
  }

  async #runScheduled(): Promise<void> {
    await this.#pause(coalesceMs);
    while (this.#scheduled !== null && !this.#stop.signal.aborted) {
      const scheduled = this.#scheduled;
      if (!(await this.#isNeeded())) {
        // After an attempt it was seen to have done what it was for; before one, somebody else's reload did.
        const how = scheduled.attempts > 0 ? 'done' : 'dropped';
        this.#log.info(`Scheduled reload ${how}: the current worker was seen to hold the whole set`, {
          reasons: [...scheduled.reasons],
        });
        if (this.#scheduled === scheduled) this.#scheduled = null;
        return;
      }
      const hindrance = await this.#hindrance();
      if (hindrance !== null) {
        this.#log.warn(`Scheduled reload dropped: ${hindrance}`, { reasons: [...scheduled.reasons] });
        if (this.#scheduled === scheduled) this.#scheduled = null;
        return;
      }
      const wait = this.#waitBefore(scheduled.attempts);
      if (wait > 0) {
        await this.#pause(Math.min(wait, leastApartMs));
        continue;
      }
      if (!(await this.#hasMemory())) {
        this.#log.warn('Scheduled reload waits: there is too little memory for one worker more');
        await this.#pause(leastApartMs);
        continue;
      }
      await this.#tryScheduled(scheduled);
    }
  }

  async #isNeeded(): Promise<boolean> {
    try {
      return await this.#stillNeeded();
    } catch (error) {
      this.#log.warn('The workers could not be looked at', { cause: causeText(error) });
      return true;
    }
  }

  async #hasMemory(): Promise<boolean> {
    try {
      return await this.#memoryAllows();
    } catch (error) {
      // Not known is no reason to leave a block unenforced.
      this.#log.warn('The memory could not be looked at', { cause: causeText(error) });
      return true;
    }
  }

  async #tryScheduled(scheduled: { reasons: Set<string>; attempts: number; putOff: boolean }): Promise<void> {
    try {
      await this.#mutex.run(async () => {
        // One that had its turn before may have done what this one is for; if not, it counts for the distance.
        const needed = await withTimeout(this.#isNeeded(), this.#comparisonPatienceMs);
        // Not known yet: it is asked again without the lock, once. A reload too many is better than none for ever.
        if (needed === null && !scheduled.putOff) {
          scheduled.putOff = true;
          return;
        }
        if (needed === false || this.#waitBefore(scheduled.attempts) > 0) return;
        scheduled.attempts += 1;
        const request = { id: newId(this.#now()), reasons: [`scheduled: ${[...scheduled.reasons].join('; ')}`] };
        // It is there to enforce what waits for it. What is new in the template, or an operator's own configuration
        // that the template would replace, is for a reload that somebody asks for.
        const inForce = await this.#inForce();
        await this.#run(
          inForce === null || inForce === undefined ? request : { ...request, restore: inForce },
          'scheduled',
        );
      });
    } catch (error) {
      this.#log.error('Scheduled reload failed', { attempt: scheduled.attempts, cause: causeText(error) });
      // Also one that failed before it began keeps the next one at its distance.
      this.#lastEnd = performance.now();
    }
    // Whether it did what it was for is seen at the workers, whatever the reload itself said.
  }

  #waitBefore(attempts: number): number {
    const apart = Math.max(leastApartMs, lengthsApart * this.#lastLength);
    const backOff = attempts === 0 ? apart : Math.min(apart * 2 ** (attempts - 1), longestBackOffMs);
    return this.#lastEnd + backOff - performance.now();
  }

  async #run(request: ReloadRequest, purpose: ReloadPurpose = purposeOf(request)): Promise<CompletedReload> {
    const began = performance.now();
    const startedAt = this.#now().toISOString();
    this.#emit('reload.started', { id: request.id, reasons: request.reasons });
    let status: LastReload['status'] = 'completed';
    // One that asks first has changed nothing: it is no last reload, and no failed one.
    let asksForConsent = false;
    this.#underWay = true;
    try {
      const done = await this.#reload.run(request);
      crashPoint('reload.done');
      await this.#record(request, startedAt, done, null);
      crashPoint('reload.recorded');
      return done;
    } catch (error) {
      status = statusOf(error);
      asksForConsent = isUnconsented(error);
      await this.#record(request, startedAt, null, error);
      throw error;
    } finally {
      this.#underWay = false;
      if (!asksForConsent) this.#ended(status, purpose, performance.now() - began);
      if (this.#halfDone()) this.schedule('one was neither done nor undone');
      this.reconsider();
    }
  }

  #ended(status: LastReload['status'], purpose: ReloadPurpose, milliseconds: number): void {
    this.#lastEnd = performance.now();
    this.#lastLength = milliseconds;
    this.#onEnded({ status, purpose, milliseconds });
  }

  async #record(
    request: ReloadRequest,
    startedAt: string,
    done: CompletedReload | null,
    error: unknown,
  ): Promise<void> {
    const status = done !== null ? 'completed' : statusOf(error);
    const finishedAt = this.#now().toISOString();
    const told = error === null ? null : causeText(error);
    if (!isUnconsented(error)) {
      this.#last = { id: request.id, status, finished_at: finishedAt, error: told, error_code: codeOf(error) };
    }
    if (done === null) this.#emit('reload.failed', { id: request.id, status, error: told });
    else {
      const { id, changed, worker_before, worker_after, duration_ms } = done;
      this.#emit('reload.completed', { id, changed, worker_before, worker_after, duration_ms });
    }
    if (error !== null)
      this.#log.error('Reload did not complete', { reload: request.id, status, cause: causeText(error) });
    try {
      await this.#store.append(reloadRecord(request, { status, startedAt, finishedAt }, done, error));
    } catch (failure) {
      // The reload is what it is; only its record is missing.
      this.#log.error('Reload could not be recorded', { reload: request.id, cause: causeText(failure) });
    }
  }

  async #pause(ms: number): Promise<void> {
    await this.#timer.wait(ms, { signal: this.#stop.signal });
  }
}

/** Sorts by time; `20261120T123456789Z-1a2b3c4d`. */
function newId(now: Date): string {
  return `${now.toISOString().replaceAll(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`;
}

function purposeOf({ sites, restore }: ReloadRequest): ReloadPurpose {
  if (sites !== undefined) return 'site';
  return restore === undefined ? 'requested' : 'restore';
}
