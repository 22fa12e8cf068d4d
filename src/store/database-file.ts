// Separate, because the settings need the file's name without a database driver.
import { DatabaseUnusable } from './store-error.ts';

/** Throws `DatabaseUnusable` for a URL other than `sqlite:<path>`. */
export function databaseFile(url: string): string {
  const path = url.startsWith('sqlite:') ? url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '') : '';
  if (path !== '') return path;
  throw new DatabaseUnusable(
    'unsupported',
    'the database URL must be sqlite:<path>, such as sqlite:/var/lib/proxy-manager/proxy-manager.sqlite',
  );
}
