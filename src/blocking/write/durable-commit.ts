// Lines are added before the transaction commits and removed after it: a crash leaves a blocked address too many, never
// one too few.

import { crashPoint } from '../../faults/crash-point.ts';
import { MapFileError } from '../../haproxy/map-file/map-file.ts';
import type {
  BlockedChange,
  BlockedEffect,
  BlockedIpsStore,
  GroupAudit,
  NetChange,
} from '../../store/blocked-ips-store.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import type { MapFileKeeper } from './map-file-keeper.ts';

export interface Committed {
  readonly effects: readonly BlockedEffect[];
  readonly net: { readonly added: readonly string[]; readonly removed: readonly string[] };
  /** Removed lines that had no row. */
  readonly strayLines: readonly string[];
  /** The rows are gone but their lines are not; thrown after the workers were changed. */
  readonly fileError: Error | null;
}

interface DurableCommitDeps {
  readonly store: BlockedIpsStore;
  readonly keeper: MapFileKeeper;
  readonly log: Log;
  readonly now: () => Date;
}

export class DurableCommit {
  readonly #deps: DurableCommitDeps;
  /** For groups whose lines could not be removed from the file. */
  readonly #shrinks: string[] = [];

  constructor(deps: DurableCommitDeps) {
    this.#deps = deps;
  }

  now(): Date {
    return this.#deps.now();
  }

  /**
   * Inside the turn. A file that another process touched is first rewritten from the database. `now`: the time for
   * which `remove` was found out, so that a claim that ends in between does not change it.
   */
  async commit(
    changes: readonly BlockedChange[],
    remove: readonly string[],
    audits: readonly GroupAudit[],
    now: Date,
  ): Promise<Committed> {
    await this.#deps.keeper.ensureUsable();
    await this.#endShrinks();
    // All of them: a row of a bulk change under way has no line yet, and an emptied file is noticed.
    const lines = [...new Set(changes.filter((change) => change.op === 'add').map((change) => change.entry.text))];
    const toFile = async ({ added }: NetChange, generation: number): Promise<void> => {
      crashPoint('group.rows-written');
      // A removal adopts a row that an operator inserted if it drops the claim of another source.
      const all = [...new Set([...lines, ...added])];
      if (all.length > 0) await this.#deps.keeper.file.add(all, generation);
      crashPoint('group.lines-durable');
    };
    const write = () => this.#deps.store.applyGroup(changes, now, toFile, audits);
    let applied: Awaited<ReturnType<typeof write>>;
    crashPoint('group.begun');
    try {
      applied = await write();
    } catch (error) {
      // Rolled back. At most a line too many is left, which the rewrite removes.
      if (!(error instanceof MapFileError)) {
        await this.#removeLines(changes);
        throw error;
      }
      this.#deps.keeper.noteProblem(error);
      this.#deps.log.warn('Map file refused a change', { reason: error.reason, cause: causeText(error) });
      try {
        await this.#deps.keeper.ensureUsable();
        applied = await write();
      } catch (again) {
        await this.#removeLines(changes);
        throw again;
      }
    }
    crashPoint('group.committed');
    this.#deps.keeper.noteCommitted(applied.net);
    let strayLines: readonly string[] = [];
    let fileError: Error | null = null;
    if (remove.length > 0) {
      try {
        const known = new Set(applied.net.removed);
        strayLines = (await this.#deps.keeper.file.remove(remove, applied.generation)).removed.filter(
          (text) => !known.has(text),
        );
        crashPoint('group.lines-gone');
      } catch (error) {
        fileError = await this.#recoverRemoval(error, applied.shrink !== null);
      }
    }
    await this.#deps.keeper.noteGeneration(applied.generation);
    if (applied.shrink !== null) this.#shrinks.push(applied.shrink);
    if (fileError === null) await this.#endShrinks();
    return { ...applied, strayLines, fileError };
  }

  /** The rewrite follows the database, so it completes a removal that failed in the file. */
  async #recoverRemoval(error: unknown, acceptShrink: boolean): Promise<Error | null> {
    this.#deps.keeper.noteProblem(error);
    this.#deps.log.warn('Map file refused a removal', { cause: causeText(error) });
    try {
      await this.#deps.keeper.ensureUsable({ acceptShrink });
      return null;
    } catch (again) {
      return again instanceof Error ? again : new Error(String(again));
    }
  }

  /** Records that cannot be deleted now are deleted by the next group or start. */
  async #endShrinks(): Promise<void> {
    try {
      for (let id = this.#shrinks[0]; id !== undefined; id = this.#shrinks[0]) {
        await this.#deps.store.endShrink(id);
        this.#shrinks.shift();
      }
    } catch (error) {
      this.#deps.log.warn('Could not clear the shrink marker; retrying', { cause: causeText(error) });
    }
  }

  /** Removes the lines of a failed commit, also from a rewrite under way. */
  async #removeLines(changes: readonly BlockedChange[]): Promise<void> {
    const added = changes.filter((change) => change.op === 'add').map((change) => change.entry.text);
    if (added.length === 0) return;
    const { file } = this.#deps.keeper;
    try {
      const present = await this.#deps.store.presentOf(added);
      const absent = added.filter((text) => !present.has(text));
      if (file.state === 'current') await file.remove(absent);
      else file.leaveOut(absent);
    } catch (error) {
      this.#deps.keeper.markStale('a line of a failed change could not be removed');
      this.#deps.log.error('Could not remove a line of a failed change; it stays until the file is rewritten', {
        cause: causeText(error),
      });
    }
  }
}
