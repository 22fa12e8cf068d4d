import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { crashPoint } from '../../faults/crash-point.ts';
import { fsyncFolder } from '../../files/atomic-file.ts';
import { makeFolderDurably } from '../../files/durable-folder.ts';
import { generatedMark } from '../template/builtin-template.ts';
import type { NamedFile } from '../template/sites-map.ts';
import {
  type BackupContent,
  type BackupMeta,
  configName,
  DamagedBackup,
  readBackup,
  readMeta,
  restoresSame,
  sha256,
  writeBackup,
} from './backup-files.ts';

interface BackupRequest {
  readonly reason: string;
  readonly note?: string;
  readonly configText: string;
  readonly writtenBy: 'proxy-manager' | 'other';
  readonly extraFiles: readonly NamedFile[];
  /** Copied, but never restored; missing ones are skipped. */
  readonly mapFiles: readonly string[];
}

interface BackupListing {
  /** Newest first. */
  readonly sets: readonly BackupMeta[];
  /** Folders that are not a complete backup. */
  readonly warnings: readonly string[];
}

const idForm = /^\d{8}T\d{9}Z-[0-9a-f]{8}$/;
const knownGoodLink = 'last-known-good';
const knownGoodFolder = /^\.known-good\.\d{8}T\d{9}Z-[0-9a-f]{8}$/;

/**
 * Backups, one folder each, and the last known good configuration: the one of the last confirmed reload. Hold the
 * reload lock for methods that write.
 */
export class BackupStore {
  readonly directory: string;
  readonly #now: () => Date;
  #latest = '';

  constructor(directory: string, now: () => Date = () => new Date()) {
    this.directory = directory;
    this.#now = now;
  }

  /** Durable on return. */
  async create(request: BackupRequest): Promise<BackupMeta> {
    await this.#prepareFolder();
    const id = this.#newId();
    const { configText, extraFiles: files, mapFiles } = request;
    const about = {
      id,
      created_at: this.#now().toISOString(),
      reason: request.reason,
      note: request.note ?? null,
      written_by: request.writtenBy,
    };
    return writeBackup(this.directory, id, { configText, files, mapFiles }, about);
  }

