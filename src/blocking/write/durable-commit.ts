// A change made durable: the database and the map file, in the order in which a crash between them leaves a blocked
// address too much and never one too little. Lines are added before the transaction commits and taken out after it.

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
  /** Lines of the file that had no row; they are gone now. */
  readonly strayLines: readonly string[];
  /** The rows are gone but their lines are not; thrown after the workers had their share. */
  readonly fileError: Error | null;
}

export class DurableCommit {
  readonly #store: BlockedIpsStore;
  readonly #keeper: MapFileKeeper;
  readonly #log: Log;
  readonly #now: () => Date;
  /** Of groups whose lines could not be taken out of the file. */
  readonly #shrinks: string[] = [];

  constructor(options: {
    readonly store: BlockedIpsStore;
    readonly keeper: MapFileKeeper;
    readonly log: Log;
    readonly now: () => Date;
  }) {
    this.#store = options.store;
    this.#keeper = options.keeper;
    this.#log = options.log;
    this.#now = options.now;
  }

  /**
   * Database and file, inside the turn. A file that another process touched is rewritten from the database first; a
   * removal whose line could not be removed from the file is reported after the workers were changed.
   */
  async commit(
    changes: readonly BlockedChange[],
    remove: readonly string[],
    audits: readonly GroupAudit[],
  ): Promise<Committed> {
    await this.#keeper.ensureUsable();
    await this.#endShrinks();
    // All of them, not only the new ones: a row of a bulk change that is still being applied has no line yet, and a file
    // that another process emptied is noticed.
    const lines = [...new Set(changes.filter((change) => change.op === 'add').map((change) => change.entry.text))];
    const toFile = async (_net: NetChange, generation: number): Promise<void> => {
      crashPoint('group.rows-written');
      if (lines.length > 0) await this.#keeper.file.add(lines, generation);
      crashPoint('group.lines-durable');
    };
    const write = () => this.#store.applyGroup(changes, this.#now(), toFile, audits);
    let applied: Awaited<ReturnType<typeof write>>;
    crashPoint('group.begun');
    try {
      applied = await write();
    } catch (error) {
      // The transaction was rolled back. What is left is a line too much at most, and the rewrite takes it out.
      if (!(error instanceof MapFileError)) {
        await this.#takeBack(changes);
        throw error;
      }
      this.#keeper.noteProblem(error);
      this.#log.warn('Map file refused a change', { reason: error.reason, cause: causeText(error) });
      try {
        await this.#keeper.ensureUsable();
        applied = await write();
      } catch (again) {
        await this.#takeBack(changes);
        throw again;
      }
    }
    crashPoint('group.committed');
    this.#keeper.noteCommitted(applied.net);
    let strayLines: readonly string[] = [];
    let fileError: Error | null = null;
    if (remove.length > 0) {
      try {
        const known = new Set(applied.net.removed);
        strayLines = (await this.#keeper.file.remove(remove, applied.generation)).removed.filter(
          (text) => !known.has(text),
        );
        crashPoint('group.lines-gone');
      } catch (error) {
        fileError = await this.#recoverRemoval(error, applied.shrink !== null);
      }
    }
    await this.#keeper.noteGeneration(applied.generation);
    if (applied.shrink !== null) this.#shrinks.push(applied.shrink);
    if (fileError === null) await this.#endShrinks();
    return { ...applied, strayLines, fileError };
  }

  /** The rewrite writes what the database says, so a removal that failed in the file is done by it. */
  async #recoverRemoval(error: unknown, acceptShrink: boolean): Promise<Error | null> {
    this.#keeper.noteProblem(error);
    this.#log.warn('Map file refused a removal', { cause: causeText(error) });
    try {
      await this.#keeper.ensureUsable({ acceptShrink });
      return null;
    } catch (again) {
      return again instanceof Error ? again : new Error(String(again));
    }
  }

  /** The file is right. What cannot be forgotten now is forgotten by the next group, or at the next start. */
  async #endShrinks(): Promise<void> {
    try {
      for (let id = this.#shrinks[0]; id !== undefined; id = this.#shrinks[0]) {
        await this.#store.endShrink(id);
        this.#shrinks.shift();
      }
    } catch (error) {
      this.#log.warn('Could not clear the shrink marker; retrying', { cause: causeText(error) });
    }
  }

  /** The commit failed after lines were added: they go again, also out of a rewrite under way. */
  async #takeBack(changes: readonly BlockedChange[]): Promise<void> {
    const added = changes.filter((change) => change.op === 'add').map((change) => change.entry.text);
    if (added.length === 0) return;
    const { file } = this.#keeper;
    try {
      const present = await this.#store.presentOf(added);
      const absent = added.filter((text) => !present.has(text));
      if (file.state === 'current') await file.remove(absent);
      else file.leaveOut(absent);
    } catch (error) {
      this.#keeper.markStale('a line of a failed change could not be removed');
      this.#log.error('Could not remove a line of a failed change; it stays until the file is rewritten', {
        cause: causeText(error),
      });
    }
  }
}
