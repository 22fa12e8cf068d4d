// Keeps the files of all certificates as the database says. Its own lock, apart from the installer's: a worker that
// hangs must not delay a reload.
import { basename } from 'node:path';
import { Mutex } from '../concurrency/mutex.ts';
import { crashPoint } from '../faults/crash-point.ts';
import { causeText } from '../telemetry/cause-text.ts';
import type { Log } from '../telemetry/log.ts';
import { ensureDefaultCertificate, replaceDefaultCertificate } from './default-certificate.ts';
import { fileProblems } from './file-problems.ts';
import type { TlsFiles } from './files.ts';
import type { CertificateToInstall, WantedCertificates } from './installation.ts';
import { NewerFiles } from './newer-files.ts';
import type { ProxyCheck } from './proxy-check.ts';
import { NO_CHECK, RefusedCertificates, type RefusedCheck } from './refused-certificates.ts';
import { removeStrays } from './stray-files.ts';
import { UndeletedFiles } from './undeleted-files.ts';
import { UnwrittenFiles } from './unwritten-files.ts';

/** A certificate without its key, which is read from the database when a file or worker needs it. */
export type WantedCertificate = Omit<CertificateToInstall, 'pem'>;

interface FileKeeperDeps {
  readonly files: TlsFiles;
  readonly wanted: WantedCertificates;
  readonly check: Pick<ProxyCheck, 'refusals' | 'refusalsOf'>;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly now: () => Date;
}

export class FileKeeper {
  readonly #deps: FileKeeperDeps;
  readonly #lock = new Mutex();
  readonly #wanted = new Map<string, WantedCertificate>();
  /** Without a readable key: only their files have it. By id, why. */
  #unreadable = new Map<string, string>();
  /** Ids in the list that was written last, or was to be. */
  #lastListed: ReadonlySet<string> = new Set();
  /** Their files are links to the default certificate; without a readable key, the list has no line for them. */
  readonly #refused: RefusedCertificates;
  /** Files that could not be written. By id, or the list. */
  readonly #unwritten: UnwrittenFiles;
  readonly #undeleted: UndeletedFiles;
  readonly #newer: NewerFiles;
  /** Certificates that have a file. */
  readonly #onDisk = new Set<string>();
  #problem: string | null = null;
  /** False: what the database has is not known, so no file is changed. */
  #isLoaded = false;

  constructor(deps: FileKeeperDeps) {
    this.#deps = deps;
    this.#refused = new RefusedCertificates(deps);
    this.#newer = new NewerFiles(deps);
    this.#undeleted = new UndeletedFiles((id) => this.#newer.remove(id), deps.log);
    this.#unwritten = new UnwrittenFiles(deps.log);
  }

