// Keeps the blocked map file in step with the database, and with it the fingerprint of what should be blocked.
// `updateBlockedIpsMap` (rule 11) is the one way the file is written whole.

import type { TurnQueue } from '../../concurrency/turn-queue.ts';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { MapFile, MapFileRewrite } from '../../haproxy/map-file/map-file.ts';
import { asMapFileError } from '../../haproxy/map-file/map-file-error.ts';
import type { AdoptedRows, BlockedIpsStore } from '../../store/blocked-ips-store.ts';
import type { InstanceStore } from '../../store/instance-store.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import type { Fingerprint } from '../compare/fingerprint.ts';
import { changeFailure, isDefect } from './change-failure.ts';
import { ExpectedSet, type NetTexts, type TablePass } from './expected-set.ts';
import { ForeignFileGuard, refuseLostRows } from './foreign-file-guard.ts';

// Foreign rows: inserted into the table by another process. They get keys before the complete table is read.

/** Rows looked at in one turn; a row costs some 30 µs. */
const adoptPage = 500;
const listedUnusable = 20;

class ForeignRows {
  readonly #store: BlockedIpsStore;
  readonly #log: Log;
  readonly #now: () => Date;

  constructor(options: { readonly store: BlockedIpsStore; readonly log: Log; readonly now: () => Date }) {
    this.#store = options.store;
    this.#log = options.log;
    this.#now = options.now;
  }

  async any(): Promise<boolean> {
    return await this.#store.hasUnkeyedRows();
  }

  /** @param turn in which each piece of it is done, or whose work it is a part of */
  async adopt(turn: <T>(work: () => Promise<T>) => Promise<T>): Promise<void> {
    if (!(await this.any())) return;
    let adopted = 0;
    let unusableTotal = 0;
    const unusable: { ip_address: string; why: string }[] = [];
    let after: string | null = null;
    do {
      const from: string | null = after;
      const piece: AdoptedRows = await turn(() => this.#store.adoptUnkeyedRows(from, adoptPage, this.#now()));
      adopted += piece.adopted;
      unusableTotal += piece.unusable.length;
      unusable.push(...piece.unusable.slice(0, listedUnusable - unusable.length));
      after = piece.last;
    } while (after !== null);
    if (adopted > 0) this.#log.info('Foreign rows in the database were adopted', { count: adopted });
    if (unusableTotal > 0) {
      this.#log.warn('Rows in the database that are not addresses are not enforced; correct or delete them', {
        count: unusableTotal,
        rows: unusable,
      });
    }
  }
}

/** Rows read at once: 3 to 5 ms, 10 on a machine that is short of processor. */
const pageSize = 5_000;
/** One turn reads as many pages as fit into this: where others have work, the waits for turns are what a rewrite costs. */
const pagesMs = 25;
const pagesAtMost = 8;

/** Each slot takes 64 bytes and a place in the index. */
const slotsAtMost = 16_384;
const deadLinesAtLeast = 10_000;

interface Active {
  readonly rewrite: MapFileRewrite;
  /** A change that could not wait wrote the file in its own turn; its outcome is this one's too. */
  replacedBy: Promise<MapFileUpdate> | null;
  /** It holds the turn: waiting in it for other work that needs a turn would never end. */
  readonly inTurn: boolean;
  /** Resolves when it has ended, however it ended. */
  readonly ended: Promise<void>;
}

export interface Acceptance {
  /** Rewrite although the file is another database's, or more than half of it would go: an operator confirmed it. */
  readonly acceptForeignFile?: boolean;
  /** More than half may go: that was asked for, and granted, before. */
  readonly acceptShrink?: boolean;
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
  readonly #guard: ForeignFileGuard;
  readonly #foreignRows: ForeignRows;
  readonly #expected = new ExpectedSet();
  #update: Promise<MapFileUpdate> | null = null;
  #active: Active | null = null;
  #beginning: Promise<unknown> = Promise.resolve();
  #problem: string | null = null;
  /** Committed changes are not in the file; only a rewrite brings them in. */
  #stale: { readonly reason: string } | null = null;
  /** The file could not be written after a large shrink was confirmed; the next rewrite need not ask again. */
  #shrinkGranted = false;
  /** Bulk changes being applied; how much of the set goes with them was asked before. */
  #shrinking = 0;

