// The file of a map with few entries: each change rewrites it completely.
import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { isMissing, writeFileAtomically } from '../files/atomic-file.ts';

export class SmallMapFile {
  readonly #path: string;
  #written: { readonly identity: string | null; readonly content: string } | null = null;
  /** Never rejects. */
  #writing: Promise<unknown> | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** False: another process changed or removed it, or it was never written. */
  async unchanged(): Promise<boolean> {
    for (;;) {
      while (this.#writing !== null) await this.#writing;
      const written = this.#written;
      const there = await identityOf(this.#path);
      // The service wrote it during the check.
      if (this.#writing === null && this.#written === written) return written !== null && written.identity === there;
    }
  }

  /** Errors: 6004. */
  async write(content: string): Promise<void> {
    const write = this.#writeWhole(content);
    const writing = write.catch(() => undefined);
    this.#writing = writing;
    try {
      await write;
    } finally {
      if (this.#writing === writing) this.#writing = null;
    }
  }

  async #writeWhole(content: string): Promise<void> {
    try {
      // An unchanged file stays: a proxy that died can be started although the disk is full.
      if (this.#written?.content === content && this.#written.identity === (await identityOf(this.#path))) return;
      this.#written = null;
      this.#written = { identity: identityIn(await writeFileAtomically(this.#path, content)), content };
    } catch (error) {
      throw new ServiceError(
        codes.MapFileUnusable,
        'update map file',
        `the map file ${this.#path} could not be written: ${(error as Error).message}`,
        { cause: error, retryAfterSeconds: 5 },
      );
    }
  }
}

/** Changes with every edit and replacement; null: no such file. */
async function identityOf(path: string): Promise<string | null> {
  try {
    return identityIn(await stat(path, { bigint: true }));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function identityIn({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs].join(':');
}
