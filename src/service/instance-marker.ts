// A small file that says "a database was here". With it, a database that is missing later stops the start instead of
// beginning an empty one: an empty database must not unblock the world.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, writeFileAtomically } from '../files/atomic-file.ts';

export interface InstanceMarker {
  readonly database_id: string;
}

const fileName = 'instance.json';

export async function readMarker(stateDir: string): Promise<InstanceMarker | null> {
  const path = join(stateDir, fileName);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  const value = parsedOrNull(text);
  if (typeof value === 'object' && value !== null && 'database_id' in value && typeof value.database_id === 'string') {
    return { database_id: value.database_id };
  }
  throw new Error(`${path} is damaged; remove it only if you know that the database is the right one`);
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // As damaged as one that says something else.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

export async function writeMarker(stateDir: string, marker: InstanceMarker): Promise<void> {
  await writeFileAtomically(join(stateDir, fileName), `${JSON.stringify(marker)}\n`);
}
