// A new database as a copy of one that was made before: its tables cost 20 ms of processor time, a copy 3 ms.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseFile } from '../../src/store/database-file.ts';
import { type Database, openDatabase } from '../../src/store/open-database.ts';

let made: Promise<Buffer> | null = null;

/** Opens the database at `url`, and makes it if it is missing; `created` is false then too. */
export async function openTestDatabase(
  url: string,
  given: { readonly busyTimeoutMs?: number } = {},
): Promise<Database> {
  const path = databaseFile(url);
  const options = { createIfMissing: false, ...given };
  if (existsSync(path)) return await openDatabase(url, options);
  made ??= make();
  writeFileSync(path, await made, { mode: 0o600 });
  const database = await openDatabase(url, options);
  // No two databases have the same.
  await database.write.updateTable('instance').set({ database_id: randomUUID() }).execute();
  return database;
}

async function make(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-manager-store-'));
  try {
    const path = join(folder, 'new.sqlite');
    const database = await openDatabase(`sqlite:${path}`, { createIfMissing: true });
    // The last connection that closes writes everything into this one file.
    await database.close();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
