// Files of certificates that are newer than the database: after a restore of an older one, or because another process
// wrote them. They may be the only copy of a key, so they are kept as `c-….pem.newer` until an operator deletes them.
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
