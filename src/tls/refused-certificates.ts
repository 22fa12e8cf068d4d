// The certificates that HAProxy refuses: what it says of them, and whether it accepts them again.
import { causeText } from '../telemetry/cause-text.ts';
import type { Log } from '../telemetry/log.ts';
import type { TlsFiles } from './files.ts';
import type { CertificateToInstall, WantedCertificates } from './installation.ts';
import { type ProxyCheck, pathsIn } from './proxy-check.ts';

const SHOWN = 300;
const BEFORE = 'refused before the service started';

interface Deps {
  readonly files: Pick<TlsFiles, 'pathOf' | 'defaultCertificate' | 'isLinkToDefault' | 'listed'>;
  readonly wanted: Pick<WantedCertificates, 'all'>;
  readonly check: Pick<ProxyCheck, 'refusals' | 'refusalsOf'>;
  readonly log: Pick<Log, 'error'>;
}

/** Ids of certificates that have a file. */
interface OnDisk {
  /** The service may write their files. */
  readonly readable: readonly string[];
  /** The only copy of the key is in the file. */
  readonly unreadable: readonly string[];
}

/** A check of a configuration that HAProxy refused. */
export interface RefusedCheck {
  /** Of `performance.now()`: it did not read what was written later. */
  readonly began: number;
  /** From 1, of one reload. */
  readonly number: number;
}

export const NO_CHECK: RefusedCheck = { began: Number.POSITIVE_INFINITY, number: 1 };

export class RefusedCertificates {
  readonly #deps: Deps;
  /** By id, what HAProxy said. */
  readonly #refused = new Map<string, string>();
  #hasNew = false;
  /** Why they could not be checked again. */
  #unchecked: string | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** By id, what HAProxy said. */
  get reasons(): ReadonlyMap<string, string> {
    return this.#refused;
  }

  has(id: string): boolean {
    return this.#refused.has(id);
  }

  /** Some were added since `acceptedAgain`: maybe another process had damaged their files, and HAProxy accepts them. */
  get hasNew(): boolean {
    return this.#hasNew;
  }

  add(id: string, why: string): void {
    this.#hasNew ||= !this.#refused.has(id);
    this.#refused.set(id, why);
  }

  delete(id: string): void {
    this.#refused.delete(id);
  }

  /**
   * At start: another process may start HAProxy at any time, so what it refused is not brought back unchecked. The files
   * tell: links to the default certificate, and files that the list was left without. Checks them.
   */
  async recall({ readable, unreadable }: OnDisk): Promise<void> {
    const { files } = this.#deps;
    for (const id of readable) if (await files.isLinkToDefault(id)) this.add(id, BEFORE);
    const listed = unreadable.length === 0 ? null : await files.listed();
    for (const id of unreadable) if (listed?.has(id) === false) this.add(id, BEFORE);
    for (const id of (await this.acceptedAgain(unreadable)).keys()) this.delete(id);
  }

  /**
   * Those that HAProxy accepts now; null: only the file has the key. Never throws.
   * @param unreadable ids of which the only copy of the key is in the file
   */
  async acceptedAgain(unreadable: readonly string[]): Promise<ReadonlyMap<string, CertificateToInstall | null>> {
    const { files, wanted, check, log } = this.#deps;
    const accepted = new Map<string, CertificateToInstall | null>();
    this.#hasNew = false;
    if (this.#refused.size === 0) return accepted;
    try {
      const due = await wanted.all(new Set(this.#refused.keys()));
      const refused = await check.refusalsOf(new Map(due.map(({ id, pem }) => [id, pem])));
      const kept = unreadable.filter((id) => this.has(id));
      const keptRefused = await check.refusals(kept.map((id) => files.pathOf(id)));
      for (const one of due) {
        const why = refused.get(one.id);
        if (why === undefined) accepted.set(one.id, one);
        else this.add(one.id, why);
      }
      for (const id of kept) {
        const why = keptRefused.get(files.pathOf(id));
        if (why === undefined) accepted.set(id, null);
        else this.add(id, why);
      }
      this.#unchecked = null;
    } catch (error) {
      const cause = causeText(error);
      if (this.#unchecked !== cause)
        log.error('Certificates that HAProxy refused could not be checked again', { cause });
      this.#unchecked = cause;
    }
    return accepted;
  }

  /**
   * Which files HAProxy refuses, by path, when it refuses a configuration. All are checked when its output names one:
   * HAProxy 2.6 names the first of a list alone, and names the link when the default certificate is refused. Files that it
   * only names are not refused, unless the check finds none: then they do not fit the complete configuration. Never throws.
   * @param output of HAProxy; null: not known, and all files are checked
   */
  async find(output: string | null, { readable, unreadable }: OnDisk): Promise<ReadonlyMap<string, string>> {
    const { files, check, log } = this.#deps;
    const own = [...readable, ...unreadable].filter((id) => !this.has(id));
    const paths = [...own.map((id) => files.pathOf(id)), files.defaultCertificate];
    const links = readable.filter((id) => this.has(id)).map((id) => files.pathOf(id));
    const named = namedIn(output ?? '', paths);
    if (output !== null && named.size === 0 && namedIn(output, links).size === 0) return named;
    try {
      const refused = await check.refusals(paths);
      if (refused.size > 0) return refused;
    } catch (error) {
      const cause = causeText(error);
      log.error('Certificates could not be checked; only those that HAProxy names are replaced', { cause });
    }
    return named;
  }
}

/** In alerts, which HAProxy 3 writes in several lines. What a warning names is no obstacle. */
function namedIn(output: string, paths: readonly string[]): ReadonlyMap<string, string> {
  const known = new Set(paths);
  const named = new Map<string, string>();
  for (const alert of output.split(/^(?=\[)/m).filter((entry) => entry.startsWith('[ALERT]'))) {
    for (const line of alert.split('\n')) {
      for (const path of pathsIn(line)) {
        if (known.has(path) && !named.has(path)) named.set(path, line.trim().slice(0, SHOWN));
      }
    }
  }
  return named;
}
