// A small file that records that a database existed. If it is missing later, the start stops instead of creating an
// empty one: an empty database must never unblock everything.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, writeFileAtomically } from '../files/atomic-file.ts';
import { parseJson } from '../files/json.ts';

interface InstanceMarker {
  readonly database_id: string;
}

const fileName = 'instance.json';

/** Null: there was never a database. @throws an error that names the file when it is damaged */
export async function readMarker(stateDir: string): Promise<InstanceMarker | null> {
  const path = join(stateDir, fileName);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  const id = databaseIdIn(text);
  if (id === null)
    throw new Error(
      `${path} is damaged; restore it from a backup, or remove it if you are sure that the database is the right one`,
    );
  return { database_id: id };
}

function databaseIdIn(text: string): string | null {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || !('database_id' in value)) return null;
  return typeof value.database_id === 'string' && value.database_id !== '' ? value.database_id : null;
}

export async function writeMarker(stateDir: string, marker: InstanceMarker): Promise<void> {
  await writeFileAtomically(join(stateDir, fileName), `${JSON.stringify(marker)}\n`);
}
