// Where the key comes from. Never from a flag: everybody on the machine could read it in the process list.
import { join } from 'node:path';
import { Failure } from '../failure.ts';

export interface ApiKey {
  readonly key: string;
  /** Where it was found, for a message; never the key. */
  readonly source: string;
}

/** What is asked of the file system. Errors are Node's own. */
export interface KeyFiles {
  /** The content and the permission bits. */
  read(path: string): Promise<{ readonly text: string; readonly mode: number }>;
}

export interface KeyPlaces {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** null: there is no home folder. */
  readonly homeFolder: string | null;
  readonly files: KeyFiles;
}

/** RFC 6750's token characters, and the length that the service takes. */
const keyForm = /^[A-Za-z0-9\-._~+/]{16,512}=*$/;
const othersMayRead = 0o044;

/**
 * The first of: `PROXY_MANAGER_API_KEY`, the file that `PROXY_MANAGER_API_KEY_FILE` names,
 * `~/.config/proxy-manager/api-key` (`$XDG_CONFIG_HOME`), the file that the service's first start wrote.
 * @throws Failure that names the place and what would be right
 */
export async function findKey(places: KeyPlaces): Promise<ApiKey> {
  const { environment, files } = places;
  const given = environment['PROXY_MANAGER_API_KEY'] ?? '';
  if (given !== '') return checked(given, 'the variable PROXY_MANAGER_API_KEY');

  const named = environment['PROXY_MANAGER_API_KEY_FILE'] ?? '';
  if (named !== '') {
    const source = `the file ${named} (PROXY_MANAGER_API_KEY_FILE)`;
    const content = await contentOf(named, files);
    if ('unread' in content) throw new Failure(`the API key could not be read from ${source}: ${content.unread}`);
    return checked(content.text.trim(), source);
  }

  const looked: string[] = [];
  const own = ownKeyFile(places);
  const first = join(environment['PROXY_MANAGER_PREFIX'] || '/', 'var/lib/proxy-manager/api-key');
  for (const path of own === null ? [first] : [own, first]) {
    const content = await contentOf(path, files);
    if ('unread' in content) {
      const later = path === first && content.isMissing ? "; the service's first start writes it" : '';
      looked.push(`${path} (${content.unread}${later})`);
      continue;
    }
    // `key create … > FILE` has made it before this program runs.
    if (content.text.trim() === '') {
      looked.push(`${path} (it is empty)`);
      continue;
    }
    // Whoever may read it has the key.
    if (path === own && (content.mode & othersMayRead) !== 0) {
      const mode = (content.mode & 0o777).toString(8);
      throw new Failure(`${path} holds an API key and others may read it (mode ${mode}): chmod 600 ${path}`);
    }
    return checked(content.text.trim(), `the file ${path}`);
  }
  throw new Failure(`no API key was found: set PROXY_MANAGER_API_KEY_FILE, or write one to ${own ?? first} with mode 600
  looked at PROXY_MANAGER_API_KEY and PROXY_MANAGER_API_KEY_FILE (not set), ${looked.join(', ')}`);
}

/** `~/.config/proxy-manager/api-key`. */
export function ownKeyFile({ environment, homeFolder }: Omit<KeyPlaces, 'files'>): string | null {
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
      return 'there is none';
    case 'EACCES':
    case 'EPERM':
      return 'you may not read it';
    case 'EISDIR':
      return 'it is a folder';
    default:
      return error.message;
  }
}

function checked(key: string, source: string): ApiKey {
  if (keyForm.test(key)) return { key, source };
  throw new Failure(
    `${source} does not hold an API key: one has 16 to 512 characters of A-Z a-z 0-9 - . _ ~ + / on one line`,
  );
}
