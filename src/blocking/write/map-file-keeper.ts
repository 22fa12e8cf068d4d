// Keeps the blocked map file and the fingerprint of the expected set in sync with the database. Only
// `updateBlockedIpsMap` (rule 11) rewrites the complete file.

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

/** Rows checked per turn; a row costs some 30 µs. */
const adoptPage = 500;
const listedUnusable = 20;

class ForeignRows {
  readonly #deps: { readonly store: BlockedIpsStore; readonly log: Log; readonly now: () => Date };

  constructor(deps: { readonly store: BlockedIpsStore; readonly log: Log; readonly now: () => Date }) {
    this.#deps = deps;
  }

  async any(): Promise<boolean> {
    return await this.#deps.store.hasUnkeyedRows();
  }

  /** @param turn runs each page in a turn, or in the turn of its caller */
  async adopt(turn: <T>(work: () => Promise<T>) => Promise<T>): Promise<void> {
    if (!(await this.any())) return;
    let adopted = 0;
    let unusableTotal = 0;
    const unusable: { ip_address: string; why: string }[] = [];
    let after: string | null = null;
    do {
      const from: string | null = after;
      const piece: AdoptedRows = await turn(() => this.#deps.store.adoptUnkeyedRows(from, adoptPage, this.#deps.now()));
      adopted += piece.adopted;
      unusableTotal += piece.unusable.length;
      unusable.push(...piece.unusable.slice(0, listedUnusable - unusable.length));
      after = piece.last;
    } while (after !== null);
    if (adopted > 0) this.#deps.log.info('Foreign rows in the database were adopted', { count: adopted });
    if (unusableTotal > 0) {
      this.#deps.log.warn('Rows in the database that are not addresses are not enforced; correct or delete them', {
        count: unusableTotal,
        rows: unusable,
      });
    }
  }
}

/** Rows per read: 3 to 5 ms, 10 on a busy machine. */
const pageSize = 5_000;
/** One turn reads as many pages as fit: under load, waiting for turns is the main cost of a rewrite. */
const pagesMs = 25;
const pagesAtMost = 8;

/** Each slot takes 64 bytes and an index entry. */
const slotsAtMost = 16_384;
const deadLinesAtLeast = 10_000;

interface Active {
  readonly rewrite: MapFileRewrite;
  /** An urgent change wrote the file in its own turn; the outcome is shared. */
  replacedBy: Promise<MapFileUpdate> | null;
  /** It holds the turn: waiting for work that needs a turn would deadlock. */
  readonly inTurn: boolean;
  /** Resolves when it has ended or failed. */
  readonly ended: Promise<void>;
}

interface Acceptance {
  /** Rewrite although the file belongs to another database, or more than half would go: confirmed by an operator. */
  readonly acceptForeignFile?: boolean;
  /** More than half may go: that was confirmed before. */
  readonly acceptShrink?: boolean;
}

interface MapFileUpdate {
  readonly entries: number;
  readonly bytes: number;
}

interface MapFileKeeperDeps {
  readonly file: MapFile;
  readonly path: string;
  readonly store: BlockedIpsStore;
  readonly instance: InstanceStore;
  readonly turns: TurnQueue;
  readonly log: Log;
  /** Called when the database does not hold what the service's own changes made. */
  readonly onDatabaseSurprise: () => void;
  readonly now?: () => Date;
}

export class MapFileKeeper {
  readonly #deps: MapFileKeeperDeps;
  readonly #guard: ForeignFileGuard;
  readonly #foreignRows: ForeignRows;
  readonly #expected = new ExpectedSet();
  #update: Promise<MapFileUpdate> | null = null;
  #active: Active | null = null;
  #beginning: Promise<unknown> = Promise.resolve();
  #problem: string | null = null;
  /** Committed changes are missing in the file; only a rewrite adds them. */
  #stale: { readonly reason: string } | null = null;
  /** The file could not be written after a large shrink was confirmed; the next rewrite needs no confirmation. */
  #shrinkGranted = false;
  /** Bulk changes being applied; their shrink was confirmed before. */
  #shrinking = 0;

  constructor(deps: MapFileKeeperDeps) {
    this.#deps = deps;
    this.#guard = new ForeignFileGuard(deps);
    this.#foreignRows = new ForeignRows({ ...deps, now: deps.now ?? (() => new Date()) });
  }

  get file(): MapFile {
    return this.#deps.file;
  }

  get expected(): Fingerprint {
    return this.#expected.fingerprint;
  }

  /** Why the file is behind the database; null: it is not. */
  get problem(): string | null {
    return this.#deps.file.state === 'current' ? (this.#stale?.reason ?? null) : (this.#problem ?? 'not written yet');
  }

  /** The file lacks what the database holds, and the rewrite that should follow did not happen. */
  markStale(reason: string, { acceptShrink = false }: Pick<Acceptance, 'acceptShrink'> = {}): void {
    this.#stale = { reason };
    if (acceptShrink) this.#shrinkGranted = true;
  }

  /**
   * Until the returned function is called, much of the set is removed slice by slice, and its lines only at the end: a
   * rewrite that an edit of the file requires meanwhile needs no confirmation.
   */
  grantShrink(): () => void {
    this.#shrinking += 1;
    return () => {
      this.#shrinking -= 1;
    };
  }

