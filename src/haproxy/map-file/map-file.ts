import { TimeSlice } from '../../concurrency/slices.ts';
import { crashPoint } from '../../faults/crash-point.ts';
import { DEFAULT_FILE_MODE } from '../../files/atomic-file.ts';
import { asMapFileError, MapFileError, surprise } from './map-file-error.ts';
import type { MapFileImage } from './map-file-image.ts';
import { canonicalEntry, type MapFileHeader } from './map-file-layout.ts';
import { diskOps, type MapFileOps } from './map-file-ops.ts';
import { RewriteInProgress } from './map-file-rewrite.ts';

export { MapFileError, type MapFileFailure } from './map-file-error.ts';
export type { MapFileHeader } from './map-file-layout.ts';
export { type MapFileIdentity, type MapFileLine, NO_VALUE, readMapFile, readMapFileHeader } from './map-file-reader.ts';

/** `unopened`: not yet rewritten by us. `behind`: not to be trusted until a rewrite succeeds. */
export type MapFileState = 'unopened' | 'current' | 'behind';

export interface MapFileOptions {
  /** Mode of a file that was not there. Default 0o640. */
  readonly mode?: number;
  /** Slots that a rewrite prepares for later additions, rounded up to 64. Default 1024; more are appended when needed. */
  readonly slots?: number;
  /** The disk; another one in tests. */
  readonly ops?: MapFileOps;
}

export interface MapFileRewrite {
  /** Canonical addresses in sortKey order, over several calls; rejects with a RangeError when they are not. */
  append(ips: readonly string[]): Promise<void>;
  /** Optional, after the last append and outside the writer's turn: the long fsync, so that `finish` has a short one. */
  seal(): Promise<void>;
  /**
   * Applies what changed since `beginRewrite`, syncs, renames, syncs the folder; mode and owner of the old file stay.
   * `generation`: of the last change that the database committed; the header's when left out.
   * To be called inside the writer's turn: no add or remove may be under way. After a rejection (MapFileError) the
   * rewrite is over, nothing is left behind, and the map file is what it was; only when the folder's sync failed is the
   * new file in place and the state `behind`.
   */
  finish(generation?: number): Promise<{ entries: number; bytes: number }>;
  /** Ends the rewrite without a trace; no-op when it is over. To be called after `append` or `seal` rejected. */
  abort(): Promise<void>;
}

/**
 * The map file, whole at every moment (promise 10, ADR 0010). It becomes `current` by a rewrite;
 * from then on a change costs the same whatever the file's size.
 *
 * The file tells which change it holds (its generation), so that a start knows a database that is older. `add` and
 * `remove` note the number of their change with the write that makes it, and left out, none.
 *
 * `add`, `remove`, `note`, `has` and `finish` are called one at a time; `beginRewrite` and `append` may overlap with them.
 */
export class MapFile {
  readonly #path: string;
  readonly #mode: number;
  readonly #slots: number;
  readonly #ops: MapFileOps;
  #image: MapFileImage | null = null;
  #failure: MapFileError | null = null;
  #journal: Map<string, boolean> | null = null;
  #rewrite: RewriteInProgress | null = null;
  /** Our own writes of a change, the wait for the disk left out, or a new file's taking its place; never rejects. */
  #writing: Promise<unknown> | null = null;

  constructor(path: string, options: MapFileOptions = {}) {
    this.#path = path;
    this.#mode = options.mode ?? DEFAULT_FILE_MODE;
    this.#slots = options.slots ?? 1024;
    this.#ops = options.ops ?? diskOps;
  }

