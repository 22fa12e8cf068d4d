import { createHash } from 'node:crypto';
import { readdir, readFile, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeFileAtomically } from '../../files/atomic-file.ts';

export interface NamedFile {
  readonly path: string;
  readonly content: string;
}

/**
 * A file that a configuration names, named by its content: `/etc/proxy/sites.map` becomes
 * `/etc/proxy/sites.<16 hex>.map`. It can be written before the validation, so that the rename of `proxy.cfg` stays the
 * only switch.
 */
export function contentAddressed(base: string, content: string): NamedFile {
  const { folder, stem, ending } = partsOf(base);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return { path: join(folder, `${stem}.${hash}${ending}`), content };
}

/** Writes each file that is missing or differs; durable on return. Returns the written paths. */
export async function ensureFiles(files: readonly NamedFile[]): Promise<string[]> {
  const written: string[] = [];
  for (const { path, content } of files) {
    if ((await readOrNull(path)) === content) continue;
    await writeFileAtomically(path, content);
    written.push(path);
  }
  return written;
}

/** The existing content-addressed files that a configuration names: it cannot be loaded without them. */
export async function filesNamedIn(bases: readonly string[], configText: string): Promise<NamedFile[]> {
  const named: NamedFile[] = [];
  for (const base of bases) {
    for (const path of await contentAddressedOf(base)) {
      if (!configText.includes(path)) continue;
      const content = await readOrNull(path);
      if (content !== null) named.push({ path, content });
    }
  }
  return named;
}

/**
 * Removes the content-addressed files that are not in `keepPaths`, and returns their paths. A worker reads them at its
 * start, so keep those of the live configuration and of the last known good.
 */
export async function collectGarbage(bases: readonly string[], keepPaths: Iterable<string>): Promise<string[]> {
  const keep = new Set([...keepPaths].map((path) => join(path)));
  const removed: string[] = [];
  for (const base of bases) {
    for (const path of await contentAddressedOf(base)) {
      if (keep.has(path)) continue;
      await unlink(path);
      removed.push(path);
    }
  }
  return removed.sort();
}

async function contentAddressedOf(base: string): Promise<string[]> {
  const { folder, stem, ending } = partsOf(base);
  const names = (await readdir(folder)).filter(
    (name) =>
      name.startsWith(`${stem}.`) &&
      name.endsWith(ending) &&
      /^[0-9a-f]{16}$/.test(name.slice(stem.length + 1, name.length - ending.length)),
  );
  return names.map((name) => join(folder, name));
}

function partsOf(base: string): { folder: string; stem: string; ending: string } {
  const name = basename(base);
  const ending = /.(\.(?:map|html))$/.exec(name)?.[1] ?? '';
  return { folder: dirname(base), stem: name.slice(0, name.length - ending.length), ending };
}

async function readOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
