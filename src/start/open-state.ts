// Opens the database of this instance, or explains why not. Nothing is recreated silently.
import type { Settings } from '../settings.ts';
import { InstanceStore } from '../store/instance-store.ts';
import { type Database, openDatabase } from '../store/open-database.ts';
import { DatabaseUnusable } from '../store/store-error.ts';
import type { Log } from '../telemetry/log.ts';
import { readMarker, writeMarker } from './instance-marker.ts';

export interface OpenState {
  readonly database: Database;
  readonly instance: InstanceStore;
  /** False on the very first start, and on the first with an accepted empty database: existing files are imported. */
  readonly knownInstance: boolean;
}

/** The message says what to do. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}

export async function openState(settings: Settings): Promise<OpenState> {
  const marker = await readMarker(settings.stateDir);
  const mayCreate = marker === null || settings.acceptEmptyDatabase;
  let database: Database;
  try {
    database = await openDatabase(settings.databaseUrl, { createIfMissing: mayCreate });
  } catch (error) {
    // Names the database and what to do.
    if (error instanceof DatabaseUnusable) throw new StartRefused(error.message, { cause: error.cause });
    throw new StartRefused(`the database ${settings.databaseUrl} cannot be used: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const instance = await InstanceStore.open(database);
  if (marker !== null && marker.database_id !== instance.databaseId && !settings.acceptEmptyDatabase) {
    await database.close();
    throw new StartRefused(
      `the database ${settings.databaseUrl} has the id ${instance.databaseId}, but this instance used ${marker.database_id}; start with --accept-empty-database if this database is the right one`,
    );
  }
  return { database, instance, knownInstance: marker?.database_id === instance.databaseId };
}

/** From here on this database is required. Called after the import, so that a crash repeats it. */
export async function rememberInstance(settings: Settings, instance: InstanceStore, log: Log): Promise<void> {
  await writeMarker(settings.stateDir, { database_id: instance.databaseId });
  log.info('Database recorded as the one of this instance', { database: instance.databaseId });
}
