import { readFile, rm } from 'node:fs/promises';
import { crashPoint } from '../../faults/crash-point.ts';
import { isMissing, writeFileAtomically } from '../../files/atomic-file.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import type { ReloadRequest } from './reload-request.ts';

/** `rendered`: from the database and the template. `given`: a text that is in no database. */
type ReloadKind = 'rendered' | 'given';

/**
 * A file that exists while the live file, HAProxy and the database may disagree: from before the switch until the
 * reload is complete or rolled back. A start that finds it reloads once more; without it, a half-applied change would
 * look like an operator's edit.
 */
export class ReloadMarker {
  readonly #path: string;
  readonly #log: Log;
  #interrupted: ReloadKind | null = null;

  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  /** The reload that a crash or a failed rollback left half-applied; null once a later reload has ended. */
  get interrupted(): ReloadKind | null {
    return this.#interrupted;
  }

  /** Call at start, before any reload. Unknown content counts as `rendered`. */
  async find(): Promise<ReloadKind | null> {
    try {
      this.#interrupted = (await readFile(this.#path, 'utf8')).trim() === 'given' ? 'given' : 'rendered';
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    return this.#interrupted;
  }

  /** Durable on return. */
  async set(request: ReloadRequest): Promise<void> {
    await writeFileAtomically(this.#path, `${kindOf(request)}\n`);
    crashPoint('reload.noted');
  }

  /** Not synced: the worst case is one unneeded reload at the next start. */
  async clear(): Promise<void> {
    try {
      await rm(this.#path, { force: true });
      this.#interrupted = null;
    } catch (error) {
      this.#log.warn('Could not remove the reload marker; the next start reloads once more', {
        cause: causeText(error),
      });
    }
  }

  /** The rollback failed: one more reload has to bring file, proxy and database in sync. */
  leaveInterrupted(request: ReloadRequest): void {
    this.#interrupted = kindOf(request);
  }
}

function kindOf({ restore }: ReloadRequest): ReloadKind {
  return restore === undefined ? 'rendered' : 'given';
}