  /** At start, before HAProxy reads them. @throws TlsFolderUnusable, or when the database cannot be read */
  async load(): Promise<void> {
    await this.#lock.run(async () => {
      try {
        await this.#load();
        this.#problem = null;
      } catch (error) {
        this.#problem = causeText(error);
        throw error;
      }
    });
  }

  /** False: `load` failed, and `refresh` tries again. Files and workers are to be left as they are. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** In the order of their ids. */
  get wanted(): readonly WantedCertificate[] {
    return [...this.#wanted.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  }

  get(id: string): WantedCertificate | undefined {
    return this.#wanted.get(id);
  }

  /** Whether the file of this certificate belongs into the list, though its key may be unreadable. */
  isWanted(id: string): boolean {
    return this.#wanted.has(id) || this.#unreadable.has(id);
  }

  /** Whether a reload would bring this version in. */
  isDurable({ id, version }: Pick<WantedCertificate, 'id' | 'version'>): boolean {
    return (
      this.#wanted.get(id)?.version === version &&
      !this.#unwritten.has(id) &&
      !this.#unwritten.has(LIST) &&
      !this.#refused.has(id)
    );
  }

  /** Why HAProxy cannot serve it after a start or a reload, and the default certificate instead; null: it can. */
  whyLost(id: string): string | null {
    const refused = this.#refused.reasons.get(id);
    if (refused !== undefined) return `HAProxy refuses it (${refused})`;
    const unreadable = this.#unreadable.get(id);
    return unreadable === undefined || this.#onDisk.has(id) ? null : `it has no file, and ${unreadable}`;
  }

  /** By id, why only its file has the key. They are not compared with the workers. */
  get unreadable(): ReadonlyMap<string, string> {
    return this.#unreadable;
  }

  /** Files are not as wanted, and may be soon: after a full disk, for example. */
  get isBehind(): boolean {
    return this.#unwritten.size > 0 || this.#undeleted.size > 0 || this.#refused.hasNew || this.#problem !== null;
  }

  /** Whether the file of this name in the folder is the one that was last written: of a few names, instead of all. */
  async isAsWritten(name: string): Promise<boolean> {
    const { files } = this.#deps;
    if (name === basename(files.list)) return await files.listUnchanged();
    // Health names them until they are deleted.
    if (files.isNewerName(name)) return false;
    const id = name.replace(/\.pem$/, '');
    if (this.#wanted.has(id)) return await files.unchanged(id);
    // Of these this service writes none; a missing one makes a configuration invalid.
    return name !== basename(files.defaultCertificate) && !this.#unreadable.has(id);
  }

  pathOf(id: string): string {
    return this.#deps.files.pathOf(id);
  }

  /**
   * Writes a new or changed certificate, and its line in the list. `isDurable` says whether that succeeded.
   * @throws as `load`, if the others are not known yet
   */
  async put(certificate: CertificateToInstall): Promise<void> {
    await this.#lock.run(async () => {
      if (!this.#isLoaded) await this.#load();
      const { id, version } = certificate;
      // The same version is refused as before: only `restore` checks it again.
      if (this.#wanted.get(id)?.version !== version) this.#refused.delete(id);
      this.#remember(certificate);
      this.#unreadable.delete(id);
      await this.#write(certificate);
      crashPoint('tls.file-written');
      // A renewal does not change it, and thousands of lines take milliseconds in which no request is answered.
      if (!(await this.#isListRight())) await this.#writeList();
      crashPoint('tls.list-written');
    });
  }

  /** Takes it out of the list, so that the file may go. @throws when the list cannot be written, and as `load` */
  async unlist(id: string): Promise<void> {
    await this.#lock.run(async () => {
      if (!this.#isLoaded) await this.#load();
      const before = { wanted: this.#wanted.get(id), unreadable: this.#unreadable.get(id) };
      this.#wanted.delete(id);
      this.#unreadable.delete(id);
      await this.#writeList();
      const why = this.#unwritten.reasons.get(LIST);
      if (why === undefined) return;
      if (before.wanted !== undefined) this.#wanted.set(id, before.wanted);
      if (before.unreadable !== undefined) this.#unreadable.set(id, before.unreadable);
      throw new Error(`the list of certificates could not be written: ${why}`);
    });
    crashPoint('tls.list-shortened');
  }

  /** After `unlist`, of a certificate without a readable key: back into the list. False: it is there. */
  async relist(id: string, why: string): Promise<boolean> {
    return await this.#lock.run(async () => {
      if (!this.#isLoaded || this.isWanted(id)) return false;
      this.#unreadable.set(id, why);
      await this.#writeList();
      return true;
    });
  }

  /** After `unlist`, and once the database does not have the certificate. False: `refresh` tries again. Never throws. */
  async deleteFile(id: string): Promise<boolean> {
    return await this.#lock.run(async () => {
      this.#unwritten.delete(id);
      this.#refused.delete(id);
      this.#onDisk.delete(id);
      return await this.#undeleted.delete(id);
    });
  }

  /** Files with private keys beside the one of this certificate, which this service never deletes. */
  keptFiles(id: string): readonly string[] {
    return this.#newer.pathsOf(id);
  }

  /**
   * Before HAProxy reads the files: writes those that differ from the database. Never throws: a file that cannot be
   * written must not keep a block from being enforced.
   */
  async refresh(): Promise<void> {
    const { log } = this.#deps;
    await this.#lock.run(async () => {
      try {
        if (!this.#isLoaded) await this.#load();
        await this.#rewriteChanged();
        await this.#undeleted.retry();
        await this.#newer.find();
        this.#problem = null;
      } catch (error) {
        const cause = causeText(error);
        if (this.#problem !== cause) log.error('Files of certificates could not be checked', { cause });
        this.#problem = cause;
      }
    });
  }

  /**
   * HAProxy refused a configuration. Puts the default certificate in the place of those that it refuses, so that none
   * ever keeps a block from being enforced. Never throws.
   * @param output of the check; null: not known, and all certificates are checked
   * @returns whether a file was changed, so that another check may pass
   */
  async substitute(output: string | null, check: RefusedCheck = NO_CHECK): Promise<boolean> {
    return await this.#lock.run(async () => {
      // Until the database was read, the list and the files of certificates stay as they are.
      const onDisk = this.#isLoaded ? this.#idsOnDisk() : { readable: [], unreadable: [] };
      const refused = await this.#refused.find(output, onDisk);
      const mayRewrite = this.#isLoaded && check.number <= WRITTEN_BACK_TIMES;
      if (mayRewrite && (await this.#isOutdated(output, refused, check))) return true;
      let isChanged = false;
      for (const [path, why] of refused) isChanged = (await this.#substituteOne(path, why)) || isChanged;
      return isChanged;
    });
  }

  /**
   * Puts certificates that HAProxy accepts again back into their files, between installations. Never throws.
   * @param all also those that were tried before  @returns the ids of those that are back
   */
  async restore(all = true): Promise<readonly string[]> {
    const restored: string[] = [];
    if (!this.#isLoaded || !(all || this.#refused.hasNew)) return restored;
    for (const [id, certificate] of await this.#refused.acceptedAgain([...this.#unreadable.keys()])) {
      this.#refused.delete(id);
      if (certificate === null) await this.#lock.run(() => this.#writeList());
      else await this.put(certificate);
      if (!this.#unwritten.has(id) && !this.#unwritten.has(LIST)) restored.push(id);
    }
    return restored;
  }

  /** For `/health`, each as a sentence. */
  problems(): readonly string[] {
    return fileProblems({
      unchecked: this.#problem,
      unwritten: [...this.#unwritten.reasons].map(([what, why]) => [this.#pathOf(what), why]),
      undeleted: [...this.#undeleted.reasons].map(([id, why]) => [this.#pathOf(id), why]),
      refused: this.#refused.reasons,
      unreadable: this.#unreadable,
      hasFile: (id) => this.#onDisk.has(id),
      newer: this.#newer.paths,
    });
  }

  async #load(): Promise<void> {
    const { files, wanted, log } = this.#deps;
    await files.open();
    await ensureDefaultCertificate(this.#deps);
    this.#unreadable = new Map((await wanted.unreadable()).map(({ id, why }) => [id, why]));
    for (const id of this.#unreadable.keys()) if (await files.exists(id)) this.#onDisk.add(id);
    const certificates = await wanted.all();
    for (const certificate of certificates) this.#remember(certificate);
    await this.#refused.recall({ ...this.#idsOnDisk(), readable: [...this.#wanted.keys()] });
    await this.#writeAll(certificates);
    await this.#writeList();
    await removeStrays({ files, newer: this.#newer, wanted, log }, (id) => this.isWanted(id));
    await this.#newer.find();
    this.#isLoaded = true;
  }

  #idsOnDisk() {
    const ids = [...this.#onDisk];
    return {
      readable: ids.filter((id) => this.#wanted.has(id)),
      unreadable: ids.filter((id) => this.#unreadable.has(id)),
    };
  }

  #pathOf(what: string): string {
    const { files } = this.#deps;
    if (what === LIST) return files.list;
    return what === DEFAULT ? files.defaultCertificate : files.pathOf(what);
  }

  /** HAProxy read other files than the database has: another process removed or damaged them. */
  async #isOutdated(
    output: string | null,
    refused: ReadonlyMap<string, string>,
    { began }: RefusedCheck,
  ): Promise<boolean> {
    const { files, log } = this.#deps;
    try {
      const isRewritten = await this.#rewriteChanged();
      const isNamed = (path: string): boolean => refused.has(path) || output?.includes(path) === true;
      return isRewritten || files.writtenSince(began).some(isNamed);
    } catch (error) {
      log.error('Files of certificates could not be checked', { cause: causeText(error) });
      return false;
    }
  }

  async #substituteOne(path: string, why: string): Promise<boolean> {
    const { files, log } = this.#deps;
    if (path === files.defaultCertificate) return await replaceDefaultCertificate(this.#deps, why);
    const id = files.idOf(path);
    try {
      this.#refused.add(id, why);
      const own = this.#wanted.get(id)?.sha256s[0];
      // The file is the only copy of this key: it stays, out of the list.
      if (own === undefined) await this.#writeList();
      else {
        await this.#newer.setAside(id, own);
        await files.linkToDefault(id);
      }
      log.error('HAProxy refuses a certificate; the default certificate takes its place', { certificate: id, why });
      return true;
    } catch (error) {
      this.#refused.delete(id);
      log.error('A certificate that HAProxy refuses could not be replaced', {
        certificate: id,
        cause: causeText(error),
      });
      return false;
    }
  }

  #remember({ id, version, names, sha1, sha256s, chainSubjects }: CertificateToInstall): void {
    this.#wanted.set(id, { id, version, names, sha1, sha256s, chainSubjects });
  }

  /** Writes the files that are not as in the database. Returns whether a file was written. */
  async #rewriteChanged(): Promise<boolean> {
    const { files, log } = this.#deps;
    await files.ensureFolder();
    const isMade = await this.#unwritten.attempt(DEFAULT, () => ensureDefaultCertificate(this.#deps));
    const foreign: string[] = [];
    for (const id of this.#wanted.keys()) {
      if (!this.#unwritten.has(id) && !(await files.unchanged(id))) foreign.push(id);
    }
    for (const id of this.#unreadable.keys()) if (!(await files.exists(id))) this.#onDisk.delete(id);
    const isListForeign = !this.#unwritten.has(LIST) && !(await files.listUnchanged());
    const paths = [...(isListForeign ? [files.list] : []), ...foreign.map((id) => files.pathOf(id))];
    if (paths.length > 0) {
      const shown = paths.slice(0, SHOWN_FILES);
      log.warn('Files of certificates were changed by another process; rewriting them', { files: shown });
    }
    const due = new Set([...foreign, ...this.#unwritten.reasons.keys()]);
    for (const what of [LIST, DEFAULT]) due.delete(what);
    if (due.size > 0) await this.#rewrite(due);
    const isListWritten = await this.#writeList();
    return isMade || isListWritten || foreign.some((id) => !this.#unwritten.has(id));
  }

  async #rewrite(ids: ReadonlySet<string>): Promise<void> {
    const certificates = await this.#deps.wanted.all(ids);
    await this.#writeAll(certificates.filter(({ id }) => this.#wanted.has(id)));
  }

  /** Several at a time: each waits for the disk twice, and there may be thousands. */
  async #writeAll(certificates: readonly CertificateToInstall[]): Promise<void> {
    for (let from = 0; from < certificates.length; from += WRITTEN_AT_ONCE) {
      await Promise.all(certificates.slice(from, from + WRITTEN_AT_ONCE).map((one) => this.#write(one)));
    }
  }

  /** A failure is kept in `#unwritten`: workers get the certificate all the same. */
  async #write({ id, pem, sha256s }: CertificateToInstall): Promise<void> {
    const { files } = this.#deps;
    await this.#unwritten.attempt(id, async () => {
      if (this.#refused.has(id)) {
        await this.#newer.setAside(id, sha256s[0]!);
        await files.linkToDefault(id);
        return true;
      }
      await this.#newer.keep(id, pem);
      try {
        return await files.write(id, pem);
      } catch (error) {
        // It was moved away, and a link needs no room: the list on a full disk must not name a missing file.
        if (!(await files.exists(id))) await files.linkToDefault(id);
        throw error;
      }
    });
    if (!this.#unwritten.has(id) || (await files.exists(id))) this.#onDisk.add(id);
    else this.#onDisk.delete(id);
  }

  /** A line of a missing file would make the configuration invalid. */
  #isListed(id: string): boolean {
    return this.#onDisk.has(id) && (this.#wanted.has(id) || (this.#unreadable.has(id) && !this.#refused.has(id)));
  }

  #idsToList(): string[] {
    return [...this.#wanted.keys(), ...this.#unreadable.keys()].filter((id) => this.#isListed(id));
  }

  /** No other process changed it, and it has what it is to have. */
  async #isListRight(): Promise<boolean> {
    const ids = this.#idsToList();
    const has = ids.length === this.#lastListed.size && ids.every((id) => this.#lastListed.has(id));
    return has && !this.#unwritten.has(LIST) && (await this.#deps.files.listUnchanged());
  }

  /** Returns whether it was written. */
  async #writeList(): Promise<boolean> {
    const ids = this.#idsToList();
    this.#lastListed = new Set(ids);
    return await this.#unwritten.attempt(LIST, () => this.#deps.files.writeList(ids.toSorted()));
  }
}

/** Another process that changes them again and again must not keep blocks from being enforced. */
const WRITTEN_BACK_TIMES = 3;
const LIST = 'list';
const DEFAULT = 'default';
const SHOWN_FILES = 20;
const WRITTEN_AT_ONCE = 16;