  get state(): MapFileState {
    if (this.#image !== null) return 'current';
    return this.#failure === null ? 'unopened' : 'behind';
  }

  /** Live lines, as written by us; 0 unless current. */
  get entryCount(): number {
    return this.#image?.entryCount ?? 0;
  }

  /** Entries that were added since the rewrite: each costs memory (about 100 bytes). */
  get slotsUsed(): number {
    return this.#image?.slotsUsed ?? 0;
  }

  /** Lines of the rewrite that were removed since: they take room in the file and slow the search down. */
  get deadLines(): number {
    return this.#image?.deadLines ?? 0;
  }

  /**
   * Adds canonical addresses; those already live are skipped. Durable on return. Rejects with a MapFileError. After any
   * reason but `not-canonical` the state is `behind`, and some of the addresses may be in the file.
   */
  async add(ips: readonly string[], generation?: number): Promise<void> {
    await this.#assertCanonical(ips);
    this.#remember(ips, true);
    await this.#change(async (image) => (await image.add(ips, generation)) > 0);
  }

  /** Removes canonical addresses and tells which of them were there. Durable on return. Rejects as `add` does. */
  async remove(ips: readonly string[], generation?: number): Promise<{ removed: string[] }> {
    await this.#assertCanonical(ips);
    this.#remember(ips, false);
    let removed: string[] = [];
    await this.#change(async (image) => {
      removed = await image.remove(ips, generation);
      return removed.length > 0;
    });
    return { removed };
  }

  /**
   * Notes a committed change that needed no line of the file. Not waited for: should a power failure take it back, the
   * file is behind the database, which is always right. Rejects as `add` does; does nothing unless `current`.
   */
  async note(generation: number): Promise<void> {
    if (this.#image === null || generation <= this.#image.generation) return;
    await this.#write(async (image) => image.note(generation));
  }

  /** A rewrite under way leaves these addresses out: their addition failed, and the database does not hold them. */
  leaveOut(ips: readonly string[]): void {
    this.#remember(ips, false);
  }

  /** Whether the file has a live line of exactly this canonical address. Rejects as `add` does. */
  async has(ip: string): Promise<boolean> {
    let found = false;
    await this.#assertCanonical([ip]);
    await this.#change(async (image) => {
      found = image.has(ip);
      return false;
    });
    return found;
  }

  /**
   * Starts an atomic rewrite into a temporary file in the same folder; leftovers of crashed runs are removed first. What
   * is added or removed from now on, with or without success, is applied again by `finish`, so the snapshot to append
   * is to be taken after this resolved. One at a time.
   */
  async beginRewrite(header: MapFileHeader): Promise<MapFileRewrite> {
    if (this.#journal !== null) throw new Error(`a rewrite of ${this.#path} is under way`);
    const journal = new Map<string, boolean>();
    this.#journal = journal;
    const owner = {
      path: this.#path,
      ops: this.#ops,
      slots: this.#slots,
      mode: { mode: this.#mode },
      journal,
      replaced: (image: MapFileImage) => this.#adopt(image),
      doubtful: async (failure: MapFileError) => {
        await this.#fallBehind(failure);
      },
      ended: () => {
        this.#journal = null;
        this.#rewrite = null;
      },
    };
    try {
      const rewrite = await RewriteInProgress.begin(owner, header);
      this.#rewrite = rewrite;
      return {
        append: (ips) => rewrite.append(ips),
        seal: () => rewrite.seal(),
        finish: (generation) => this.#whileWriting(() => rewrite.finish(generation)),
        abort: () => rewrite.abort(),
      };
    } catch (error) {
      this.#journal = null;
      throw error instanceof RangeError ? error : asMapFileError(error, this.#path);
    }
  }

  /**
   * Whether the file on disk is the one we left: one stat. A change of ours that is being written is let end first: half
   * of it would look like somebody else's. Rejects when the system does not tell.
   */
  async unchanged(): Promise<boolean> {
    while (this.#writing !== null) await this.#writing;
    return this.#image !== null && this.#image.surprise() === null;
  }

  /** Closes the file and aborts a rewrite under way; the state is `unopened` again. */
  async close(): Promise<void> {
    await this.#rewrite?.abort();
    const image = this.#image;
    this.#image = null;
    this.#failure = null;
    await image?.file.close();
  }

  /** `work` says whether it wrote; what it wrote is durable on return. */
  async #change(work: (image: MapFileImage) => Promise<boolean>): Promise<void> {
    const image = this.#trusted();
    if (!(await this.#write(work))) return;
    crashPoint('map-file.before-sync');
    try {
      await this.#ops.dataSync(image.file);
    } catch (error) {
      // Linux marks the pages clean after a failed sync: a second one would succeed and prove nothing.
      throw await this.#fallBehind(asMapFileError(error, this.#path, 'sync-failed'));
    }
    crashPoint('map-file.synced');
  }

  async #write(work: (image: MapFileImage) => Promise<boolean>): Promise<boolean> {
    const image = this.#trusted();
    try {
      const what = image.surprise();
      if (what !== null) throw surprise(this.#path, what);
      return await this.#whileWriting(async () => {
        if (!(await work(image))) return false;
        // Before the wait for the disk: a foreign write during it is then seen.
        image.settle();
        return true;
      });
    } catch (error) {
      throw await this.#fallBehind(asMapFileError(error, this.#path));
    }
  }

  /** `unchanged` waits for it. */
  async #whileWriting<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#writing = promise;
    try {
      return await work();
    } finally {
      this.#writing = null;
      resolve();
    }
  }

  #trusted(): MapFileImage {
    if (this.#image !== null) return this.#image;
    const failure = this.#failure;
    // The file is named once, and what the system said is the cause of both.
    const why =
      failure?.message.replace(`the map file ${this.#path} `, 'it ') ?? 'it was not rewritten since the start';
    throw new MapFileError('behind', `the map file ${this.#path} takes no changes before it is rewritten: ${why}`, {
      ...(failure === null ? {} : { cause: failure.cause }),
    });
  }

  /** Gives the file up; returns the error to throw. */
  async #fallBehind(failure: MapFileError): Promise<MapFileError> {
    const image = this.#image;
    this.#image = null;
    this.#failure = failure;
    try {
      await image?.file.close();
    } catch (error) {
      const both = new AggregateError([failure.cause, error], 'the map file failed, and so did closing it');
      this.#failure = new MapFileError(failure.reason, failure.message, { cause: both });
    }
    return this.#failure;
  }

  async #adopt(image: MapFileImage): Promise<void> {
    const old = this.#image;
    this.#image = image;
    this.#failure = null;
    await old?.file.close();
  }

  #remember(ips: readonly string[], present: boolean): void {
    if (this.#journal === null) return;
    for (const ip of ips) this.#journal.set(ip, present);
  }

  async #assertCanonical(ips: readonly string[]): Promise<void> {
    const slice = new TimeSlice();
    for (const ip of ips) {
      canonicalEntry(ip);
      if (slice.due()) await slice.rest();
    }
  }
}
