// Files of certificates that are newer than the database: after a restore of an older one, or because another process
// wrote them. They may be the only copy of a key, so they are kept as `c-….pem.newer` until an operator deletes them.
import type { Log } from '../telemetry/log.ts';
import type { TlsFiles } from './files.ts';
import type { WantedCertificates } from './installation.ts';

interface Deps {
  readonly files: Pick<TlsFiles, 'keepNewer' | 'setAside' | 'remove' | 'newer'>;
  readonly wanted: Pick<WantedCertificates, 'removedAmong'>;
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
    this.#note(id, await this.#deps.files.keepNewer(id, pem));
  }

  /** Before a link takes the place of the file of this certificate. @throws system errors */
  async setAside(id: string, sha256: string): Promise<void> {
    this.#note(id, await this.#deps.files.setAside(id, async () => new Set([sha256])));
  }

  /**
   * Deletes the file of a removed certificate, unless another process wrote another certificate there.
   * @param own as of `removedAmong`; absent: it is read if needed  @returns whether it was deleted, or was not there
   */
  async remove(id: string, own?: ReadonlySet<string>): Promise<boolean> {
    const { files, wanted } = this.#deps;
    // Searches the audit log, which may be long.
    const stored = async (): Promise<ReadonlySet<string>> => (await wanted.removedAmong([id])).get(id) ?? new Set();
    const kept = await files.remove(id, own === undefined ? stored : async () => own);
    this.#note(id, kept);
    return kept === null;
  }

  /** Those that are there now. @throws system errors */
  async find(): Promise<void> {
    this.#kept = await this.#deps.files.newer();
  }

  #note(id: string, file: string | null): void {
    if (file === null) return;
    this.#kept = new Map([...this.#kept, [file, id]]);
    this.#deps.log.warn(
      'Certificate that the database does not have kept; upload it if it is needed, or delete the file',
      { file },
    );
  }
}
