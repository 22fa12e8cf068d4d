// Writes to the audit log after an operation: outcomes of changes whose rows were written with them, and operations
// that changed nothing in the database or were rejected. Batched, so that no request waits and a thousand outcomes cost
// one disk sync.

import type { AuditPage } from '../api/audit.ts';
import type { EndedOperation } from '../api/ended-operation.ts';
import { pause } from '../concurrency/pause.ts';
import type { FactListener } from '../events/facts.ts';
import type { AuditNote } from '../store/audit-rows.ts';
import type { AuditEntry, AuditOutcome, AuditSearch, AuditStore } from '../store/audit-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';

// Refusals cost their sender nothing, and the audit log keeps a million rows: a key without rights must not be able to
// evict the rows of real changes. Beyond a number per minute refusals are only counted.

const refusalsAMinute = 60;
const windowMs = 60_000;
/** Only administrators create keys; this bounds the memory. */
const mostKeys = 1_000;

interface Window {
  began: number;
  recorded: number;
  omitted: number;
}

/** A key, and how many of its refusals got no row. */
type Omitted = readonly [key: string, omitted: number];

class RefusalPace {
  readonly #windows = new Map<string, Window>();

  /**
   * Another refusal of that key: whether it gets a row of its own, and which counts of omitted ones are due. `now` in
   * ms.
   */
  next(key: string, now: number): { readonly record: boolean; readonly ended: readonly Omitted[] } {
    const ended: Omitted[] = [];
    const known = this.#windows.get(key);
    if (known !== undefined && hasEnded(known, now)) ended.push(...this.#take(key, known));
    else if (known === undefined && this.#windows.size >= mostKeys) ended.push(...this.takeEnded(now, true));
    const window = this.#windows.get(key) ?? { began: now, recorded: 0, omitted: 0 };
    this.#windows.set(key, window);
    const record = window.recorded < refusalsAMinute;
    if (record) window.recorded += 1;
    else window.omitted += 1;
    return { record, ended };
  }

  /** The counts of past minutes, each once; `all`: also of the current ones. */
  takeEnded(now: number, all: boolean): Omitted[] {
    const ended: Omitted[] = [];
    for (const [key, window] of this.#windows) if (all || hasEnded(window, now)) ended.push(...this.#take(key, window));
    return ended;
  }

  #take(key: string, { omitted }: Window): Omitted[] {
    this.#windows.delete(key);
    return omitted > 0 ? [[key, omitted]] : [];
  }
}

/** In both directions: a clock that was set back begins a new minute too. */
function hasEnded({ began }: Window, now: number): boolean {
  return Math.abs(now - began) >= windowMs;
}

/** The most outcomes and refusals that a crash loses; never changes. */
const gatherMs = 250;
/** They block other writes for some milliseconds. */
const entriesAtOnce = 250;
/** While the database rejects writes; some 10 MB. Older ones are dropped, and their number is logged. */
const mostWaiting = 20_000;
const failurePauseMs = 2_000;
const retention = { everyMs: 60_000, rowsAtOnce: 1_000 } as const;

interface AuditRecorderDeps {
  readonly store: Pick<AuditStore, 'append' | 'page' | 'forgetOld'>;
  readonly log: Log;
  readonly now: () => Date;
  readonly gatherMs?: number;
}

export class AuditRecorder {
  readonly #deps: AuditRecorderDeps;
  readonly #gatherMs: number;
  readonly #refusals = new RefusalPace();
  readonly #stop = new AbortController();
  #waiting: AuditEntry[] = [];
  #dropped = 0;
  #flushing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #failing = false;
  #retention: Promise<void> | null = null;

  constructor(deps: AuditRecorderDeps) {
    this.#deps = deps;
    this.#gatherMs = deps.gatherMs ?? gatherMs;
  }

  /** Begins to delete rows older than their retention, in small steps. */
  start(): void {
    this.#retention ??= this.#forgetOld();
  }

  /** Writes the pending outcomes. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#retention;
    this.#recordOmitted(this.#refusals.takeEnded(this.#deps.now().getTime(), true));
    await this.flush();
    if (this.#waiting.length > 0)
      this.#deps.log.error('Outcomes missing in the audit log: the database rejected further rows', {
        entries: this.#waiting.length,
      });
  }

  readonly listener: FactListener = ({ type, data }) => {
    if (type === 'operation.answered') this.ended(data);
    if (type !== 'operation.done' || data.caller !== null) return;
    const { runtime_map_updated, runtime_map_failures_total, reload_scheduled } = data.report;
    for (const row of data.auditRows) {
      this.finished(row, {
        runtimeMapUpdated: runtime_map_updated,
        runtimeMapFailuresTotal: runtime_map_failures_total,
        reloadScheduled: reload_scheduled,
      });
    }
  };

  /** Never throws, returns at once. */
  ended(operation: EndedOperation): void {
    const finishedAt = this.#deps.now().toISOString();
    const outcome: AuditOutcome = { finishedAt, status: operation.status, ...operation.outcome };
    for (const id of operation.rows) this.#add({ id, outcome });
    if (operation.rows.length > 0) return;
    const { note } = operation;
    if (operation.status >= 400) {
      const { record, ended } = this.#refusals.next(note.keyName, this.#deps.now().getTime());
      this.#recordOmitted(ended);
      if (!record) return;
    }
    this.#add({ note, at: operation.at.toISOString(), outcome });
  }

  /** The outcome of an operation of the service itself. Never throws, returns at once. */
  finished(id: number, outcome: Omit<AuditOutcome, 'finishedAt' | 'status'>): void {
    this.#add({ id, outcome: { finishedAt: this.#deps.now().toISOString(), status: null, ...outcome } });
  }

  /** Includes all outcomes so far. Throws `InvalidCursor`. */
  async page(query: AuditSearch): Promise<AuditPage> {
    await this.flush();
    const { items, nextCursor } = await this.#deps.store.page(query);
    return { items, next_cursor: nextCursor };
  }

  /** An operation of the service itself without a row of its own. Never throws, returns at once. */
  done(note: AuditNote): void {
    const at = this.#deps.now().toISOString();
    this.#add({ note, at, outcome: { finishedAt: at, status: null } });
  }

  /** Never throws: failed writes are retried. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#flushing = this.#flushing.then(() => this.#write());
    await this.#flushing;
  }

  #recordOmitted(ended: readonly Omitted[]): void {
    for (const [key, omitted] of ended) this.done(omittedNote(key, omitted));
  }

  #add(entry: AuditEntry): void {
    if (this.#waiting.length >= mostWaiting) {
      this.#waiting.shift();
      this.#dropped += 1;
    }
    this.#waiting.push(entry);
    this.#flushSoon(this.#gatherMs);
  }

  #flushSoon(ms: number): void {
    this.#timer ??= setTimeout(() => void this.flush(), ms).unref();
  }

  async #write(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const entries = this.#waiting.slice(0, entriesAtOnce);
        const dropped = this.#dropped;
        await this.#deps.store.append(entries);
        // Entries dropped during the write were the first of them.
        this.#waiting.splice(0, Math.max(0, entries.length - (this.#dropped - dropped)));
        this.#failing = false;
      }
      if (this.#dropped > 0)
        this.#deps.log.error('Outcomes lost: the audit log could not be written in time', { entries: this.#dropped });
      this.#dropped = 0;
    } catch (error) {
      if (!this.#failing) {
        this.#deps.log.error('Outcomes could not be written to the audit log; retrying', {
          cause: causeText(error),
        });
      }
      this.#failing = true;
      if (!this.#stop.signal.aborted) this.#flushSoon(failurePauseMs);
    }
  }

  async #forgetOld(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      // A refused key may never be used again.
      this.#recordOmitted(this.#refusals.takeEnded(this.#deps.now().getTime(), false));
      let forgotten = 0;
      try {
        forgotten = await this.#deps.store.forgetOld(this.#deps.now(), retention.rowsAtOnce);
      } catch (error) {
        this.#deps.log.warn('Old rows of the audit log could not be deleted', { cause: causeText(error) });
      }
      // With much to delete, faster than a loaded service adds rows.
      const pauseMs = forgotten < retention.rowsAtOnce ? retention.everyMs : this.#gatherMs;
      await pause(pauseMs, { signal, ref: false });
    }
  }
}

/** Without a source: they may have come from several. */
function omittedNote(key: string, omitted: number): AuditNote {
  return {
    operation: 'refusals',
    keyName: key,
    source: null,
    requestId: null,
    details: { untold: omitted },
  };
}
