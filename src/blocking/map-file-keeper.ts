// Keeps the blocked map file in step with the database, and with it the fingerprint of what should be blocked.
// `updateBlockedIpsMap` (the specification's `update_blocked_ips_map`) is the one way the file is written whole.
import { parseIp, sortKey } from '../domain/ip.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { MapFile } from '../haproxy/map-file.ts';
import { readMapFile, readMapFileHeader } from '../haproxy/map-file.ts';
import type { BlockedIpsStore } from '../store/blocked-ips-store.ts';
import type { InstanceStore } from '../store/instance-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import { Fingerprint } from './fingerprint.ts';
import type { TurnQueue } from './turn-queue.ts';

/** Rows read in one turn: about 5 ms at a million. */
const pageSize = 5_000;
/** From here up a rewrite that drops more than half of the file's entries needs a confirmation. */
const shrinkGuardFrom = 100;

/** Each slot takes 64 bytes and a place in the index. */
const slotsAtMost = 16_384;
const deadLinesAtLeast = 10_000;

interface Scan {
  readonly shadow: Fingerprint;
  /** Sort key of the last row that was read; what changes at or before it changes the shadow too. */
  cursor: Uint8Array | null;
}

export interface MapFileUpdate {
  readonly entries: number;
  readonly bytes: number;
}

export class MapFileKeeper {
  readonly #file: MapFile;
  readonly #path: string;
  readonly #store: BlockedIpsStore;
  readonly #instance: InstanceStore;
  readonly #turns: TurnQueue;
  readonly #log: Log;
  readonly #onDatabaseSurprise: () => void;
  #expected = new Fingerprint();
  #scan: Scan | null = null;
  #update: Promise<MapFileUpdate> | null = null;
  #problem: string | null = null;

  constructor(options: {
    readonly file: MapFile;
    readonly path: string;
    readonly store: BlockedIpsStore;
    readonly instance: InstanceStore;
    readonly turns: TurnQueue;
    readonly log: Log;
    /** The database was found to hold another set than the service's own changes made. */
    readonly onDatabaseSurprise: () => void;
  }) {
    this.#file = options.file;
    this.#path = options.path;
    this.#store = options.store;
    this.#instance = options.instance;
    this.#turns = options.turns;
    this.#log = options.log;
    this.#onDatabaseSurprise = options.onDatabaseSurprise;
  }

  get file(): MapFile {
    return this.#file;
  }

  get expected(): Fingerprint {
    return this.#expected;
  }

  /** Why the file is behind the database; null when it is not. */
  get problem(): string | null {
    return this.#file.state === 'current' ? null : (this.#problem ?? 'not written yet');
  }

  /** To be called for every committed change, inside its turn. */
  noteCommitted(net: { readonly added: readonly string[]; readonly removed: readonly string[] }): void {
    for (const text of net.added) this.#expected.add(text);
    for (const text of net.removed) this.#expected.remove(text);
    const scan = this.#scan;
    if (scan?.cursor == null) return;
    for (const text of net.added) if (isAtOrBefore(text, scan.cursor)) scan.shadow.add(text);
    for (const text of net.removed) if (isAtOrBefore(text, scan.cursor)) scan.shadow.remove(text);
  }

