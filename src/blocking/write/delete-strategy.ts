// When a difference is sent as commands and when as an atomic replace, and how many commands a turn takes: measured at
// each worker, not assumed. Before 2.9 a `del map` or `set map` scans the complete map and delays the proxy's own
// traffic (19 to 32 ms each at a million, 2.6.12); since then it costs what a lookup does (0.09 ms, 3.0.11). With an
// element instead of the key they scan on every version, so both are measured separately. A replace costs its filling,
// whatever the number of differences, and one pause at its commit (ADR 0021). Both run in turns, and with many
// concurrent blocks a turn waits longer than it works: then the number of turns decides, and a replace of 200,000 takes
// a hundred.

import { fillSlice } from '../compare/map-replacement.ts';

/** Maximum duration of a turn; the aim is below it, because commands vary in duration. */
const turnAimMs = 40;
/**
 * Maximum commands per turn, however fast they are. A turn's commands have a deadline of some hundred milliseconds,
 * after which a worker counts as hung: 400 commands, which take 36 ms, missed it on a machine eight times slower than
 * the measured one, and a bulk change then skipped that worker.
 */
const turnAtMost = 100;
/** For a worker without measurements; the time they take decides about the rest. */
const firstCommands = 2;
/** Weight of a new measurement. */
const newest = 0.3;
/** Turns of a replace besides those that fill it: prepare, count, commit, settle. */
const replaceTurnsBeside = 4;
/** Before the first measurement: 2.6 and 3.0 fill 1,000,000 in 1.7 to 2.5 s on an idle machine. */
const assumedReplaceMsPerEntry = 0.0025;
const replaceLeastMs = 100;
/** Below this a scan is too fast to matter, and too fast to measure. */
const measuredFrom = 1_000;
/**
 * Maximum time for the removals of one group. A group is read back within 1.4 s or fails; the 250 of a batch, 3 ms each
 * among 200,000, made all other blocks of that group fail.
 */
const groupAimMs = 350;
/** Before the first measurement: 19 to 32 ms at 1,000,000 on 2.6.12. */
const assumedScanMsPerEntry = 0.00003;

/**
 * Whether a replace can pay off: not without versions (before 2.4), and not where commands do not scan (from 2.9 on),
 * because then no number of them by key delays traffic, while a commit does, 40 to 150 ms at a million.
 */
export function replacePays(proxy: { readonly versionedMaps: boolean; readonly fastDeletes: boolean }): boolean {
  return proxy.versionedMaps && !proxy.fastDeletes;
}

/** How a command names its entry. */
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

  /** Records that `commands` changes or deletes took `ms` together, in a map of `entries`. */
  record(pid: number, entries: number, commands: number, ms: number, by: NamedBy = 'key'): void {
    if (commands === 0 || entries < measuredFrom) return;
    const seen = ms / commands / entries;
    const before = this.#perEntry[by].get(pid);
    this.#perEntry[by].set(pid, before === undefined ? seen : before + (seen - before) * newest);
  }

  /** Records that a replace by `entries` took `ms` from `prepare` to commit, without its waits for turns. */
  recordReplace(entries: number, ms: number): void {
    if (entries < measuredFrom) return;
    this.#replaceMsPerEntry += (ms / entries - this.#replaceMsPerEntry) * newest;
  }

  /** Expected milliseconds per command; null: nothing measured at this worker yet. */
  commandMs(pid: number, entries: number, by: NamedBy = 'key'): number | null {
    const perEntry = this.#perEntry[by].get(pid);
    return perEntry === undefined ? null : perEntry * entries;
  }

  /** Commands allowed in one turn. */
  perTurn(pid: number, entries: number, by: NamedBy = 'key'): number {
    if (entries < measuredFrom) return turnAtMost;
    const each = this.commandMs(pid, entries, by);
    if (each === null) return firstCommands;
    return Math.max(1, Math.min(turnAtMost, Math.floor(turnAimMs / each)));
  }

  /** Removals that a group may have if all these workers are to complete it before its deadline. */
  perGroup(pids: readonly number[], entries: number): number {
    if (!this.#scans() || entries < measuredFrom) return Number.POSITIVE_INFINITY;
    const slowest = Math.max(...pids.map((pid) => this.commandMs(pid, entries) ?? assumedScanMsPerEntry * entries), 0);
    return Math.max(1, Math.floor(groupAimMs / slowest));
  }

  /**
   * Whether the remaining `commands` are better done by a replace. Without measurements: not yet.
   * @param turnWaitMs current wait for a turn
   */
  prefersReplace(pid: number, entries: number, commands: number, turnWaitMs: number, by: NamedBy = 'key'): boolean {
    const each = this.commandMs(pid, entries, by);
    if (each === null || !this.#mayReplace()) return false;
    const waits = (turnWaitMs * commands) / this.perTurn(pid, entries, by);
    return each * commands + waits > this.#replaceMs(entries, turnWaitMs);
  }

  /**
   * The same if the number of commands is unknown: commands until they have cost as much as a replace would (`spentMs`,
   * waits included), then the replace. That is at most twice the better of the two.
   */
  budgetSpent(pid: number, entries: number, spentMs: number, turnWaitMs: number): boolean {
    const each = this.commandMs(pid, entries);
    if (each === null || !this.#mayReplace()) return false;
    return spentMs > this.#replaceMs(entries, turnWaitMs);
  }

  /** The worker is gone; its pid may be reused. */
  forget(pid: number): void {
    this.#perEntry.key.delete(pid);
    this.#perEntry.element.delete(pid);
  }

  #replaceMs(entries: number, turnWaitMs: number): number {
    const turns = replaceTurnsBeside + entries / fillSlice;
    return replaceLeastMs + this.#replaceMsPerEntry * entries + turns * turnWaitMs;
  }
}
