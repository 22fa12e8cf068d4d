// The live configuration and its candidate. The candidate is written beside the live file, validated there and renamed
// over it: the bytes that were validated are the bytes that are deployed, and the rename is the only switch.

import { chmod, chown, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { crashPoint } from '../../faults/crash-point.ts';
import { fsyncFolder, isMissing, resolveTarget, writeFileAtomically } from '../../files/atomic-file.ts';
import { sha256 } from '../backups/backup-set.ts';
import { refuseEditedMeanwhile } from './replace-consent.ts';
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
    const candidate = new Candidate({ path, target, live: this.path, hash: sha256(text) });
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
  readonly #live: string;
  readonly #hash: string;
  #inPlace = false;

  constructor(of: { readonly path: string; readonly target: string; readonly live: string; readonly hash: string }) {
    this.path = of.path;
    this.#target = of.target;
    this.#live = of.live;
    this.#hash = of.hash;
  }

  /** Renamed over the live file; perhaps not durable yet. */
  get inPlace(): boolean {
    return this.#inPlace;
  }

  /**
   * @param over what the live file is known to hold, null where there is none; any other text is an edit, and stays
   * @throws when somebody changed the candidate since it was written, or the live file since it was read; the live file
   *   is untouched then
   */
  async deploy(over?: string | null): Promise<void> {
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
    // As late as can be: what is written after this look is lost.
    if (over !== undefined && !(await holds(this.#target, over))) {
      await this.discard();
      refuseEditedMeanwhile(this.#live);
    }
    await rename(this.path, this.#target);
    this.#inPlace = true;
    crashPoint('candidate.renamed');
    await fsyncFolder(dirname(this.#target));
  }

  async discard(): Promise<void> {
    await rm(this.path, { force: true });
  }
}

async function holds(path: string, text: string | null): Promise<boolean> {
  try {
    const bytes = await readFile(path);
    return text !== null && bytes.equals(Buffer.from(text));
  } catch (error) {
    if (isMissing(error)) return text === null;
    throw error;
  }
}