  constructor(options: {
    readonly file: MapFile;
    readonly path: string;
    readonly store: BlockedIpsStore;
    readonly instance: InstanceStore;
    readonly turns: TurnQueue;
    readonly log: Log;
    /** The database was found to hold another set than the service's own changes made. */
    readonly onDatabaseSurprise: () => void;
    readonly now?: () => Date;
  }) {
    this.#file = options.file;
    this.#path = options.path;
    this.#store = options.store;
    this.#instance = options.instance;
    this.#turns = options.turns;
    this.#log = options.log;
    this.#onDatabaseSurprise = options.onDatabaseSurprise;
    this.#guard = new ForeignFileGuard(options);
    this.#foreignRows = new ForeignRows({ ...options, now: options.now ?? (() => new Date()) });
  }

  get file(): MapFile {
    return this.#file;
  }

  get expected(): Fingerprint {
    return this.#expected.fingerprint;
  }

  /** Why the file is behind the database; null when it is not. */
  get problem(): string | null {
    return this.#file.state === 'current' ? (this.#stale?.reason ?? null) : (this.#problem ?? 'not written yet');
  }

  /** The database holds what the file does not, and the rewrite that was to follow did not come. */
  markStale(reason: string, { acceptShrink = false }: Pick<Acceptance, 'acceptShrink'> = {}): void {
    this.#stale = { reason };
    if (acceptShrink) this.#shrinkGranted = true;
  }

  /**
   * Until the returned function is called much of the set goes away, slice by slice, and its lines only at the end: a
   * rewrite that an edit of the file makes necessary meanwhile need not ask for it.
   */
  grantShrink(): () => void {
    this.#shrinking += 1;
    return () => {
      this.#shrinking -= 1;
    };
  }

  /** To be called for every committed change, inside its turn. */
  noteCommitted(net: NetTexts): void {
    this.#expected.noteCommitted(net);
  }

  /** The file tells of every committed change, also of one that needs no line, or has its lines written later. In its turn. */
  async noteGeneration(generation: number): Promise<void> {
    try {
      await this.#file.note(generation);
    } catch (error) {
      // The change is made, and the file has its lines or lacks them as before: it is rewritten, as after any surprise.
      this.noteProblem(error);
      this.#log.warn('Could not note the last change in the map file', { path: this.#path, cause: causeText(error) });
    }
  }

