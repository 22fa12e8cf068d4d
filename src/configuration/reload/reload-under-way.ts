// A small file that stands while the live file, the proxy and the database may be of different minds: from before the
// switch to the new configuration until all that follows is done or undone. A start that finds it knows that a reload
// was interrupted, and that one more has to make them one again; without it nobody could tell a half-made change from
// an operator's own edit.
import { readFile, rm } from 'node:fs/promises';
import { isMissing, writeFileAtomically } from '../../files/atomic-file.ts';

/** `rendered`: what the database and the template say. `given`: a text of its own, which is in no database. */
export type ReloadKind = 'rendered' | 'given';

export class ReloadUnderWay {
  readonly #path: string;
  #interrupted: ReloadKind | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** Of a service that died in it, or whose rollback failed; null once a reload has come to its end since. */
  get interrupted(): ReloadKind | null {
    return this.#interrupted;
  }

  /** To be called at start, before anything could reload: what is found later may be our own. A file that cannot be understood says that there was one. */
  async find(): Promise<ReloadKind | null> {
    try {
      this.#interrupted = (await readFile(this.#path, 'utf8')).trim() === 'given' ? 'given' : 'rendered';
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    return this.#interrupted;
  }

  /** Neither done nor undone: what was switched could not be switched back. One more reload has to make them one. */
  leftHalfDone(kind: ReloadKind): void {
    this.#interrupted = kind;
  }

  /** Durable on return. */
  async begins(kind: ReloadKind): Promise<void> {
    await writeFileAtomically(this.#path, `${kind}\n`);
  }

  /** All are of one mind. Not synced: after a power failure one reload too many is made. */
  async ended(): Promise<void> {
    await rm(this.#path, { force: true });
    this.#interrupted = null;
  }
}
