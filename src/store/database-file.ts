// Apart from what opens it: the settings need the name of the file and no database.
import { DatabaseUnusable } from './store-error.ts';

/** The file that `sqlite:<path>` names. Throws `DatabaseUnusable` for a URL of another kind. */
export function databaseFile(url: string): string {
  const path = url.startsWith('sqlite:') ? url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '') : '';
  if (path !== '') return path;
  throw new DatabaseUnusable(
    'unsupported',
    'the database URL must be sqlite:<path>, such as sqlite:/var/lib/proxy-manager/proxy-manager.sqlite',
  );
}