  /**
   * Rewrites the map file from the database, atomically. Changes go on meanwhile; those made since the snapshot are
   * applied inside the closing turn. Concurrent callers share one run that began after they called.
   * @throws ServiceError when the file cannot be written, or belongs to another database
   */
  async updateBlockedIpsMap(options: { readonly acceptOtherFile?: boolean } = {}): Promise<MapFileUpdate> {
    while (this.#update !== null) await this.#update.catch(() => undefined);
    return await this.#run(options.acceptOtherFile === true, (work) => this.#turns.take('bulk', work));
  }

  /** The same from inside a turn: nothing else changes until it is done. */
  async updateInsideTurn(): Promise<MapFileUpdate> {
    return await this.#run(false, (work) => work());
  }

  /** A rewrite is under way that will make the file usable; null: none. Never rejects. */
  get underWay(): Promise<void> | null {
    if (this.#file.state === 'current' || this.#update === null) return null;
    return this.#update.then(
      () => undefined,
      () => undefined,
    );
  }

  /** Makes the file usable again when something happened to it. To be called inside a turn, when none is under way. */
  async ensureUsable(): Promise<void> {
    if (this.#file.state === 'current') return;
    this.#log.warn('Map file is rewritten from the database', { path: this.#path, reason: this.#problem });
    await this.updateInsideTurn();
  }

  /** Slots and dead lines have piled up: a rewrite makes the file dense again. */
  get wantsRewrite(): boolean {
    const { state, slotsUsed, deadLines, entryCount } = this.#file;
    return state === 'current' && (slotsUsed > slotsAtMost || deadLines > Math.max(deadLinesAtLeast, entryCount / 4));
  }

  noteProblem(error: unknown): void {
    this.#problem = causeText(error);
  }

  async #run(acceptOtherFile: boolean, turn: <T>(work: () => Promise<T>) => Promise<T>): Promise<MapFileUpdate> {
    const run = this.#rewrite(acceptOtherFile, turn);
    this.#update = run;
    try {
      return await run;
    } finally {
      if (this.#update === run) this.#update = null;
    }
  }

  async #rewrite(acceptOtherFile: boolean, turn: <T>(work: () => Promise<T>) => Promise<T>): Promise<MapFileUpdate> {
    try {
      if (!acceptOtherFile) await this.#refuseOtherFile();
      const generation = await this.#instance.bumpGeneration();
      const rewrite = await this.#file.beginRewrite({ database: this.#instance.databaseId, generation });
      const scan: Scan = { shadow: new Fingerprint(), cursor: null };
      this.#scan = scan;
      try {
        for (;;) {
          const texts = await turn(async () => {
            const page = await this.#store.scanTexts(scan.cursor, pageSize);
            for (const text of page.texts) scan.shadow.add(text);
            if (page.last !== null) scan.cursor = page.last;
            return page.texts;
          });
          if (texts.length === 0) break;
          await rewrite.append(texts);
        }
        // The long fsync of all that was appended, before the closing turn.
        await rewrite.seal();
        const written = await turn(async () => {
          // Whatever comes after the last row that was read belongs to the shadow as well by now.
          const rest = await this.#store.scanTexts(scan.cursor, Number.MAX_SAFE_INTEGER);
          for (const text of rest.texts) scan.shadow.add(text);
          const result = await rewrite.finish();
          this.#adopt(scan.shadow);
          return result;
        });
        this.#problem = null;
        return written;
      } catch (error) {
        await rewrite.abort();
        throw error;
      } finally {
        this.#scan = null;
      }
    } catch (error) {
      this.noteProblem(error);
      if (error instanceof ServiceError) throw error;
      throw new ServiceError(
        codes.MapFileUnusable,
        'updateBlockedIpsMap',
        `the map file ${this.#path} could not be written: ${(error as Error).message}`,
        { cause: error, retryAfterSeconds: 5 },
      );
    }
  }

  #adopt(shadow: Fingerprint): void {
    const same = shadow.equals(this.#expected);
    this.#expected = shadow;
    if (!same) this.#onDatabaseSurprise();
  }

  /** An empty or foreign database must not unblock the world. */
  async #refuseOtherFile(): Promise<void> {
    if (this.#file.state === 'current' && (await this.#file.unchanged())) return;
    const { exists, header } = await readMapFileHeader(this.#path);
    if (!exists) return;
    const own = this.#instance.databaseId;
    const confirm = 'nothing was changed; to go on, confirm with accept_map_file=true (a start: --accept-map-file)';
    if (header !== null && header.database !== own) {
      throw new ServiceError(
        codes.ForeignMapFile,
        'updateBlockedIpsMap',
        `the map file ${this.#path} belongs to database ${header.database}, this one is ${own}; ${confirm}`,
      );
    }
    if (header !== null && header.generation > (await this.#instance.generation())) {
      throw new ServiceError(
        codes.ForeignMapFile,
        'updateBlockedIpsMap',
        `the map file ${this.#path} was written by a newer state of this database (generation ${header.generation}, the database is at ${await this.#instance.generation()}): was an old copy of it restored? ${confirm}`,
      );
    }
    const [held, wanted] = [await this.#countEntries(), await this.#store.count()];
    if (held >= shrinkGuardFrom && wanted < held / 2) {
      throw new ServiceError(
        codes.ShrinkRefused,
        'updateBlockedIpsMap',
        `the map file ${this.#path} holds ${held} entries and the database ${wanted}: a rewrite would drop more than half; ${confirm}`,
      );
    }
  }

  async #countEntries(): Promise<number> {
    let count = 0;
    for await (const lines of readMapFile(this.#path)) {
      for (const line of lines) if (line.kind === 'entry') count += 1;
    }
    return count;
  }
}

function isAtOrBefore(text: string, cursor: Uint8Array): boolean {
  const parsed = parseIp(text);
  return parsed.ok && Buffer.compare(sortKey(parsed.entry), cursor) <= 0;
}
