// Files of certificates that are newer than the database: after a restore of an older one, or because another process
// wrote them. They may be the only copy of a key, so they are kept as `c-….pem.newer` until an operator deletes them.
import { X509Certificate } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { isMissing } from '../files/atomic-file.ts';
import type { Log } from '../telemetry/log.ts';
import type { TlsFiles } from './files.ts';

interface Deps {
  readonly files: Pick<TlsFiles, 'keepNewer' | 'newer'>;
  readonly log: Pick<Log, 'warn'>;
}

export class NewerFiles {
  readonly #deps: Deps;
  /** By path, the id of the certificate. */
  #kept: ReadonlyMap<string, string> = new Map();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get paths(): readonly string[] {
    return [...this.#kept.keys()].toSorted();
  }

  /** Of one certificate, which the database need not have any more. */
  pathsOf(id: string): readonly string[] {
    return this.paths.filter((path) => this.#kept.get(path) === id);
  }

  /** Before the file of this certificate is written. @throws system errors: nothing may be written then */
  async keep(id: string, pem: { reveal(): string }): Promise<void> {
    const { files, log } = this.#deps;
    const file = await files.keepNewer(id, pem);
    if (file === null) return;
    this.#kept = new Map([...this.#kept, [file, id]]);
    log.warn('Newer file of a certificate kept; upload it, or delete the file', { file });
  }

  /** Those that are there now. @throws system errors */
  async find(): Promise<void> {
    this.#kept = await this.#deps.files.newer();
  }
}

/** What the file has, if its first certificate begins after that of `pem`; null: it does not, as a link or damaged file. */
export async function newerIn(path: string, pem: string): Promise<string | null> {
  const found = await contentOf(path);
  return found !== null && beginOf(found) > beginOf(pem) ? found : null;
}

/** What the file has, if that is a certificate. */
export async function certificateIn(path: string): Promise<string | null> {
  const found = await contentOf(path);
  return found !== null && beginOf(found) > Number.NEGATIVE_INFINITY ? found : null;
}

/** Null: no regular file. */
async function contentOf(path: string): Promise<string | null> {
  try {
    return (await lstat(path)).isFile() ? await readFile(path, 'utf8') : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Negative infinity: it has no certificate. */
function beginOf(pem: string): number {
  try {
    return new X509Certificate(pem).validFromDate.getTime();
  } catch {
    return Number.NEGATIVE_INFINITY;
  }
}
