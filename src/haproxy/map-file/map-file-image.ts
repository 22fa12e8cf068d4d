import { fstatSync, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { TimeSlice } from '../../concurrency/slices.ts';
import { crashPoint } from '../../faults/crash-point.ts';
import { isMissing } from '../../files/atomic-file.ts';
import { MapFileBody } from './map-file-body.ts';
import { asMapFileError, surprise } from './map-file-error.ts';
import {
  BODY_START,
  canonicalEntry,
  emptySlots,
  firstByte,
  HASH_BYTE,
  HEADER_BYTES,
  headerLine,
  type MapFileHeader,
  nowLine,
  SLOT_BYTES,
  TAG_BYTES,
  tagLine,
  writeHiddenSlot,
} from './map-file-layout.ts';
import type { MapFileOps } from './map-file-ops.ts';
import { SlotTable } from './map-file-slots.ts';

interface MapFileGeometry {
  readonly bodyEnd: number;
  readonly slotsStart: number;
  readonly slots: number;
  readonly entries: number;
  readonly generation: number;
}

const SLOTS_PER_WRITE = 1024;
const GROWTH = 256;

interface MapFileImageDeps {
  readonly ops: MapFileOps;
  readonly path: string;
  readonly file: FileHandle;
  readonly geometry: MapFileGeometry;
}

/** One open map file and the changes to it. The owner syncs it after a change, and discards it after any error. */
export class MapFileImage {
  readonly #deps: MapFileImageDeps;
  readonly #slotsStart: number;
  readonly #body: MapFileBody;
  readonly #slots: SlotTable;
  #bodyEntries: number;
  #deadLines = 0;
  #generation: number;
  #left: Identity | null = null;

  constructor(deps: MapFileImageDeps) {
    this.#deps = deps;
    const { path, file, geometry } = deps;
    this.#slotsStart = geometry.slotsStart;
    this.#body = new MapFileBody({ path, file, start: BODY_START, end: geometry.bodyEnd });
    this.#slots = new SlotTable(geometry.slots);
    this.#bodyEntries = geometry.entries;
    this.#generation = geometry.generation;
  }

  get file(): FileHandle {
    return this.#deps.file;
  }

  get entryCount(): number {
    return this.#bodyEntries + this.#slots.used;
  }

  get slotsUsed(): number {
    return this.#slots.used;
  }

  get deadLines(): number {
    return this.#deadLines;
  }

  /** The number of the last recorded change. */
  get generation(): number {
    return this.#generation;
  }

  get size(): number {
    return this.#slotsStart + this.#slots.count * SLOT_BYTES;
  }

  has(ip: string): boolean {
    return this.#slots.slotOf(ip) !== undefined || this.#body.find(canonicalEntry(ip)) !== -1;
  }

  setGeneration(header: MapFileHeader): void {
    if (header.generation === this.#generation) return;
    this.#writeAll(Buffer.concat([headerLine(header), nowLine(header.generation)]), 0);
    this.#generation = header.generation;
  }

  /** Writes the second line unless it has this generation or a later one; returns whether it did. */
  note(generation: number): boolean {
    if (generation <= this.#generation) return false;
    this.#writeAll(nowLine(generation), HEADER_BYTES);
    this.#generation = generation;
    return true;
  }

  /**
   * Adds canonical addresses, except duplicates and those already live. Returns how many were written.
   * @param generation the number of the change, recorded in each of its slots
   */
  async add(ips: readonly string[], generation = this.#generation): Promise<number> {
    const missing = await this.#missing(ips);
    const shortage = this.#slots.shortage(missing.length);
    if (shortage > 0) await this.#grow(Math.max(shortage, GROWTH));
    if (missing.length > 0) this.#generation = Math.max(this.#generation, generation);
    const slice = new TimeSlice();
    for (let from = 0; from < missing.length; from += SLOTS_PER_WRITE) {
      const part = missing.slice(from, from + SLOTS_PER_WRITE);
      const slots = part.map(() => this.#slots.take());
      this.#writeHidden(part, slots, generation);
      crashPoint('map-file.slot-hidden');
      part.forEach((ip, index) => {
        const slot = slots[index] as number;
        this.#writeAll(firstByte(ip), this.#lineOf(slot));
        this.#slots.hold(ip, slot);
        crashPoint('map-file.slot-shown');
      });
      if (slice.due()) await slice.rest();
    }
    return missing.length;
  }

  /** Removes canonical addresses and records the change if there were any; returns the removed ones. */
  async remove(ips: readonly string[], generation = this.#generation): Promise<string[]> {
    const removed: string[] = [];
    const slice = new TimeSlice();
    const hiding = Buffer.from(`${tagLine(generation)}#`, 'latin1');
    let fromBody = false;
    for (const ip of ips) {
      const slot = this.#slots.slotOf(ip);
      const line = slot === undefined ? this.#body.find(canonicalEntry(ip)) : this.#lineOf(slot);
      if (line !== -1) {
        // For a slot with its number: both are in one page, which the sync writes anyway.
        if (slot === undefined) this.#writeAll(HASH_BYTE, line);
        else this.#writeAll(hiding, this.#positionOf(slot));
        crashPoint('map-file.line-hidden');
        if (slot === undefined) this.#bodyLineDied();
        else this.#slots.free(ip);
        fromBody ||= slot === undefined;
        removed.push(ip);
      }
      if (slice.due()) await slice.rest();
    }
    if (removed.length > 0 && !fromBody) this.#generation = Math.max(this.#generation, generation);
    if (fromBody) this.note(generation);
    return removed;
  }

  /** Records size and time after this service's writes. Throws a MapFileError (`surprise`) if the size differs. */
  settle(): void {
    const now = identityOf(fstatSync(this.#deps.file.fd, { bigint: true }));
    if (now.size !== BigInt(this.size)) {
      throw surprise(this.#deps.path, `its size is ${now.size} where ${this.size} bytes were written`);
    }
    this.#left = now;
  }

  /** How the file differs from what `settle` recorded; null when it does not. One stat. */
  surprise(): string | null {
    const left = this.#left;
    if (left === null) return 'its state was never recorded';
    let now: Identity;
    try {
      now = identityOf(statSync(this.#deps.path, { bigint: true }));
    } catch (error) {
      if (isMissing(error)) return 'it was removed';
      throw error;
    }
    if (now.dev !== left.dev || now.ino !== left.ino) return 'another file replaced it';
    if (now.size !== left.size) return `its size is ${now.size} instead of ${left.size}`;
    return now.mtimeNs === left.mtimeNs ? null : 'another process wrote to it';
  }

  async #missing(ips: readonly string[]): Promise<string[]> {
    const missing = new Set<string>();
    const slice = new TimeSlice();
    for (const ip of ips) {
      if (!this.has(ip)) missing.add(ip);
      if (slice.due()) await slice.rest();
    }
    return [...missing];
  }

  #writeHidden(ips: readonly string[], slots: readonly number[], generation: number): void {
    for (let from = 0; from < slots.length; ) {
      let to = from + 1;
      while (to < slots.length && slots[to] === (slots[to - 1] as number) + 1) to += 1;
      const bytes = Buffer.allocUnsafe((to - from) * SLOT_BYTES);
      for (let index = from; index < to; index += 1) {
        writeHiddenSlot(bytes, (index - from) * SLOT_BYTES, ips[index] as string, generation);
      }
      this.#writeAll(bytes, this.#positionOf(slots[from] as number));
      from = to;
    }
  }

  /** Appends empty slots and makes them durable before the first is used; a torn append is an incomplete comment. */
  async #grow(slots: number): Promise<void> {
    for (let done = 0; done < slots; ) {
      const count = Math.min(slots - done, SLOTS_PER_WRITE);
      const bytes = emptySlots(count);
      const written = await this.#deps.ops.write(this.#deps.file, bytes, this.size + done * SLOT_BYTES);
      if (written !== bytes.length) throw shortWrite(written, bytes.length);
      done += count;
    }
    crashPoint('map-file.slots-appended');
    try {
      await this.#deps.ops.dataSync(this.#deps.file);
    } catch (error) {
      throw asMapFileError(error, this.#deps.path, 'sync-failed');
    }
    crashPoint('map-file.slots-durable');
    this.#slots.grow(slots);
  }

  #writeAll(bytes: Uint8Array, position: number): void {
    const written = this.#deps.ops.writeNow(this.#deps.file, bytes, position);
    if (written !== bytes.length) throw shortWrite(written, bytes.length);
  }

  #positionOf(slot: number): number {
    return this.#slotsStart + slot * SLOT_BYTES;
  }

  #lineOf(slot: number): number {
    return this.#positionOf(slot) + TAG_BYTES;
  }

  #bodyLineDied(): void {
    this.#bodyEntries -= 1;
    this.#deadLines += 1;
  }
}

interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

function identityOf(stat: Identity): Identity {
  return { dev: stat.dev, ino: stat.ino, size: stat.size, mtimeNs: stat.mtimeNs };
}

function shortWrite(written: number, wanted: number): Error {
  return new Error(`only ${written} of ${wanted} bytes were written`);
}
