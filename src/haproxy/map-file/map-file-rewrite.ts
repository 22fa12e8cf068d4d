import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TimeSlice } from '../../concurrency/slices.ts';
import { compareEntries, type IpEntry } from '../../domain/ip.ts';
import { crashPoint } from '../../faults/crash-point.ts';
import {
  type AtomicWriteOptions,
  discardTemporary,
  inheritModeAndOwner,
  removeStaleTemporaries,
  resolveTarget,
  temporaryPath,
} from '../../files/atomic-file.ts';
import { asMapFileError, type MapFileError } from './map-file-error.ts';
import { MapFileImage } from './map-file-image.ts';
import {
  bodyLine,
  canonicalEntry,
  emptySlots,
  headerLine,
  LONGEST_LINE,
  type MapFileHeader,
  nowLine,
  padding,
  SLOTS_PER_BLOCK,
} from './map-file-layout.ts';
import type { MapFileOps } from './map-file-ops.ts';

const BUFFER_BYTES = 262_144;
/** Synced as it grows, so that the last fsync, for which changes wait, is short. */
const SYNC_EVERY_BYTES = 4_194_304;

interface RewriteOwner {
  readonly path: string;
  readonly ops: MapFileOps;
  readonly slots: number;
  readonly mode: AtomicWriteOptions;
  /** Changed since the rewrite began: true, the address must be in the file; false, it must not. */
  readonly journal: ReadonlyMap<string, boolean>;
  replaced(image: MapFileImage): Promise<void>;
  /** The new file is in place but may not be durable. */
  doubtful(failure: MapFileError): Promise<void>;
  ended(): void;
}

interface RewriteDeps {
  readonly owner: RewriteOwner;
  /** The map file, symbolic links resolved. */
  readonly target: string;
  readonly temporary: string;
  readonly file: FileHandle;
  readonly header: MapFileHeader;
}

/** See `MapFileRewrite` in map-file.ts, its interface for callers. */
export class RewriteInProgress {
  readonly #deps: RewriteDeps;
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #buffered = 0;
  #written = 0;
  #synced = 0;
  #entries = 0;
  #last: IpEntry | null = null;
  #image: MapFileImage | null = null;
  #over = false;

  private constructor(deps: RewriteDeps) {
    this.#deps = deps;
    this.#buffered = Buffer.concat(firstLines(deps.header)).copy(this.#buffer);
  }

  static async begin(owner: RewriteOwner, header: MapFileHeader): Promise<RewriteInProgress> {
    // Throws for an invalid header, before there is a file.
    firstLines(header);
    const target = await resolveTarget(owner.path);
    await removeStaleTemporaries(target);
    const temporary = temporaryPath(target);
    const file = await open(temporary, 'wx+', 0o600);
    crashPoint('map-rewrite.begun');
    return new RewriteInProgress({ owner, target, temporary, file, header });
  }

  async append(ips: readonly string[]): Promise<void> {
    this.#assertOpen();
    if (this.#image !== null) throw new Error('append after the rewrite was sealed');
    const slice = new TimeSlice();
    for (const ip of ips) {
      const entry = canonicalEntry(ip);
      if (this.#last !== null && compareEntries(this.#last, entry) >= 0) {
        throw new RangeError(`map file rewrite out of order: ${ip} after ${this.#last.text}`);
      }
      this.#last = entry;
      if (this.#buffered > BUFFER_BYTES - LONGEST_LINE) await this.#flush();
      this.#buffered += this.#buffer.write(bodyLine(ip), this.#buffered, 'latin1');
      this.#entries += 1;
      if (slice.due()) await slice.rest();
    }
  }

  async seal(): Promise<void> {
    this.#assertOpen();
    if (this.#image !== null) return;
    await this.#flush();
    const bodyEnd = this.#written;
    await this.#write(padding(bodyEnd));
    const slotsStart = this.#written;
    const slots = Math.ceil(this.#deps.owner.slots / SLOTS_PER_BLOCK) * SLOTS_PER_BLOCK;
    for (let at = 0; at < slots; at += SLOTS_PER_BLOCK) await this.#write(emptySlots(SLOTS_PER_BLOCK));
    crashPoint('map-rewrite.written');
    await this.#sync(() => this.#deps.owner.ops.sync(this.#deps.file));
    crashPoint('map-rewrite.sealed');
    const geometry = { bodyEnd, slotsStart, slots, entries: this.#entries, generation: this.#deps.header.generation };
    const { owner, file } = this.#deps;
    this.#image = new MapFileImage({ ops: owner.ops, path: owner.path, file, geometry });
  }

  async finish(generation = this.#deps.header.generation): Promise<{ entries: number; bytes: number }> {
    this.#assertOpen();
    const { path, ops, mode } = this.#deps.owner;
    let image: MapFileImage;
    try {
      await this.seal();
      image = this.#image as unknown as MapFileImage;
      // The snapshot may already contain changes up to this generation; which ones is not known.
      image.setGeneration({ ...this.#deps.header, generation });
      await this.#applyJournal(image);
      await inheritModeAndOwner(this.#deps.file, this.#deps.target, mode);
      await this.#sync(() => ops.sync(this.#deps.file));
      image.settle();
      crashPoint('map-rewrite.before-rename');
      await ops.rename(this.#deps.temporary, this.#deps.target);
    } catch (error) {
      const failure = asMapFileError(error, path);
      await this.#discard(failure);
      throw failure;
    }
    this.#end();
    crashPoint('map-rewrite.renamed');
    try {
      await ops.syncFolder(dirname(this.#deps.target));
    } catch (error) {
      const failure = asMapFileError(error, path, 'sync-failed');
      await this.#deps.owner.doubtful(failure);
      await this.#deps.file.close();
      throw failure;
    }
    crashPoint('map-rewrite.durable');
    await this.#deps.owner.replaced(image);
    return { entries: image.entryCount, bytes: image.size };
  }

  async abort(): Promise<void> {
    if (!this.#over) await this.#discard(null);
  }

  async #applyJournal(image: MapFileImage): Promise<void> {
    const gone: string[] = [];
    const there: string[] = [];
    for (const [ip, present] of this.#deps.owner.journal) (present ? there : gone).push(ip);
    await image.remove(gone);
    await image.add(there);
  }

  async #flush(): Promise<void> {
    await this.#write(this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
    if (this.#written - this.#synced < SYNC_EVERY_BYTES) return;
    await this.#sync(() => this.#deps.owner.ops.dataSync(this.#deps.file));
    this.#synced = this.#written;
  }

  async #write(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    const written = await this.#deps.owner.ops.write(this.#deps.file, bytes, this.#written);
    if (written !== bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes were written`);
    this.#written += written;
  }

  async #sync(sync: () => Promise<void>): Promise<void> {
    try {
      await sync();
    } catch (error) {
      throw asMapFileError(error, this.#deps.owner.path, 'sync-failed');
    }
  }

  /** Throws the failure together with that of the removal, if it fails too. */
  async #discard(failure: Error | null): Promise<void> {
    this.#end();
    await this.#deps.file.close();
    const error = await discardTemporary(this.#deps.temporary, failure);
    if (error !== null && error !== failure) throw error;
  }

  #end(): void {
    this.#over = true;
    this.#deps.owner.ended();
  }

  #assertOpen(): void {
    if (this.#over) throw new Error('this rewrite of the map file has ended');
  }
}

function firstLines(header: MapFileHeader): [Buffer, Buffer] {
  return [headerLine(header), nowLine(header.generation)];
}
