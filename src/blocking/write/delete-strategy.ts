// Commands or an atomic replace, measured at each worker. Before 2.9 `del map` and `set map` by key scan the map and
// delay traffic (19 to 32 ms each at a million, 2.6.12; 0.09 ms since); by element they scan on every version, so both
// are measured separately. A replace costs its filling and one pause at its commit (ADR 0021). Both wait for turns:
// with many concurrent blocks the number of turns decides, and a replace of 200,000 takes a hundred.

import { fillSlice } from '../compare/map-replacement.ts';

/** Aims below the maximum duration of a turn, because commands vary in duration. */
const turnAimMs = 40;
/**
 * A turn's commands have a deadline of some hundred milliseconds, after which a worker counts as hung: 400 commands
 * (36 ms) missed it on a machine eight times slower than the measured one.
 */
const turnAtMost = 100;
/** A line of some 200 takes 2 ms; a turn of 1,000 keeps its deadline on a machine sixty times slower. */
const turnAtMostInLines = 1_000;
/** For a worker without measurements. */
const firstCommands = 2;
/** Weight in the moving average. */
const newest = 0.3;
/** Prepare, count, commit, settle. */
const replaceTurnsBeside = 4;
/** Before the first measurement: 2.6 and 3.0 fill 1,000,000 in 1.7 to 2.5 s on an idle machine. */
const assumedReplaceMsPerEntry = 0.0025;
const replaceLeastMs = 100;
/** Below this a scan is too fast to measure. */
const measuredFrom = 1_000;
/** A longer repair by commands becomes a replace if that is cheaper, although its commit makes traffic wait once. */
const longRepairMs = 10_000;
/** A group is read back within 1.4 s; 250 removals at 3 ms each (200,000 entries) made its other blocks fail. */
const groupAimMs = 350;
/** Before the first measurement: 19 to 32 ms at 1,000,000 on 2.6.12. */
const assumedScanMsPerEntry = 0.00003;

/** `line`: by key, in lines. */
export type NamedBy = 'key' | 'element' | 'line';

export class DeleteStrategy {
  /** Milliseconds per command and entry, by worker: the scan grows with the map. */
  readonly #perEntry = {
    key: new Map<number, number>(),
    element: new Map<number, number>(),
    line: new Map<number, number>(),
  };
  #replaceMsPerEntry = assumedReplaceMsPerEntry;
  readonly #mayReplace: () => boolean;
  readonly #scans: () => boolean;

  /**
   * `mayReplace`: another version of a map can be filled beside changes (2.4 to 3.1). `scans`: a command by key reads the
   * complete map (before 2.9).
   */
  constructor(options: { readonly mayReplace?: () => boolean; readonly scans?: () => boolean } = {}) {
    this.#mayReplace = options.mayReplace ?? (() => true);
    this.#scans = options.scans ?? (() => true);
  }

  /** @param ms of all `commands` together, in a map of `entries` */
  record(pid: number, entries: number, commands: number, ms: number, by: NamedBy = 'key'): void {
    if (commands === 0 || entries < measuredFrom) return;
    const seen = ms / commands / entries;
    const before = this.#perEntry[by].get(pid);
    this.#perEntry[by].set(pid, before === undefined ? seen : before + (seen - before) * newest);
  }

  /** @param ms from `prepare` to commit, without waits for turns */
  recordReplace(entries: number, ms: number): void {
    if (entries < measuredFrom) return;
    this.#replaceMsPerEntry += (ms / entries - this.#replaceMsPerEntry) * newest;
  }

  /** Null: nothing measured at this worker yet. */
  commandMs(pid: number, entries: number, by: NamedBy = 'key'): number | null {
    const perEntry = this.#perEntry[by].get(pid);
    return perEntry === undefined ? null : perEntry * entries;
  }

  perTurn(pid: number, entries: number, by: NamedBy = 'key'): number {
    const atMost = by === 'line' ? turnAtMostInLines : turnAtMost;
    if (entries < measuredFrom) return atMost;
    const each = this.commandMs(pid, entries, by);
    if (each === null) return firstCommands;
    return Math.max(1, Math.min(atMost, Math.floor(turnAimMs / each)));
  }

  /** Removals that all these workers complete before a group's deadline. */
  perGroup(pids: readonly number[], entries: number): number {
    if (!this.#scans() || entries < measuredFrom) return Number.POSITIVE_INFINITY;
    const slowest = Math.max(...pids.map((pid) => this.commandMs(pid, entries) ?? assumedScanMsPerEntry * entries), 0);
    return Math.max(1, Math.floor(groupAimMs / slowest));
  }

  /**
   * Without measurements: not yet.
   * @param turnWaitMs current wait for a turn
   */
  prefersReplace(pid: number, entries: number, commands: number, turnWaitMs: number, by: NamedBy = 'key'): boolean {
    if (!this.#replacesWhenCheaper()) return false;
    const ms = this.#commandsMs(pid, entries, commands, turnWaitMs, by);
    return ms !== null && ms > this.#replaceMs(entries, turnWaitMs);
  }

  /**
   * Whether a repair by commands would take more than ten seconds, and a replace less. Unlike `prefersReplace` also
   * where commands delay no traffic: a million removals of 0.09 ms (3.0.11) would take a minute and a half.
   * @param turnWaitMs current wait for a turn
   */
  takesTooLong(pid: number, entries: number, commands: number, turnWaitMs: number, by: NamedBy = 'key'): boolean {
    if (!this.#mayReplace()) return false;
    const ms = this.#commandsMs(pid, entries, commands, turnWaitMs, by);
    return ms !== null && ms > Math.max(longRepairMs, this.#replaceMs(entries, turnWaitMs));
  }

  /** For an unknown number of commands: a replace once they cost as much, so at most twice the better of the two. */
  budgetSpent(pid: number, entries: number, spentMs: number, turnWaitMs: number): boolean {
    const each = this.commandMs(pid, entries);
    if (each === null || !this.#replacesWhenCheaper()) return false;
    return spentMs > this.#replaceMs(entries, turnWaitMs);
  }

  /** The worker is gone; its pid may be reused. */
  forget(pid: number): void {
    for (const measured of Object.values(this.#perEntry)) measured.delete(pid);
  }

  /** From 2.9 on commands by key no longer scan, while a commit delays traffic by 40 to 150 ms at a million. */
  #replacesWhenCheaper(): boolean {
    return this.#mayReplace() && this.#scans();
  }

  #commandsMs(pid: number, entries: number, commands: number, turnWaitMs: number, by: NamedBy): number | null {
    const each = this.commandMs(pid, entries, by);
    if (each === null) return null;
    return each * commands + (turnWaitMs * commands) / this.perTurn(pid, entries, by);
  }

  #replaceMs(entries: number, turnWaitMs: number): number {
    const turns = replaceTurnsBeside + entries / fillSlice;
    return replaceLeastMs + this.#replaceMsPerEntry * entries + turns * turnWaitMs;
  }
}
