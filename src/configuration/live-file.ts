// The live configuration and its candidate. The candidate is written beside the live file, validated there and renamed
// over it: the bytes that were validated are the bytes that are deployed, and the rename is the only switch.

import { chmod, chown, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { crashPoint } from '../faults/crash-point.ts';
import { fsyncFolder, resolveTarget, writeFileAtomically } from '../files/atomic-file.ts';
import { sha256 } from './backup-set.ts';
import { asConfigurationTrouble } from './trouble.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class LiveFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Null: there is none yet. @throws ServiceError when it is not UTF-8: it could not be kept byte for byte */
  async read(): Promise<string | null> {
    let bytes: Buffer;
    try {
      bytes = await readFile(this.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw asConfigurationTrouble(error, 'read configuration');
    }
    try {
      return decoder.decode(bytes);
    } catch (cause) {
      throw new ServiceError(
        codes.ConfigurationFilesUnusable,
        'read configuration',
        `${this.path} is not UTF-8, so it could not be kept as it is; convert it, for example with iconv -f latin1 -t utf-8`,
        { cause },
      );
    }
  }

  /** Writes `text` beside the live file; durable, with the live file's mode and owner. */
  async stage(text: string, suffix = 'candidate'): Promise<Candidate> {
    // A link stays one; what it leads to is replaced.
    const target = await resolveTarget(this.path);
    const path = `${target}.${suffix}`;
    // One that a crash left behind may have had any mode and owner; this one has the live file's.
    await rm(path, { force: true });
    await writeFileAtomically(path, text);
    const candidate = new Candidate(path, target, sha256(text));
    try {
      const live = await stat(this.path);
      // Before chmod: chown clears the set-id bits.
      await chown(path, live.uid, live.gid);
      await chmod(path, live.mode & 0o7777);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        await candidate.discard();
        throw error;
      }
    }
    return candidate;
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
      await this.discard();
      throw new ServiceError(
        codes.ConfigurationFilesUnusable,
        'deploy configuration',
        `${this.path} was changed by somebody while it was validated (sha256 ${found}, not ${this.#hash}); nothing was changed, try again`,
        { retryAfterSeconds: 1 },
      );
    }
    await rename(this.path, this.#target);
    crashPoint('candidate.renamed');
    await fsyncFolder(dirname(this.#target));
  }

  async discard(): Promise<void> {
    await rm(this.path, { force: true });
  }
}
