import { type BigIntStats, statSync } from 'node:fs';
import { StoreError } from '../store-error.ts';

/**
 * SQLite keeps writing to a file that was removed or replaced under it, and reports success: acknowledged changes would
 * be gone with the process. The file is one of three: without its write-ahead log it is an older state.
 */
export class FileGuard {
  readonly #paths: readonly string[];
  /** In the order of the paths; null until the file exists. */
  readonly #known: (Identity | null)[];

  /** Call once the database at `path` is open. */
  constructor(path: string) {
    this.#paths = [path, `${path}-wal`, `${path}-shm`];
    this.#known = this.#paths.map(identityAt);
  }

  /** Three stats, some 5 µs. Throws `StoreError` ('replaced') when the files at the paths are not the open ones. */
  check(): void {
    this.#paths.forEach((path, index) => {
      const now = identityAt(path);
      const known = this.#known[index] ?? null;
      if (known === null) this.#known[index] = now;
      else if (now?.ino !== known.ino || now.dev !== known.dev)
        throw new StoreError('replaced', textFor(path, now === null));
    });
  }
}

function textFor(path: string, gone: boolean): string {
  const what = gone ? 'was removed' : 'was replaced by another file';
  return `${path} ${what} while it was in use, so nothing more is written: put the original file back, or restart the service, which reports how to continue`;
}

type Identity = Pick<BigIntStats, 'dev' | 'ino'>;

function identityAt(path: string): Identity | null {
  let stats: BigIntStats | undefined;
  try {
    stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    throw new StoreError('io', `${path} cannot be checked: ${(error as Error).message}`, { cause: error });
  }
  return stats ?? null;
}
