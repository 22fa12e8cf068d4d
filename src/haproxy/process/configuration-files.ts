// The configuration that a running HAProxy would read at a reload.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { workFolderOf } from '../../system/processes.ts';
import type { ProxyArguments } from './proxy-arguments.ts';

interface ConfigurationText {
  readonly path: string;
  readonly text: string;
}

export class UnreadableConfiguration extends Error {
  readonly path: string;

  constructor(path: string, cause: unknown) {
    super(`${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'UnreadableConfiguration';
    this.path = path;
  }
}

/**
 * The files in the order in which HAProxy reads them, with absolute paths. A folder stands for its files `*.cfg` except
 * hidden ones. Relative names refer to `-C`, else to the process's working folder, else to `/`.
 * @param args with the pid of the process that was started with them; null: not known
 * @throws UnreadableConfiguration
 */
export async function configurationFilesOf(
  args: Pick<ProxyArguments, 'files' | 'workFolder'> & { readonly pid: number | null },
): Promise<readonly ConfigurationText[]> {
  const base = await workFolderOfProxy(args);
  const files: ConfigurationText[] = [];
  for (const name of args.files) {
    for (const path of await expand(resolve(base, name))) files.push({ path, text: await readText(path) });
  }
  return files;
}

/** HAProxy with `-C` changes to that folder at its start. */
export async function workFolderOfProxy({
  workFolder,
  pid,
}: Pick<ProxyArguments, 'workFolder'> & { readonly pid: number | null }): Promise<string> {
  if (workFolder?.startsWith('/') === true) return workFolder;
  const current = pid === null ? null : await workFolderOf(pid);
  return current ?? resolve('/', workFolder ?? '');
}

async function expand(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const paths = (await readdir(path)).filter(isConfigurationName).sort(inByteOrder);
    const kinds = await Promise.all(paths.map((name) => stat(join(path, name))));
    return paths.filter((_name, index) => kinds[index]?.isFile()).map((name) => join(path, name));
  } catch (error) {
    throw new UnreadableConfiguration(path, error);
  }
}

/** HAProxy takes the first `.cfg` in a name, which must be its end. */
function isConfigurationName(name: string): boolean {
  const at = name.indexOf('.cfg');
  return !name.startsWith('.') && at >= 0 && at === name.length - '.cfg'.length;
}

function inByteOrder(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** UTF-8, or else Latin-1, in which every byte is a character: HAProxy itself reads bytes. */
async function readText(path: string): Promise<string> {
  try {
    // Anything else may be endless, or another file for this process (`/dev/stdin`).
    if (!(await stat(path)).isFile()) throw new Error('not a regular file');
    const bytes = await readFile(path);
    const text = bytes.toString('utf8');
    return text.includes('\uFFFD') && !Buffer.from(text).equals(bytes) ? bytes.toString('latin1') : text;
  } catch (error) {
    throw new UnreadableConfiguration(path, error);
  }
}
