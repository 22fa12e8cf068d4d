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

// Another process may have inserted rows without keys; they get them before the table is read.

/** A row costs some 30 µs. */
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

  /** @param turn runs each page in a turn, or in its caller's */
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

/** 1 to 2 ms, 4 on a busy machine. */
const pageSize = 2_000;
/** As many pages as fit: under load, waiting for turns is the main cost of a rewrite. A block waits for one such turn. */
const pagesMs = 10;
const pagesAtMost = 8;

/** Each slot takes 64 bytes and an index entry. */
const slotsAtMost = 16_384;
const deadLinesAtLeast = 10_000;

interface Active {
  readonly rewrite: MapFileRewrite;
  /** An urgent change wrote the file in its own turn; both share the outcome. */
  replacedBy: Promise<MapFileUpdate> | null;
  /** Holds the turn: waiting for work that needs one would deadlock. */
  readonly inTurn: boolean;
  readonly ended: Promise<void>;
}

interface Acceptance {
  /** An operator confirmed the rewrite of another database's file, or the loss of more than half. */
  readonly acceptForeignFile?: boolean;
  /** More than half may go: confirmed before. */
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
  /** The database does not hold what the service's own changes made. */
  readonly onUnexpectedDatabase: () => void;
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
  /** Only a rewrite adds the missing lines. */
  #stale: { readonly reason: string } | null = null;
  /** The file could not be written after a confirmed shrink; the next rewrite needs no confirmation. */
  #shrinkGranted = false;
  /** Number of bulk changes under way whose shrink was confirmed. */
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

  markStale(reason: string, { acceptShrink = false }: Pick<Acceptance, 'acceptShrink'> = {}): void {
    this.#stale = { reason };
    if (acceptShrink) this.#shrinkGranted = true;
  }

  /** Until released, a rewrite may shrink the file: a bulk change removes rows slice by slice, and lines at the end. */
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

  /** Inside the turn, for every committed change, with or without lines. */
  async noteGeneration(generation: number): Promise<void> {
    try {
      await this.#deps.file.note(generation);
    } catch (error) {
      // The change is committed: the file is rewritten, as after any unexpected change.
      this.noteProblem(error);
      this.#deps.log.warn('Could not note the last change in the map file', {
        path: this.#deps.path,
        cause: causeText(error),
      });
    }
  }

  /**
   * Rewrites the map file atomically (rule 11) while changes go on; the closing turn applies those since the snapshot.
   * @throws ServiceError when the file cannot be written, or belongs to another database
   */
  async updateBlockedIpsMap(options: Acceptance = {}): Promise<MapFileUpdate> {
    while (this.#update !== null) await this.#update.catch(() => undefined);
    return await this.#run(options, (work) => this.#deps.turns.take('bulk', work));
  }

  async updateInsideTurn(options: Acceptance = {}): Promise<MapFileUpdate> {
    return await this.#rewrite(options, (work) => work(), true);
  }

  async adoptForeignRows(): Promise<void> {
    if (await this.#foreignRows.any()) await this.updateBlockedIpsMap();
  }

  /** The rewrite under way that will make the file usable. Never rejects. */
  get underWay(): Promise<void> | null {
    if (this.#deps.file.state === 'current' || this.#update === null) return null;
    return this.#update.then(
      () => undefined,
      () => undefined,
    );
  }

  /** Call inside a turn, when no rewrite is under way. */
  async ensureUsable(options: Pick<Acceptance, 'acceptShrink'> = {}): Promise<void> {
    if (this.problem === null) return;
    this.#deps.log.warn('Map file is rewritten from the database', { path: this.#deps.path, reason: this.problem });
    try {
      await this.updateInsideTurn(options);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === codes.DatabaseUnusable) throw error;
      // A block cannot wait for a confirmation: the file counts as not writable.
      throw new ServiceError(codes.MapFileUnusable, 'check map file', error.message, {
        cause: error,
        retryAfterSeconds: 5,
      });
    }
  }

  /** A rewrite compacts slots and dead lines. */
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
    // Only a replaced rewrite waits for it.
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
        void this.#correctCounts();
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

  /** One rewrite at a time; one that began inside a turn replaces the one under way. */
  async #begin(outcome: Promise<MapFileUpdate>, inTurn: boolean, ended: Promise<void>): Promise<Active> {
    const begin = this.#beginning.then(async () => {
      // One inside a turn must end: replaced, it would wait for this one, which needs its turn.
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
    const begun = await this.#deps.store.beginTableRead();
    const pass = this.#expected.beginPass();
    const staleBefore = this.#stale;
    try {
      for (;;) {
        const { pages, last } = await turn(() => this.#readPages(pass));
        for (const texts of pages) await rewrite.append(texts);
        if (last) break;
      }
      // The long fsync, before the closing turn.
      await rewrite.seal();
      return await turn(async () => {
        // All rows after the cursor belong to the set by now.
        pass.read(await this.#deps.store.scanTexts(pass.cursor, Number.MAX_SAFE_INTEGER));
        if (!acceptShrink) refuseLostRows(pass.found.total, this.expected.total);
        const result = await rewrite.finish(await this.#deps.instance.generation());
        await this.#adopt(pass, begun);
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

  /** `last`: nothing more to read for now. */
  async #readPages(pass: TablePass): Promise<{ pages: readonly (readonly string[])[]; last: boolean }> {
    const pages: (readonly string[])[] = [];
    const began = performance.now();
    for (let before = 0; ; ) {
      const page = await this.#deps.store.scanTexts(pass.cursor, pageSize);
      pass.read(page);
      pages.push(page.texts);
      // Not "until none is left": addresses blocked in ascending order would make it endless.
      if (page.texts.length < pageSize) return { pages, last: true };
      const spent = performance.now() - began;
      if (pages.length === pagesAtMost || spent + (spent - before) > pagesMs) return { pages, last: false };
      before = spent;
    }
  }

  /** Half a second at a million entries. Nothing waits for it: these are only statistics. */
  async #correctCounts(): Promise<void> {
    try {
      await this.#deps.store.correctCounts();
    } catch (error) {
      const cause = causeText(error);
      const retrying = 'retrying after the next rewrite of the map file';
      this.#deps.log.warn(`Could not count the claims of each source; ${retrying}`, { cause });
    }
  }

  #asFailure(error: unknown): ServiceError {
    if (error instanceof ServiceError || isDefect(error)) return changeFailure(error);
    const { message } = asMapFileError(error, this.#deps.path);
    return new ServiceError(codes.MapFileUnusable, 'update map file', message, { cause: error, retryAfterSeconds: 5 });
  }

  async #adopt(pass: TablePass, begun: number): Promise<void> {
    const same = this.#expected.adopt(pass);
    await this.#deps.store.tableWasRead(pass.found.total, begun);
    if (!same) this.#deps.onUnexpectedDatabase();
  }
}
