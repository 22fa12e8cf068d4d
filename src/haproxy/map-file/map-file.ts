import { TimeSlice } from '../../concurrency/slices.ts';
import { crashPoint } from '../../faults/crash-point.ts';
import { DEFAULT_FILE_MODE } from '../../files/atomic-file.ts';
import { asMapFileError, MapFileError, surprise } from './map-file-error.ts';
import type { MapFileImage } from './map-file-image.ts';
import { canonicalEntry, type MapFileHeader } from './map-file-layout.ts';
import { diskOps, type MapFileOps } from './map-file-ops.ts';
import { RewriteInProgress } from './map-file-rewrite.ts';

export { MapFileError } from './map-file-error.ts';
export type { MapFileHeader } from './map-file-layout.ts';
export {
  countMapFileLines,
  type MapFileIdentity,
  type MapFileLine,
  NO_VALUE,
  readMapFile,
  readMapFileHeader,
} from './map-file-reader.ts';

/** `unopened`: not yet rewritten by this service. `behind`: not reliable until a rewrite succeeds. */
type MapFileState = 'unopened' | 'current' | 'behind';

export interface MapFileDeps {
  readonly path: string;
  /** Default 0o640. */
  readonly mode?: number;
  /** Slots that a rewrite creates for later additions, rounded up to 64. Default 1024. */
  readonly slots?: number;
  readonly ops?: MapFileOps;
}

export interface MapFileRewrite {
  /** Canonical addresses in sortKey order, over several calls; otherwise rejects with a RangeError. */
  append(ips: readonly string[]): Promise<void>;
  /** Optional, after the last append and outside the writer's turn: the long fsync, so that `finish` has a short one. */
  seal(): Promise<void>;
  /**
   * Applies what changed since `beginRewrite`, syncs, renames, syncs the folder; mode and owner of the old file stay.
   * `generation`: of the last change that the database committed; by default that of the header.
   * To be called in the writer's turn, with no add or remove under way. After a rejection (MapFileError) the rewrite is
   * over, its temporary file removed, and the map file unchanged; only if the folder's sync failed is the new file in place
   * and the state `behind`.
   */
  finish(generation?: number): Promise<{ entries: number; bytes: number }>;
  /** Discards the rewrite; does nothing when it is over. Call it after `append` or `seal` rejected. */
  abort(): Promise<void>;
}

/**
 * The map file, complete at every moment (promise 10, ADR 0010). A rewrite makes it `current`; from then on a change
 * costs the same at any size.
 *
 * The file records the number of its last change (its generation), so that a start recognises an older database. `add`
 * and `remove` write it together with their lines.
 *
 * Call `add`, `remove`, `note`, `has` and `finish` one at a time; `beginRewrite` and `append` may overlap with them.
 */
export class MapFile {
  readonly #deps: MapFileDeps;
  readonly #ops: MapFileOps;
  #image: MapFileImage | null = null;
  #failure: MapFileError | null = null;
  #journal: Map<string, boolean> | null = null;
  #rewrite: RewriteInProgress | null = null;
  /** A change being written, without the sync, or a new file being renamed; never rejects. */
  #writing: Promise<unknown> | null = null;

  constructor(deps: MapFileDeps) {
    this.#deps = deps;
    this.#ops = deps.ops ?? diskOps;
  }