  /**
   * Rewrites the map file from the database, atomically. Changes go on meanwhile; those made since the snapshot are
   * applied inside the closing turn.
   * @throws ServiceError when the file cannot be written, or belongs to another database
   */
  async updateBlockedIpsMap(options: Acceptance = {}): Promise<MapFileUpdate> {
    while (this.#update !== null) await this.#update.catch(() => undefined);
    return await this.#run(options, (work) => this.#turns.take('bulk', work));
  }

  /** The same from inside a turn: nothing else changes until it is done. */
  async updateInsideTurn(options: Acceptance = {}): Promise<MapFileUpdate> {
    return await this.#rewrite(options, (work) => work(), true);
  }

  /** Adopts foreign rows of the table, if there are any. */
  async adoptForeignRows(): Promise<void> {
    if (await this.#foreignRows.any()) await this.updateBlockedIpsMap();
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
  async ensureUsable(options: Pick<Acceptance, 'acceptShrink'> = {}): Promise<void> {
    if (this.problem === null) return;
    this.#log.warn('Map file is rewritten from the database', { path: this.#path, reason: this.problem });
    try {
      await this.updateInsideTurn(options);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === codes.DatabaseUnusable) throw error;
      // A block cannot ask for a confirmation: until an operator confirms, the file counts as not writable.
      throw new ServiceError(codes.MapFileUnusable, 'check map file', error.message, {
        cause: error,
        retryAfterSeconds: 5,
      });
    }
  }

  /** Slots and dead lines have piled up: a rewrite makes the file dense again. */
  get wantsRewrite(): boolean {
    const { state, slotsUsed, deadLines, entryCount } = this.#file;
    return state === 'current' && (slotsUsed > slotsAtMost || deadLines > Math.max(deadLinesAtLeast, entryCount / 4));
  }

  noteProblem(error: unknown): void {
    // It is shown after the words "map file".
    this.#problem = causeText(error).replace(/^the map file /, '');
  }

  async #run(accept: Acceptance, turn: <T>(work: () => Promise<T>) => Promise<T>): Promise<MapFileUpdate> {
    const run = this.#rewrite(accept, turn);
    this.#update = run;
    try {
      return await run;
    } finally {
      if (this.#update === run) this.#update = null;
    }
  }

  async #rewrite(
    accept: Acceptance,
    turn: <T>(work: () => Promise<T>) => Promise<T>,
    inTurn = false,
  ): Promise<MapFileUpdate> {
    const outcome = Promise.withResolvers<MapFileUpdate>();
    const ended = Promise.withResolvers<void>();
    // Only a rewrite that this one replaced listens; there may be none.
    outcome.promise.catch(() => undefined);
    try {
      if (accept.acceptForeignFile === true) await this.#guard.keepCopy();
      else
        await this.#guard.refuseForeignFile(accept.acceptShrink === true || this.#shrinkGranted || this.#shrinking > 0);
      await this.#foreignRows.adopt(turn);
      const active = await this.#begin(outcome.promise, inTurn, ended.promise);
      try {
        const written = await this.#write(
          active.rewrite,
          accept.acceptForeignFile === true || accept.acceptShrink === true,
          turn,
        );
        outcome.resolve(written);
        return written;
      } catch (error) {
        await active.rewrite.abort();
        if (active.replacedBy === null) throw error;
        const written = await active.replacedBy;
        outcome.resolve(written);
        return written;
      } finally {
        if (this.#active === active) this.#active = null;
      }
    } catch (error) {
      this.noteProblem(error);
      if (accept.acceptShrink === true) this.#shrinkGranted = true;
      const failure = this.#asFailure(error);
      outcome.reject(failure);
      throw failure;
    } finally {
      ended.resolve();
    }
  }

  /** One at a time writes; a later one, which began inside a turn, replaces the one under way. */
  async #begin(outcome: Promise<MapFileUpdate>, inTurn: boolean, ended: Promise<void>): Promise<Active> {
    const begin = this.#beginning.then(async () => {
      // One inside a turn is let end: replaced, it would keep its turn and wait for this one, which needs a turn.
      if (!inTurn && this.#active?.inTurn === true) await this.#active.ended;
      const former = this.#active;
      if (former !== null) {
        former.replacedBy = outcome;
        await former.rewrite.abort();
      }
      const generation = await this.#instance.generation();
      const rewrite = await this.#file.beginRewrite({ database: this.#instance.databaseId, generation });
      const active: Active = { rewrite, replacedBy: null, inTurn, ended };
      this.#active = active;
      return active;
    });
    this.#beginning = begin.catch(() => undefined);
    return await begin;
  }

  async #write(
    rewrite: MapFileRewrite,
    acceptShrink: boolean,
    turn: <T>(work: () => Promise<T>) => Promise<T>,
  ): Promise<MapFileUpdate> {
    const pass = this.#expected.beginPass();
    const staleBefore = this.#stale;
    try {
      for (;;) {
        const { pages, last } = await turn(() => this.#readPages(pass));
        for (const texts of pages) await rewrite.append(texts);
        if (last) break;
      }
      // The long fsync of all that was appended, before the closing turn.
      await rewrite.seal();
      return await turn(async () => {
        // Whatever comes after the last row that was read belongs to the set as well by now.
        pass.read(await this.#store.scanTexts(pass.cursor, Number.MAX_SAFE_INTEGER));
        if (!acceptShrink) refuseLostRows(pass.found.total, this.expected.total);
        const result = await rewrite.finish(await this.#instance.generation());
        this.#adopt(pass);
        this.#problem = null;
        if (this.#stale === staleBefore) {
          this.#stale = null;
          this.#shrinkGranted = false;
        }
        return result;
      });
    } finally {
      this.#expected.endPass(pass);
    }
  }

  /** What one turn reads of the table. `last`: nothing more is to be read for now. */
  async #readPages(pass: TablePass): Promise<{ pages: readonly (readonly string[])[]; last: boolean }> {
    const pages: (readonly string[])[] = [];
    const began = performance.now();
    for (let before = 0; ; ) {
      const page = await this.#store.scanTexts(pass.cursor, pageSize);
      pass.read(page);
      pages.push(page.texts);
      // Not "until none is left": addresses blocked in rising order would keep it going for ever.
      if (page.texts.length < pageSize) return { pages, last: true };
      const spent = performance.now() - began;
      if (pages.length === pagesAtMost || spent + (spent - before) > pagesMs) return { pages, last: false };
      before = spent;
    }
  }

  #asFailure(error: unknown): ServiceError {
    if (error instanceof ServiceError || isDefect(error)) return changeFailure(error);
    const { message } = asMapFileError(error, this.#path);
    return new ServiceError(codes.MapFileUnusable, 'update map file', message, { cause: error, retryAfterSeconds: 5 });
  }

  #adopt(pass: TablePass): void {
    const same = this.#expected.adopt(pass);
    this.#store.wasCounted(pass.found.total);
    if (!same) this.#onDatabaseSurprise();
  }
}
