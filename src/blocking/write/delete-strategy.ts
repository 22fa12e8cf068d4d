// When a difference goes by commands and when by atomic replace, and how many commands a turn takes: measured at the
// worker as it goes, never assumed. Before 2.9 a `del map` or `set map` scans the whole map and stands in the way of
// the proxy's own traffic meanwhile (19 to 32 ms each at a million, 2.6.12); since then it costs what a lookup does
// (0.09 ms, 3.0.11). With an element in place of the key they scan on every version, so the two are measured apart. A
// replace costs its filling, whatever the number of differences, and one pause at its commit. ADR 0021 has the
// reasons.
//
// Both ways go in turns, and while blocks come from everywhere a turn waits longer than it works: there the number of
// turns decides, and a replace of 200,000 takes a hundred.

import { fillSlice } from '../compare/map-replacement.ts';

/** One turn is held no longer than this; aimed below it, for no two commands take the same time. */
const turnAimMs = 40;
/**
 * The most commands a turn takes however fast they are. What a turn sends has a deadline of some hundred milliseconds
 * after which a worker counts as hung: 400 of them, which take 36 ms, missed it on a machine that was eight times slower
 * than when they were measured, and a bulk change then gave that worker up.
 */
const turnAtMost = 100;
/** A worker that was never measured is asked for so many first, and the time they took decides on the rest. */
const firstCommands = 2;
/** What a newer measure counts against those before it. */
const newest = 0.3;
/** Turns that a replace takes beside those in which it fills: prepare, counting, commit, settling. */
const replaceTurnsBeside = 4;
/** Until one was measured: 2.6 and 3.0 fill 1,000,000 in 1.7 to 2.5 s when nothing else runs. */
const assumedReplaceMsPerEntry = 0.0025;
const replaceLeastMs = 100;
/** Below this a map is scanned too fast for either way to matter, and too fast to be measured. */
const measuredFrom = 1_000;
/**
 * What the removals of one group may take. A group is read back within 1.4 s or failed, whatever else the machine does
 * meanwhile; the 250 of a batch, 3 ms each among 200,000, failed all other blocks of that group.
 */
const groupAimMs = 350;
/** Until one was measured: 19 to 32 ms at 1,000,000 on 2.6.12. */
const assumedScanMsPerEntry = 0.00003;

/**
 * Whether a replace is to be thought of: not where there are no versions (before 2.4), and not where commands do not
 * scan (from 2.9 on), for there no number of them by key makes traffic wait, and a commit does, 40 to 150 ms at a million.
 */
export function replacePays(proxy: { readonly versionedMaps: boolean; readonly fastDeletes: boolean }): boolean {
  return proxy.versionedMaps && !proxy.fastDeletes;
}

/** How a command names its entry: by its key, or by its element. */
export type NamedBy = 'key' | 'element';

export class DeleteStrategy {
  /** Milliseconds that one command takes for each entry of the map, by worker: the scan grows with the map. */
  readonly #perEntry = { key: new Map<number, number>(), element: new Map<number, number>() };
  #replaceMsPerEntry = assumedReplaceMsPerEntry;
  readonly #mayReplace: () => boolean;
  readonly #scans: () => boolean;

  /** `mayReplace`: see `replacePays`; `scans`: a command with a key reads the whole map (before 2.9). */
  constructor(options: { readonly mayReplace?: () => boolean; readonly scans?: () => boolean } = {}) {
    this.#mayReplace = options.mayReplace ?? (() => true);
    this.#scans = options.scans ?? (() => true);
  }

  /** `commands` commands that change or delete took `ms` together, in a map of `entries`. */
  record(pid: number, entries: number, commands: number, ms: number, by: NamedBy = 'key'): void {
    if (commands === 0 || entries < measuredFrom) return;
    const seen = ms / commands / entries;
    const before = this.#perEntry[by].get(pid);
    this.#perEntry[by].set(pid, before === undefined ? seen : before + (seen - before) * newest);
  }

  /** A replace by a version of `entries` took `ms` from its `prepare` to its commit, the waits for its turns left out. */
  recordReplace(entries: number, ms: number): void {
    if (entries < measuredFrom) return;
    this.#replaceMsPerEntry += (ms / entries - this.#replaceMsPerEntry) * newest;
  }

  /** Milliseconds that one command is expected to take; null: nothing was measured at this worker yet. */
  commandMs(pid: number, entries: number, by: NamedBy = 'key'): number | null {
    const perEntry = this.#perEntry[by].get(pid);
    return perEntry === undefined ? null : perEntry * entries;
  }

  /** Commands that one turn may take. */
  perTurn(pid: number, entries: number, by: NamedBy = 'key'): number {
    if (entries < measuredFrom) return turnAtMost;
    const each = this.commandMs(pid, entries, by);
    if (each === null) return firstCommands;
    return Math.max(1, Math.min(turnAtMost, Math.floor(turnAimMs / each)));
  }

  /** Removals that a group may take which is to be in every one of these workers within its deadline. */
  perGroup(pids: readonly number[], entries: number): number {
    if (!this.#scans() || entries < measuredFrom) return Number.POSITIVE_INFINITY;
    const slowest = Math.max(...pids.map((pid) => this.commandMs(pid, entries) ?? assumedScanMsPerEntry * entries), 0);
    return Math.max(1, Math.floor(groupAimMs / slowest));
  }

  /**
   * Whether `commands` commands that are still to be sent are better left to a replace. Unmeasured: not yet.
   * @param turnWaitMs how long a turn waits for its beginning at the time
   */
  prefersReplace(pid: number, entries: number, commands: number, turnWaitMs: number, by: NamedBy = 'key'): boolean {
    const each = this.commandMs(pid, entries, by);
    if (each === null || !this.#mayReplace()) return false;
    const waits = (turnWaitMs * commands) / this.perTurn(pid, entries, by);
    return each * commands + waits > this.#replaceMs(entries, turnWaitMs);
  }

  /**
   * The same when the number of commands is unknown: commands until they have cost as much as a replace would
   * (`spentMs`, waits included), then the replace. That is never more than twice the better of the two.
   */
  budgetSpent(pid: number, entries: number, spentMs: number, turnWaitMs: number): boolean {
    const each = this.commandMs(pid, entries);
    if (each === null || !this.#mayReplace()) return false;
    return spentMs > this.#replaceMs(entries, turnWaitMs);
  }

  /** The worker is gone; another may get its pid. */
  forget(pid: number): void {
    this.#perEntry.key.delete(pid);
    this.#perEntry.element.delete(pid);
  }

  #replaceMs(entries: number, turnWaitMs: number): number {
    const turns = replaceTurnsBeside + entries / fillSlice;
    return replaceLeastMs + this.#replaceMsPerEntry * entries + turns * turnWaitMs;
  }
}
