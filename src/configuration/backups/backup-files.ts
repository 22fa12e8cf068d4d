import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { crashPoint } from '../../faults/crash-point.ts';
import { fsyncFolder } from '../../files/atomic-file.ts';
import type { NamedFile } from '../template/sites-map.ts';

/** The content of `meta.json`. Times are ISO 8601 in UTC. */
export interface BackupMeta {
  readonly id: string;
  readonly created_at: string;
  /** Of the configuration text, hexadecimal. */
  readonly sha256: string;
  readonly reason: string;
  readonly note: string | null;
  /** Absent in a backup of an older version. Those of `other` are pruned as duplicates only. */
  readonly written_by?: 'proxy-manager' | 'other';
  /** Files that the configuration names. `name` is relative to the backup, `path` the original. */
  readonly files: readonly { readonly name: string; readonly path: string; readonly sha256: string }[];
  /** Copies of map files, never restored. */
  readonly maps: readonly { readonly name: string; readonly path: string; readonly bytes: number }[];
}

export interface BackupContent {
  readonly meta: BackupMeta;
  readonly configText: string;
  readonly files: readonly NamedFile[];
}

/** Changed since it was written, or not a backup. `message` names the folder and the damage. */
export class DamagedBackup extends Error {}

export const configName = 'proxy.cfg';
const metaName = 'meta.json';

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Builds the backup in a temporary folder, syncs and renames it, so that a crash leaves a complete backup or none.
 * Copies of maps are not synced: they are only for reading and may be large.
 */
export async function writeBackup(
  parent: string,
  folder: string,
  content: { configText: string; files: readonly NamedFile[]; mapFiles: readonly string[] },
  about: Pick<BackupMeta, 'id' | 'created_at' | 'reason' | 'note' | 'written_by'>,
): Promise<BackupMeta> {
  const building = join(parent, `.building.${process.pid}.${folder}`);
  await mkdir(building, { mode: 0o700 });
  try {
    await writeDurably(join(building, configName), content.configText);
    const files: BackupMeta['files'][number][] = [];
    for (const [index, file] of content.files.entries()) {
      const name = `file-${index + 1}-${basename(file.path)}`;
      await writeDurably(join(building, name), file.content);
      files.push({ name, path: file.path, sha256: sha256(file.content) });
    }
    const maps: BackupMeta['maps'][number][] = [];
    for (const [index, path] of content.mapFiles.entries()) {
      const name = `map-${index + 1}-${basename(path)}`;
      const bytes = await copyIfPresent(path, join(building, name));
      if (bytes !== null) maps.push({ name, path, bytes });
    }
    const meta: BackupMeta = { ...about, sha256: sha256(content.configText), files, maps };
    await writeDurably(join(building, metaName), `${JSON.stringify(meta, null, 2)}\n`);
    await fsyncFolder(building);
    crashPoint('backup.parts-written');
    await rename(building, join(parent, folder));
    crashPoint('backup.renamed');
    await fsyncFolder(parent);
    return meta;
  } catch (error) {
    await rm(building, { recursive: true, force: true });
    throw error;
  }
}

/** Whether a restore of either has the same result; copies of maps are never restored. */
export function restoresSame(one: BackupMeta, other: BackupMeta): boolean {
  const restored = ({ sha256, written_by, files }: BackupMeta) =>
    JSON.stringify([sha256, written_by, files.map((file) => [file.path, file.sha256])]);
  return restored(one) === restored(other);
}

/** Throws DamagedBackup. */
export async function readMeta(folder: string): Promise<BackupMeta> {
  const text = await readPart(folder, metaName);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new DamagedBackup(`${folder}: ${metaName} is not JSON`, { cause });
  }
  if (!isMeta(value)) throw new DamagedBackup(`${folder}: ${metaName} is not that of a backup`);
  return value;
}

/** Verifies each part by its hash. Throws DamagedBackup. */
export async function readBackup(folder: string): Promise<BackupContent> {
  const meta = await readMeta(folder);
  const configText = await readPart(folder, configName);
  verify(folder, configName, configText, meta.sha256);
  const files: NamedFile[] = [];
  for (const { name, path, sha256 } of meta.files) {
    const content = await readPart(folder, name);
    verify(folder, name, content, sha256);
    files.push({ path, content });
  }
  return { meta, configText, files };
}

function verify(folder: string, name: string, content: string, expected: string): void {
  const found = sha256(content);
  if (found === expected) return;
  throw new DamagedBackup(`${folder}: ${name} is damaged: its sha256 is ${found}, expected ${expected}`);
}

async function readPart(folder: string, name: string): Promise<string> {
  try {
    return await readFile(join(folder, name), 'utf8');
  } catch (cause) {
    throw new DamagedBackup(`${folder}: ${name} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

function isMeta(value: unknown): value is BackupMeta {
  if (typeof value !== 'object' || value === null) return false;
  const meta = value as Record<string, unknown>;
  const texts = ['id', 'created_at', 'sha256', 'reason'].every((key) => typeof meta[key] === 'string');
  if (!texts || !Array.isArray(meta.files) || !Array.isArray(meta.maps)) return false;
  return meta.files.every(
    (file) =>
      typeof file?.path === 'string' &&
      typeof file?.sha256 === 'string' &&
      typeof file?.name === 'string' &&
      file.name === basename(file.name),
  );
}

async function writeDurably(path: string, content: string): Promise<void> {
  const handle = await open(path, 'wx', 0o640);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Bytes copied; null: the file is missing (before a first start there may be no trusted map) or cannot be copied, which
 * must not prevent a reload.
 */
async function copyIfPresent(from: string, to: string): Promise<number | null> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    return (await stat(to)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    await rm(to, { recursive: true, force: true });
    return null;
  }
}