  /** Call for every committed change, inside its turn. */
  noteCommitted(net: NetTexts): void {
    this.#expected.noteCommitted(net);
  }

  /**
   * Records the generation of every committed change, also of one without lines or with later ones. Inside its turn.
   */
  async noteGeneration(generation: number): Promise<void> {
    try {
      await this.#deps.file.note(generation);
    } catch (error) {
      // The change is committed, with or without its lines: the file is rewritten, as after any unexpected change.
      this.noteProblem(error);
      this.#deps.log.warn('Could not note the last change in the map file', {
        path: this.#deps.path,
        cause: causeText(error),
      });
    }
  }

  /**
   * Rewrites the map file from the database, atomically, while changes go on; those since the snapshot are applied
   * inside the closing turn.
   * @throws ServiceError when the file cannot be written, or belongs to another database
   */
  async updateBlockedIpsMap(options: Acceptance = {}): Promise<MapFileUpdate> {
    while (this.#update !== null) await this.#update.catch(() => undefined);
    return await this.#run(options, (work) => this.#deps.turns.take('bulk', work));
  }

  /** The same inside a turn: nothing else changes until it is done. */
  async updateInsideTurn(options: Acceptance = {}): Promise<MapFileUpdate> {
    return await this.#rewrite(options, (work) => work(), true);
  }

  /** Adopts foreign rows of the table, if there are any. */
  async adoptForeignRows(): Promise<void> {
    if (await this.#foreignRows.any()) await this.updateBlockedIpsMap();
  }

  /** A rewrite is under way that will make the file usable; null: none. Never rejects. */
  get underWay(): Promise<void> | null {
    if (this.#deps.file.state === 'current' || this.#update === null) return null;
    return this.#update.then(
      () => undefined,
      () => undefined,
    );
  }

  /** Repairs a damaged file. Call inside a turn, when no rewrite is under way. */
  async ensureUsable(options: Pick<Acceptance, 'acceptShrink'> = {}): Promise<void> {
    if (this.problem === null) return;
    this.#deps.log.warn('Map file is rewritten from the database', { path: this.#deps.path, reason: this.problem });
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

  /** Slots and dead lines have accumulated: a rewrite compacts the file. */
  get wantsRewrite(): boolean {
    const { state, slotsUsed, deadLines, entryCount } = this.#deps.file;
    return state === 'current' && (slotsUsed > slotsAtMost || deadLines > Math.max(deadLinesAtLeast, entryCount / 4));
  }

  noteProblem(error: unknown): void {
    // Shown after the words "map file".
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
    // Only a rewrite that this one replaced waits for it; there may be none.
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

  /** One rewrite writes at a time; a later one that began inside a turn replaces the one under way. */
  async #begin(outcome: Promise<MapFileUpdate>, inTurn: boolean, ended: Promise<void>): Promise<Active> {
    const begin = this.#beginning.then(async () => {
      // One inside a turn must end: replaced, it would keep its turn and wait for this one, which needs a turn.
      if (!inTurn && this.#active?.inTurn === true) await this.#active.ended;
      const former = this.#active;
      if (former !== null) {
        former.replacedBy = outcome;
        await former.rewrite.abort();
      }
      const generation = await this.#deps.instance.generation();
      const rewrite = await this.#deps.file.beginRewrite({ database: this.#deps.instance.databaseId, generation });
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
      // The long fsync of the appended lines, before the closing turn.
      await rewrite.seal();
      return await turn(async () => {
        // All rows after the last one read belong to the set by now.
        pass.read(await this.#deps.store.scanTexts(pass.cursor, Number.MAX_SAFE_INTEGER));
        if (!acceptShrink) refuseLostRows(pass.found.total, this.expected.total);
        const result = await rewrite.finish(await this.#deps.instance.generation());
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

  /** The pages that one turn reads. `last`: there is nothing more to read for now. */
  async #readPages(pass: TablePass): Promise<{ pages: readonly (readonly string[])[]; last: boolean }> {
    const pages: (readonly string[])[] = [];
    const began = performance.now();
    for (let before = 0; ; ) {
      const page = await this.#deps.store.scanTexts(pass.cursor, pageSize);
      pass.read(page);
      pages.push(page.texts);
      // Not "until none is left": addresses blocked in rising order would make it endless.
      if (page.texts.length < pageSize) return { pages, last: true };
      const spent = performance.now() - began;
      if (pages.length === pagesAtMost || spent + (spent - before) > pagesMs) return { pages, last: false };
      before = spent;
    }
  }

  #asFailure(error: unknown): ServiceError {
    if (error instanceof ServiceError || isDefect(error)) return changeFailure(error);
    const { message } = asMapFileError(error, this.#deps.path);
    return new ServiceError(codes.MapFileUnusable, 'update map file', message, { cause: error, retryAfterSeconds: 5 });
  }

  #adopt(pass: TablePass): void {
    const same = this.#expected.adopt(pass);
    this.#deps.store.wasCounted(pass.found.total);
    if (!same) this.#deps.onDatabaseSurprise();
  }
}
