import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { isMissing } from '../files/atomic-file.ts';
import { causeText } from '../telemetry/cause-text.ts';
import type { Log } from '../telemetry/log.ts';

interface Deps {
  readonly folder: string;
  /** The name of a file that changed; null: not known. */
  readonly onChange: (name: string | null) => void;
  readonly log: Pick<Log, 'warn'>;
}

/** Reports changes in a folder. A watch stays with the folder that it began with, so it is renewed for another one. */
export class FolderWatch {
  readonly #deps: Deps;
  #watcher: FSWatcher | null = null;
  /** Device and inode of the folder that is watched. */
  #watched: string | null = null;
  /** A repeated failure is logged once. */
  #failure: string | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Begins, or begins again if another folder is in its place. Never throws: without a watch, changes are noticed later.
   * @returns whether it began or ended: what changed before is not reported
   */
  async renew(): Promise<boolean> {
    const { folder, onChange } = this.#deps;
    try {
      const identity = await identityOf(folder);
      if (identity === this.#watched) return false;
      // Also ends the report that the folder was removed, which may not have arrived.
      this.close();
      if (identity === null) return true;
      this.#watcher = watch(folder, { persistent: false }, (_event, name) => {
        // The folder itself was removed or renamed.
        onChange(name === basename(folder) ? null : name);
      });
      this.#watcher.on('error', (error) => this.#fail(error));
      this.#watched = identity;
      this.#failure = null;
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = null;
    this.#watched = null;
  }

  #fail(error: unknown): void {
    const cause = causeText(error);
    if (cause !== this.#failure) this.#deps.log.warn('Folder of certificates not watched', { cause });
    this.#failure = cause;
    this.close();
  }
}

/** Null: there is none. */
async function identityOf(folder: string): Promise<string | null> {
  try {
    const { dev, ino } = await stat(folder, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
