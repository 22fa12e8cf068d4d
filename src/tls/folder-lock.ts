// A lock is a file in the folder, so it is replaced with the folder: another service can then take the new lock, while
// this one holds the old one.
import { lstatSync } from 'node:fs';

export interface TakenLock {
  free(): void;
}

export class FolderLock {
  readonly #path: string;
  readonly #take: (path: string) => TakenLock | null;
  #taken: { readonly lock: TakenLock | null; readonly file: string | null } | null = null;

  /** @param take throws an Error with the reason if another service has it. Null: no lock is needed */
  constructor(path: string, take: (path: string) => TakenLock | null) {
    this.#path = path;
    this.#take = take;
  }

  /** Takes it, also again if another file is in its place. 10 µs if this process has it. @throws as `take` */
  ensure(): void {
    if (this.#taken !== null && this.#taken.file === fileAt(this.#path)) return;
    this.free();
    const lock = this.#take(this.#path);
    this.#taken = { lock, file: fileAt(this.#path) };
  }

  /** Idempotent. */
  free(): void {
    this.#taken?.lock?.free();
    this.#taken = null;
  }
}

/** Device and inode; null: there is none. */
function fileAt(path: string): string | null {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}
