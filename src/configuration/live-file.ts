// The live configuration and its candidate. The candidate is written beside the live file, validated there and renamed
// over it: the bytes that were validated are the bytes that are deployed, and the rename is the only switch.
import { chmod, chown, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fsyncFolder, writeFileAtomically } from '../files/atomic-file.ts';
import { sha256 } from './backup-set.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class LiveFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Null: there is none yet. @throws when it is not UTF-8: it could not be kept byte for byte */
  async read(): Promise<string | null> {
    try {
      return decoder.decode(await readFile(this.path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Writes `text` beside the live file; durable, with the live file's mode and owner. */
  async stage(text: string): Promise<Candidate> {
    const path = `${this.path}.candidate`;
    await writeFileAtomically(path, text, { mode: 0o644 });
    try {
      const live = await stat(this.path);
      await chmod(path, live.mode & 0o7777);
      await chown(path, live.uid, live.gid);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    return new Candidate(path, this.path, sha256(text));
  }
}

export class Candidate {
  readonly path: string;
  readonly #target: string;
  readonly #hash: string;

  constructor(path: string, target: string, hash: string) {
    this.path = path;
    this.#target = target;
    this.#hash = hash;
  }

  /** @throws when somebody changed the candidate since it was written; the live file is untouched then */
  async deploy(): Promise<void> {
    const found = sha256(await readFile(this.path, 'utf8'));
    if (found !== this.#hash) {
      throw new Error(`${this.path} was changed while it was validated (sha256 ${found}, not ${this.#hash})`);
    }
    await rename(this.path, this.#target);
    await fsyncFolder(dirname(this.#target));
  }

  async discard(): Promise<void> {
    await rm(this.path, { force: true });
  }
}
