// Never in a flag: the process list would show it to every local user.
import { join } from 'node:path';
import { Failure } from '../failure.ts';

export interface ApiKey {
  readonly key: string;
  /** Where it was found, for messages; never the key. */
  readonly source: string;
}

/** Errors are Node's own. */
export interface KeyFiles {
  /** The content and the permission bits. */
  read(path: string): Promise<{ readonly text: string; readonly mode: number }>;
}

interface KeyLookup {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly homeFolder: string | null;
  readonly files: KeyFiles;
}

/** RFC 6750's token, with the length that the service accepts. */
const keyForm = /^[A-Za-z0-9\-._~+/]{16,512}=*$/;
const othersMayRead = 0o044;

/**
 * The first of: `PROXY_MANAGER_API_KEY`, the file named by `PROXY_MANAGER_API_KEY_FILE`,
 * `~/.config/proxy-manager/api-key` (`$XDG_CONFIG_HOME`), the file written by the service's first start.
 * @throws Failure
 */
export async function findKey(lookup: KeyLookup): Promise<ApiKey> {
  const { environment, files } = lookup;
  const given = environment['PROXY_MANAGER_API_KEY'] ?? '';
  if (given !== '') return checked(given, 'the variable PROXY_MANAGER_API_KEY');

  const named = environment['PROXY_MANAGER_API_KEY_FILE'] ?? '';
  if (named !== '') {
    const source = `the file ${named} (PROXY_MANAGER_API_KEY_FILE)`;
    const content = await contentOf(named, files);
    if ('unread' in content) throw new Failure(`cannot read the API key from ${source}: ${content.unread}`);
    return checked(content.text.trim(), source);
  }

  const searched: string[] = [];
  const own = ownKeyFile(lookup);
  const first = join(environment['PROXY_MANAGER_PREFIX'] || '/', 'var/lib/proxy-manager/api-key');
  for (const path of own === null ? [first] : [own, first]) {
    const content = await contentOf(path, files);
    if ('unread' in content) {
      const later = path === first && content.isMissing ? '; the service writes it at its first start' : '';
      searched.push(`${path} (${content.unread}${later})`);
      continue;
    }
    // The shell creates an empty file for `key create … > FILE` before this program runs.
    if (content.text.trim() === '') {
      searched.push(`${path} (empty)`);
      continue;
    }
    if (path === own && (content.mode & othersMayRead) !== 0) {
      const mode = (content.mode & 0o777).toString(8);
      throw new Failure(`${path} contains an API key that other users can read (mode ${mode}): chmod 600 ${path}`);
    }
    return checked(content.text.trim(), `the file ${path}`);
  }
  throw new Failure(`no API key was found: set PROXY_MANAGER_API_KEY_FILE, or write a key to ${own ?? first} with mode 600
  searched: PROXY_MANAGER_API_KEY and PROXY_MANAGER_API_KEY_FILE (not set), ${searched.join(', ')}`);
}

function ownKeyFile({ environment, homeFolder }: Omit<KeyLookup, 'files'>): string | null {
  const folder = environment['XDG_CONFIG_HOME'] || (homeFolder === null ? '' : join(homeFolder, '.config'));
  return folder === '' ? null : join(folder, 'proxy-manager', 'api-key');
}

type Content =
  | { readonly text: string; readonly mode: number }
  | { readonly unread: string; readonly isMissing: boolean };

async function contentOf(path: string, files: KeyFiles): Promise<Content> {
  try {
    return await files.read(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { unread: unreadable(error as NodeJS.ErrnoException), isMissing: code === 'ENOENT' };
  }
}

function unreadable(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'no such file';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EISDIR':
      return 'is a directory';
    default:
      return error.message;
  }
}

function checked(key: string, source: string): ApiKey {
  if (keyForm.test(key)) return { key, source };
  throw new Failure(
    `${source} does not contain an API key: a key is one line of 16 to 512 characters of A-Z a-z 0-9 - . _ ~ + /, and = at the end only`,
  );
}