  async list(): Promise<BackupListing> {
    const sets: BackupMeta[] = [];
    const warnings: string[] = [];
    for (const name of (await this.#names()).sort().reverse()) {
      if (name === knownGoodLink || name.startsWith('.')) continue;
      if (!idForm.test(name)) {
        warnings.push(`${join(this.directory, name)} is not a backup and is ignored`);
        continue;
      }
      try {
        const meta = await readMeta(join(this.directory, name));
        if (meta.id !== name)
          throw new DamagedBackup(`${join(this.directory, name)}: its meta.json belongs to ${meta.id}`);
        sets.push(meta);
      } catch (error) {
        if (!(error instanceof DamagedBackup)) throw error;
        warnings.push(error.message);
      }
    }
    return { sets, warnings };
  }

  /** Verifies each part by its hash. Throws ServiceError 1100 (no such backup) or 1000 (damaged). */
  async read(id: string): Promise<BackupContent> {
    if (!idForm.test(id) || !(await this.#names()).includes(id)) {
      throw new ServiceError(codes.NotFound, 'read backup', `there is no backup ${JSON.stringify(id.slice(0, 60))}`);
    }
    return this.#verified(join(this.directory, id), `the backup ${id}`);
  }

  /**
   * Removes the backup if the previous one would restore the same and is undamaged. Returns the id of the remaining
   * one.
   */
  async dropDuplicate(id: string): Promise<string> {
    const { sets } = await this.list();
    const index = sets.findIndex((set) => set.id === id);
    const [set, before] = [sets[index], sets[index + 1]];
    if (set === undefined || before === undefined || !restoresSame(set, before)) return id;
    if (!(await this.#isUndamaged(before.id))) return id;
    await rm(join(this.directory, id), { recursive: true });
    return before.id;
  }

  /**
   * Removes the oldest backups beyond `keep`, never the source of the last known good. Foreign configurations are not
   * counted, and only their duplicates are removed. Damaged backups and other folders are neither counted nor removed.
   * Also cleans up after a crash. Returns the removed ids.
   */
  async prune(keep = 20): Promise<string[]> {
    await this.#removeLeftovers();
    const { sets } = await this.list();
    const protectedSet = await this.#knownGoodBackup();
    const removed: string[] = [];
    const ours = sets.filter((set) => set.written_by !== 'other');
    const tooMany: string[] = [];
    for (const { id, written_by } of ours.slice(keep))
      if (written_by !== undefined || (await this.#hasGeneratedMark(id))) tooMany.push(id);
    const duplicates = await this.#duplicatesOf(sets.filter((set) => set.written_by === 'other'));
    for (const id of [...tooMany, ...duplicates]) {
      if (id === protectedSet) continue;
      await rm(join(this.directory, id), { recursive: true });
      removed.push(id);
    }
    return removed;
  }

  /** Those that would restore the same as a newer, undamaged one. `sets`: newest first. */
  async #duplicatesOf(sets: readonly BackupMeta[]): Promise<string[]> {
    const duplicates: string[] = [];
    for (const [index, set] of sets.entries()) {
      const newer = sets.slice(0, index).find((one) => !duplicates.includes(one.id) && restoresSame(one, set));
      if (newer !== undefined && (await this.#isUndamaged(newer.id))) duplicates.push(set.id);
    }
    return duplicates;
  }

  async #isUndamaged(id: string): Promise<boolean> {
    try {
      await readBackup(join(this.directory, id));
      return true;
    } catch (error) {
      if (error instanceof DamagedBackup) return false;
      throw error;
    }
  }

  /**
   * Records the configuration of a confirmed reload; durable on return. The switch is a symbolic link, so that a
   * complete record exists at every moment. `backupId`: a backup with the same content. Writes nothing if unchanged.
   */
  async markKnownGood(configText: string, files: readonly NamedFile[], backupId: string | null = null): Promise<void> {
    await this.#prepareFolder();
    if (await this.#isKnownGood(configText, files, backupId)) return;
    const id = this.#newId();
    const folder = `.known-good.${id}`;
    const about = { id, created_at: this.#now().toISOString(), reason: 'known good', note: backupId };
    await writeBackup(this.directory, folder, { configText, files, mapFiles: [] }, about);
    crashPoint('known-good.written');
    const link = join(this.directory, `.link.${id}`);
    await symlink(folder, link);
    await rename(link, join(this.directory, knownGoodLink));
    crashPoint('known-good.linked');
    await fsyncFolder(this.directory);
    await this.#removeLeftovers();
  }

  /** Null when no reload was ever confirmed. Throws ServiceError 1000 when the record is damaged. */
  async readKnownGood(): Promise<BackupContent | null> {
    if ((await this.#knownGoodTarget()) === null) return null;
    return this.#verified(join(this.directory, knownGoodLink), 'the last known good configuration');
  }

  async #verified(folder: string, what: string): Promise<BackupContent> {
    try {
      return await readBackup(folder);
    } catch (cause) {
      if (!(cause instanceof DamagedBackup)) throw cause;
      throw new ServiceError(codes.IntegrityViolated, 'read backup', `${what} cannot be used: ${cause.message}`, {
        cause,
      });
    }
  }

  async #isKnownGood(configText: string, files: readonly NamedFile[], backupId: string | null): Promise<boolean> {
    try {
      const target = await this.#knownGoodTarget();
      if (target === null) return false;
      const { meta, files: found } = await readBackup(join(this.directory, target));
      const same = (file: NamedFile, index: number) =>
        file.path === found[index]?.path && file.content === found[index]?.content;
      return (
        meta.sha256 === sha256(configText) &&
        meta.note === backupId &&
        found.length === files.length &&
        files.every(same)
      );
    } catch (error) {
      if (error instanceof DamagedBackup) return false; // the caller replaces it
      throw error;
    }
  }

  async #knownGoodTarget(): Promise<string | null> {
    try {
      return await readlink(join(this.directory, knownGoodLink));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  async #knownGoodBackup(): Promise<string | null> {
    const target = await this.#knownGoodTarget();
    if (target === null) return null;
    try {
      return (await readMeta(join(this.directory, target))).note;
    } catch (error) {
      if (error instanceof DamagedBackup) return null;
      throw error;
    }
  }

  /** Backups of older versions do not record who wrote their configuration. */
  async #hasGeneratedMark(id: string): Promise<boolean> {
    let handle: FileHandle;
    try {
      handle = await open(join(this.directory, id, configName));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(generatedMark.length), 0, generatedMark.length, 0);
      return buffer.subarray(0, bytesRead).toString('utf8') === generatedMark;
    } finally {
      await handle.close();
    }
  }

  /** Removes replaced records and what a crash left unfinished; no other files. */
  async #removeLeftovers(): Promise<void> {
    const current = await this.#knownGoodTarget();
    for (const name of await this.#names()) {
      const ours = knownGoodFolder.test(name) || name.startsWith('.building.') || name.startsWith('.link.');
      if (ours && name !== current) await rm(join(this.directory, name), { recursive: true, force: true });
    }
  }

  async #names(): Promise<string[]> {
    try {
      return await readdir(this.directory);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  async #prepareFolder(): Promise<void> {
    await makeFolderDurably(this.directory, 0o700);
  }

  /** Sorts by creation time, also within one millisecond and when the clock is set back. */
  #newId(): string {
    let stamp = this.#now().toISOString().replace(/[-:.]/g, '');
    if (stamp <= this.#latest) stamp = nextStamp(this.#latest);
    this.#latest = stamp;
    return `${stamp}-${randomBytes(4).toString('hex')}`;
  }
}

/** One millisecond later, in the form `20261120T124300123Z`. */
function nextStamp(stamp: string): string {
  const iso = stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/, '$1-$2-$3T$4:$5:$6.$7Z');
  return new Date(new Date(iso).getTime() + 1).toISOString().replace(/[-:.]/g, '');
}
