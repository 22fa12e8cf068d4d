import { SLOTS_PER_BLOCK } from './map-file-layout.ts';

/** This many slots are freed before the first is reused, so that a reader that saw its old line has finished. */
const REUSE_FROM = 32;

export class SlotTable {
  readonly #slotOf = new Map<string, number>();
  #count: number;
  #nextFresh = 0;
  /** Used from the end. */
  #reusable: number[] = [];
  /** Oldest first. */
  #freed: number[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  get count(): number {
    return this.#count;
  }

  get used(): number {
    return this.#slotOf.size;
  }

  slotOf(ip: string): number | undefined {
    return this.#slotOf.get(ip);
  }

  hold(ip: string, slot: number): void {
    this.#slotOf.set(ip, slot);
  }

  /** The slot is reused later. */
  free(ip: string): void {
    const slot = this.#slotOf.get(ip);
    if (slot === undefined) return;
    this.#slotOf.delete(ip);
    this.#freed.push(slot);
  }

  /** How many slots must be appended, in complete blocks, before `wanted` can be taken. */
  shortage(wanted: number): number {
    const free = this.#count - this.#nextFresh + this.#reusable.length + this.#ripe();
    if (free >= wanted) return 0;
    return Math.ceil((wanted - free) / SLOTS_PER_BLOCK) * SLOTS_PER_BLOCK;
  }

  grow(slots: number): void {
    this.#count += slots;
  }

  take(): number {
    if (this.#nextFresh < this.#count) return this.#nextFresh++;
    if (this.#reusable.length === 0) {
      this.#reusable = this.#freed.reverse();
      this.#freed = [];
    }
    const slot = this.#reusable.pop();
    if (slot === undefined) throw new Error('no free slot in the map file: shortage() was not called');
    return slot;
  }

  #ripe(): number {
    return this.#freed.length >= REUSE_FROM ? this.#freed.length : 0;
  }
}
