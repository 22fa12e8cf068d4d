// The candidate is written beside the live file, validated there and renamed over it: the validated bytes are the
// deployed bytes, and the rename is the only switch.

import { chmod, chown, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { crashPoint } from '../../faults/crash-point.ts';
import { fsyncFolder, isMissing, resolveTarget, writeFileAtomically } from '../../files/atomic-file.ts';
import { sha256 } from '../backups/backup-files.ts';
import { toConfigurationError } from './configuration-error.ts';
import { refuseEditedMeanwhile } from './replace-consent.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class LiveFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Null: there is none yet. @throws ServiceError if it is not UTF-8, since a backup would change its bytes */
  async read(): Promise<string | null> {
    let bytes: Buffer;
    try {
      bytes = await readFile(this.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw toConfigurationError(error, 'read configuration');
    }
    try {
      return decoder.decode(bytes);
    } catch (cause) {
      throw new ServiceError(
        codes.ConfigurationFilesUnusable,
        'read configuration',
        `${this.path} is not UTF-8, so a backup could not keep it unchanged; convert it, for example with iconv -f latin1 -t utf-8`,
        { cause },
      );
    }
  }

  /** Durable on return, with the live file's mode and owner. */
  async stage(text: string, suffix = 'candidate'): Promise<Candidate> {
    // A symbolic link stays; its target is replaced.
    const target = await resolveTarget(this.path);
    const path = `${target}.${suffix}`;
    // A candidate left by a crash may have another mode and owner.
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

interface CandidateDeps {
  readonly path: string;
  readonly target: string;
  readonly live: string;
  readonly hash: string;
}

export class Candidate {
  readonly path: string;
  readonly #deps: CandidateDeps;
  #inPlace = false;

  constructor(deps: CandidateDeps) {
    this.#deps = deps;
    this.path = deps.path;
  }

  /** Renamed over the live file, but perhaps not durable yet. */
  get inPlace(): boolean {
    return this.#inPlace;
  }

  /**
   * @param over the known content of the live file, null: there is none. Any other content is an edit, and is kept
   * @throws when another process changed the candidate or the live file meanwhile; nothing is deployed then
   */
  async deploy(over?: string | null): Promise<void> {
    const found = sha256(await readFile(this.path, 'utf8'));
    if (found !== this.#deps.hash) {
      await this.discard();
      throw new ServiceError(
        codes.ConfigurationFilesUnusable,
        'deploy configuration',
        `another process changed ${this.path} while it was validated (sha256 ${found}, not ${this.#deps.hash}); nothing was deployed; retry`,
        { retryAfterSeconds: 1 },
      );
    }
    // As late as possible: an edit after this check is lost.
    if (over !== undefined && !(await holds(this.#deps.target, over))) {
      await this.discard();
      refuseEditedMeanwhile(this.#deps.live);
    }
    await rename(this.path, this.#deps.target);
    this.#inPlace = true;
    crashPoint('candidate.renamed');
    await fsyncFolder(dirname(this.#deps.target));
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