  get state(): MapFileState {
    if (this.#image !== null) return 'current';
    return this.#failure === null ? 'unopened' : 'behind';
  }

  get entryCount(): number {
    return this.#image?.entryCount ?? 0;
  }

  /** Entries added since the rewrite: each takes about 100 bytes of memory. */
  get slotsUsed(): number {
    return this.#image?.slotsUsed ?? 0;
  }

  /** Lines removed since the rewrite: they take space in the file and slow down searches. */
  get deadLines(): number {
    return this.#image?.deadLines ?? 0;
  }

  /**
   * Adds canonical addresses. Durable on return. Rejects with a MapFileError; after any reason except `not-canonical`
   * the state is `behind`, and some of the addresses may be in the file.
   */
  async add(ips: readonly string[], generation?: number): Promise<void> {
    await this.#assertCanonical(ips);
    this.#remember(ips, true);
    await this.#change(async (image) => (await image.add(ips, generation)) > 0);
  }

  /** Removes canonical addresses and returns those that were present. Durable on return. Rejects as `add` does. */
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
   * Records a committed change that needed no line. Not synced: after a power failure the file is only behind the
   * database, which is always correct. Rejects as `add` does; does nothing unless `current`.
   */
  async note(generation: number): Promise<void> {
    if (this.#image === null || generation <= this.#image.generation) return;
    await this.#write(async (image) => image.note(generation));
  }

  /** Omits addresses from a rewrite in progress: their addition failed, and the database does not contain them. */
  leaveOut(ips: readonly string[]): void {
    this.#remember(ips, false);
  }

  /** Whether the file has a live line for exactly this canonical address. Rejects as `add` does. */
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
   * Starts an atomic rewrite into a temporary file in the same folder; removes those of crashed processes. `finish`
   * applies again what is added or removed from now on, successfully or not, so take the snapshot after this resolved.
   * One at a time.
   */
  async beginRewrite(header: MapFileHeader): Promise<MapFileRewrite> {
    if (this.#journal !== null) throw new Error(`a rewrite of ${this.#deps.path} is under way`);
    const journal = new Map<string, boolean>();
    this.#journal = journal;
    const owner = {
      path: this.#deps.path,
      ops: this.#ops,
      slots: this.#deps.slots ?? 1024,
      mode: { mode: this.#deps.mode ?? DEFAULT_FILE_MODE },
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
      throw error instanceof RangeError ? error : asMapFileError(error, this.#deps.path);
    }
  }

  /**
   * Whether the file is as this service left it: one stat. Awaits a change being written, since half of it would look
   * like another process's. Rejects when the stat fails.
   */
  async unchanged(): Promise<boolean> {
    while (this.#writing !== null) await this.#writing;
    return this.#image !== null && this.#image.surprise() === null;
  }

  /** Aborts a rewrite in progress; the state is `unopened` again. */
  async close(): Promise<void> {
    await this.#rewrite?.abort();
    const image = this.#image;
    this.#image = null;
    this.#failure = null;
    await image?.file.close();
  }

  /** `work` returns whether it wrote; its writes are durable on return. */
  async #change(work: (image: MapFileImage) => Promise<boolean>): Promise<void> {
    const image = this.#trusted();
    if (!(await this.#write(work))) return;
    crashPoint('map-file.before-sync');
    try {
      await this.#ops.dataSync(image.file);
    } catch (error) {
      // Linux marks the pages clean after a failed sync: a second one would succeed and prove nothing.
      throw await this.#fallBehind(asMapFileError(error, this.#deps.path, 'sync-failed'));
    }
    crashPoint('map-file.synced');
  }

  async #write(work: (image: MapFileImage) => Promise<boolean>): Promise<boolean> {
    const image = this.#trusted();
    try {
      const what = image.surprise();
      if (what !== null) throw surprise(this.#deps.path, what);
      return await this.#whileWriting(async () => {
        if (!(await work(image))) return false;
        // Before the sync, so that a write of another process during it is detected.
        image.settle();
        return true;
      });
    } catch (error) {
      throw await this.#fallBehind(asMapFileError(error, this.#deps.path));
    }
  }

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
    const why =
      failure?.message.replace(`the map file ${this.#deps.path} `, 'it ') ??
      'it has not been rewritten since the start';
    throw new MapFileError(
      'behind',
      `the map file ${this.#deps.path} accepts no changes until it is rewritten: ${why}`,
      {
        ...(failure === null ? {} : { cause: failure.cause }),
      },
    );
  }

  /** Closes the unreliable file; returns the error to throw. */
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
