// The files that HAProxy reads at a start or reload, below PROXY_MANAGER_TLS_DIR:
//
//   default.pem         for names without a certificate; made once, and an operator may replace it
//   certificates.list   the crt-list: one line for each certificate, and no names, so that HAProxy takes them from it
//   c-<10 base32>.pem   leaf, chain and key; the name stays through renewals. A link to default.pem if HAProxy refuses it
//   c-….pem.newer       a certificate that another process wrote, see newer-files.ts; never deleted
//   .tmp                temporary files; those of earlier runs are deleted at each start. Also the lock of the folder
//
// The database is the truth. Files of other names are not touched.
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { getegid, getgroups, getuid } from 'node:process';
import { createSecretFile, fsyncFolder, isMissing, temporaryPath, writeSecretFile } from '../files/atomic-file.ts';
import { makeFolderDurably } from '../files/durable-folder.ts';
import type { SecretText } from '../secrets/secret-text.ts';
import { freeName, identityBeforeRename, identityOf, linkTarget } from './file-identity.ts';
import { FolderLock, type TakenLock } from './folder-lock.ts';
import { keepBeside } from './kept-files.ts';
import { certificateIn, type FoundContent, newerIn, UNREADABLE } from './pem-file.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** Of `temporaryPath` and `temporary`. */
const TEMPORARY = /^(\..+\.\d+\.[0-9a-f]{12}\.tmp|check-[0-9a-f]{12})$/;
const CERTIFICATE_FILE = /^c-[a-z2-7]{10}\.pem$/;
const NEWER_FILE = /^(c-[a-z2-7]{10})\.pem\.newer(-\d+)?$/;

/** The folder cannot be used. The message says why and what to do. */
export class TlsFolderUnusable extends Error {
  override readonly name = 'TlsFolderUnusable';
}

interface Written {
  readonly sha256: string;
  /** Of the file that was written, or read and found to be equal. */
  readonly identity: string;
  /** When it was written, of `performance.now()`; negative infinity: it was there. */
  readonly at: number;
}

export class TlsFiles {
  readonly folder: string;
  readonly defaultCertificate: string;
  readonly list: string;
  readonly #prefix: string;
  readonly #temporary: string;
  readonly #lock: FolderLock;
  /** By path, what this service wrote or found to be right. */
  readonly #known = new Map<string, Written>();

  /**
   * @param folder absolute
   * @param takeLock throws an Error with the reason if another service has it. Default: no lock
   */
  constructor(folder: string, takeLock: (path: string) => TakenLock | null = () => null) {
    this.folder = folder;
    // `join` for each of thousands of lines would take milliseconds.
    this.#prefix = join(folder, '/');
    this.defaultCertificate = join(folder, 'default.pem');
    this.list = join(folder, 'certificates.list');
    this.#temporary = join(folder, '.tmp');
    this.#lock = new FolderLock(this.temporary('lock'), takeLock);
  }

  /** Of a certificate by its id. */
  pathOf(id: string): string {
    const name = `${id}.pem`;
    if (!CERTIFICATE_FILE.test(name)) throw new RangeError(`${JSON.stringify(id)} is no id of a certificate`);
    return this.#prefix + name;
  }

  /** The reverse of `pathOf`. */
  idOf(path: string): string {
    return basename(path, '.pem');
  }

  /**
   * Makes the folder if it is missing, locks it, and removes the temporary files of earlier runs.
   * @throws TlsFolderUnusable if other users may read or replace what is in it, or another service uses it
   */
  async open(): Promise<void> {
    // A crt-list, and the command line, would take what follows for a line number or a comment.
    if (/[\s:;#"'\\]/.test(this.folder)) {
      throw new TlsFolderUnusable(
        `the folder ${JSON.stringify(this.folder)} cannot be named in a list of HAProxy: set PROXY_MANAGER_TLS_DIR to a path without blanks, quotes, "\\", ":", ";" and "#"`,
      );
    }
    await makeFolderDurably(this.folder, FOLDER_MODE);
    const problem = folderProblem(this.folder, await stat(this.folder));
    if (problem !== null) throw new TlsFolderUnusable(problem);
    await mkdir(this.#temporary, { recursive: true, mode: FOLDER_MODE });
    if ((await lstat(this.#temporary)).isSymbolicLink()) {
      throw new TlsFolderUnusable(
        `${this.#temporary} is a link, and temporary files in it would be deleted: remove it`,
      );
    }
    this.#lockFolder();
    for (const name of await readdir(this.#temporary)) {
      if (TEMPORARY.test(name)) await rm(join(this.#temporary, name), { recursive: true });
    }
    await fsyncFolder(this.#temporary);
  }

  /** Makes the folder again if another process removed it. @throws TlsFolderUnusable if another service has it now */
  async ensureFolder(): Promise<void> {
    await makeFolderDurably(this.#temporary, FOLDER_MODE);
    this.#lockFolder();
  }

  /** Another service may use the folder. */
  close(): void {
    this.#lock.free();
  }

  /** Before each change: another process may have replaced the folder, and its lock with it. */
  #lockFolder(): void {
    try {
      this.#lock.ensure();
    } catch (error) {
      throw new TlsFolderUnusable(`the folder ${this.folder} cannot be used: ${(error as Error).message}`);
    }
  }

  /** Writes the default certificate if there is none. Returns whether it did. */
  async ensureDefault(make: () => SecretText): Promise<boolean> {
    try {
      const found = await lstat(this.defaultCertificate);
      // One of another user, such as root, stays as it is: the folder keeps others out.
      const isOwn = found.isFile() && found.uid === getuid?.();
      if (isOwn && (found.mode & 0o077) !== 0) {
        this.#lockFolder();
        await chmod(this.defaultCertificate, FILE_MODE);
      }
      return false;
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    return await this.#writeDefault(make);
  }

  /**
   * Never replaces one that an operator puts there meanwhile. Returns whether it was written.
   * @param makeRoom once the new one is on the disk, which may be full
   */
  async #writeDefault(make: () => SecretText, makeRoom?: () => Promise<void>): Promise<boolean> {
    this.#lockFolder();
    const pem = make().reveal();
    if (!(await createSecretFile(this.defaultCertificate, pem, this.#temporary, makeRoom))) return false;
    await this.#remember(this.defaultCertificate, digestOf(pem));
    return true;
  }

  /**
   * Durable on return, mode 600, unless the file has this content and mode already.
   * @returns whether it was written
   */
  async write(id: string, pem: { reveal(): string }): Promise<boolean> {
    return await this.#write(this.pathOf(id), pem.reveal());
  }

  /**
   * Call it before `write`. A file that this service did not write may have the only copy of a newer key: after a restore
   * of an older database, or because another process wrote it.
   * @returns where it is kept; null: it is ours, or has no newer certificate
   */
  async keepNewer(id: string, pem: { reveal(): string }): Promise<string | null> {
    const path = this.pathOf(id);
    if (await this.#isKnown(path)) return null;
    const found = await newerIn(path, pem.reveal());
    if (found === null || this.#wrote(path, found)) return null;
    this.#lockFolder();
    return await keepBeside(path, found, this.#temporary);
  }

  /**
   * Call it before a link takes the place of the file, or it is deleted. Keeps a certificate that this service did not
   * write, or that it may not read, under a name of `newer`.
   * @param own SHA-256 of certificates that this service stored for this id; called only for a file of another process
   * @returns where it is kept; null: there is none
   */
  async setAside(id: string, own: () => Promise<ReadonlySet<string>>): Promise<string | null> {
    const path = this.pathOf(id);
    if (await this.#isKnown(path)) return null;
    const found = await certificateIn(path);
    if (found === null || this.#wrote(path, found.content) || (await own()).has(found.sha256 ?? '')) return null;
    this.#lockFolder();
    return await keepBeside(path, found.content, null);
  }

  /** Files of `keepNewer`, and copies of them under the next number: by path, the id of the certificate. */
  async newer(): Promise<ReadonlyMap<string, string>> {
    const found = (await readdir(this.folder)).flatMap((name) => {
      const id = NEWER_FILE.exec(name)?.[1];
      return id === undefined ? [] : [[join(this.folder, name), id] as const];
    });
    return new Map(found);
  }

  /** Whether a file of this name would be one of `newer`. */
  isNewerName(name: string): boolean {
    return NEWER_FILE.test(name);
  }

  /** Whether this content is the last that this process wrote there, though owner, mode or times may differ. */
  #wrote(path: string, content: FoundContent): boolean {
    return content !== UNREADABLE && this.#known.get(path)?.sha256 === digestOf(content);
  }

  /** @param ids in the order of the lines. Returns whether it was written. */
  async writeList(ids: readonly string[]): Promise<boolean> {
    return await this.#write(this.list, ids.map((id) => `${this.pathOf(id)}\n`).join(''));
  }

  /** A missing file is as wanted. Parameter and result as of `setAside`. */
  async remove(id: string, own: () => Promise<ReadonlySet<string>>): Promise<string | null> {
    this.#lockFolder();
    const path = this.pathOf(id);
    const kept = await this.setAside(id, own);
    try {
      await unlink(path);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    this.#known.delete(path);
    await fsyncFolder(this.folder);
    return kept;
  }

  /** Whether the certificate's file is the one last written, by its metadata: 20 µs. */
  async unchanged(id: string): Promise<boolean> {
    return await this.#isKnown(this.pathOf(id));
  }

  /** The paths that this process wrote since then. @param time of `performance.now()` */
  writtenSince(time: number): readonly string[] {
    return [...this.#known].flatMap(([path, { at }]) => (at >= time ? [path] : []));
  }

  async listUnchanged(): Promise<boolean> {
    return await this.#isKnown(this.list);
  }

  /** Of the files, and links, that have the name of one. */
  async ids(): Promise<string[]> {
    const entries = await readdir(this.folder, { withFileTypes: true });
    const files = entries.filter((entry) => CERTIFICATE_FILE.test(entry.name) && !entry.isDirectory());
    return files.map(({ name }) => name.slice(0, -'.pem'.length));
  }

  async exists(id: string): Promise<boolean> {
    return (await identityOf(this.pathOf(id))) !== null;
  }

  /**
   * In place of a certificate that HAProxy refuses. Needs no room on the disk, and names the default certificate as it is
   * at the next reload.
   */
  async linkToDefault(id: string): Promise<void> {
    this.#lockFolder();
    const path = this.pathOf(id);
    const target = basename(this.defaultCertificate);
    if ((await linkTarget(path)) !== target) {
      const temporary = temporaryPath(join(this.#temporary, basename(path)));
      await symlink(target, temporary);
      await rename(temporary, path);
      await fsyncFolder(this.folder);
    }
    await this.#remember(path, `link to ${target}`);
  }

  /** Whether `linkToDefault` made it. */
  async isLinkToDefault(id: string): Promise<boolean> {
    return (await linkTarget(this.pathOf(id))) === basename(this.defaultCertificate);
  }

  /** The ids in the list; null: there is no list. */
  async listed(): Promise<ReadonlySet<string> | null> {
    try {
      const lines = new Set((await readFile(this.list, 'utf8')).split('\n'));
      return new Set((await this.ids()).filter((id) => lines.has(this.pathOf(id))));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Keeps the old one under another name, which it returns: an operator may have put it there. */
  async replaceDefault(make: () => SecretText): Promise<string> {
    const { name: kept } = await freeName(`${this.defaultCertificate}.refused`);
    // After a crash between the two, a start makes another one.
    await this.#writeDefault(make, () => rename(this.defaultCertificate, kept));
    return kept;
  }

  /** A path for what is removed after its use. */
  temporary(name: string): string {
    return join(this.#temporary, name);
  }

  async #isKnown(path: string): Promise<boolean> {
    const known = this.#known.get(path);
    return known !== undefined && known.identity === (await identityOf(path));
  }

  async #write(path: string, content: string): Promise<boolean> {
    const sha256 = digestOf(content);
    const known = this.#known.get(path);
    const before = await identityOf(path);
    if (before !== null && known?.sha256 === sha256 && known.identity === before) return false;
    if (before?.startsWith('600 ') === true && known === undefined && (await readDigest(path)) === sha256) {
      this.#known.set(path, { sha256, identity: before, at: Number.NEGATIVE_INFINITY });
      return false;
    }
    this.#lockFolder();
    const written = await writeSecretFile(path, content, this.#temporary);
    await this.#remember(path, sha256, identityBeforeRename(written));
    return true;
  }

  /** @param begins how the identity of what was written begins */
  async #remember(path: string, sha256: string, begins = ''): Promise<void> {
    const found = await identityOf(path);
    if (found === null) throw new Error(`${path} was removed while it was written`);
    // Another process may have changed it meanwhile: the beginning alone is the identity of no file.
    const identity = found.startsWith(begins) ? found : begins;
    this.#known.set(path, { sha256, identity, at: performance.now() });
  }
}

function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

async function readDigest(path: string): Promise<string> {
  return digestOf(await readFile(path));
}

/** Why other users could read private keys in it, or replace them; null: they cannot. */
function folderProblem(folder: string, { mode, uid, gid }: Stats): string | null {
  const own = getuid?.() ?? 0;
  if (uid !== own && uid !== 0) return `the folder ${folder} belongs to user ${uid}: chown ${own} ${folder}`;
  const groups = [0, getegid?.() ?? 0, ...(getgroups?.() ?? [])];
  const who = (mode & 0o007) !== 0 ? 'every user' : (mode & 0o070) !== 0 && !groups.includes(gid) && `the group ${gid}`;
  if (who === false) return null;
  const octal = (mode & 0o777).toString(8);
  return `${who} may use the folder ${folder}, which has private keys (mode ${octal}): chmod 700 ${folder}`;
}
