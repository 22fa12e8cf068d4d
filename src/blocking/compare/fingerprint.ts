// An order-independent sum of hashes over map entries. Equal only if the same entries exist, each once, with the same
// value: a count alone would miss a swap. A change during a listing taints only its bucket; the others are still proof.
import type { RuntimeMap, WorkerRef } from '../../haproxy/maps/runtime-map.ts';

export const bucketCount = 65_536;

/** A comparison makes two of these for each of six maps, most of which have few entries: pages come with the first. */
const pageBuckets = 64;
/** Two sums and a count. */
const perBucket = 3;
const pageLength = pageBuckets * perBucket;
const noEntries = new Int32Array(pageLength);

export class Fingerprint {
  readonly #pages: Int32Array[] = new Array<Int32Array>(bucketCount / pageBuckets).fill(noEntries);
  #total = 0;

  /** Number of entries, duplicates counted. */
  get total(): number {
    return this.#total;
  }

  add(key: string, value = '1'): void {
    this.#change(key, value, 1);
  }

  remove(key: string, value = '1'): void {
    this.#change(key, value, -1);
  }

  #change(key: string, value: string, sign: 1 | -1): void {
    let [first, second] = hash(key);
    const bucket = second & (bucketCount - 1);
    // Nearly all entries have value 1 and are hashed once.
    if (value !== '1') [first, second] = hash(`${key} ${value}`);
    const page = this.#pageToChange(Math.floor(bucket / pageBuckets));
    const at = (bucket % pageBuckets) * perBucket;
    page[at]! += sign * first;
    page[at + 1]! += sign * second;
    page[at + 2]! += sign;
    this.#total += sign;
  }

  #pageToChange(index: number): Int32Array {
    const page = this.#pages[index]!;
    if (page !== noEntries) return page;
    const own = new Int32Array(pageLength);
    this.#pages[index] = own;
    return own;
  }

  /** @param except buckets that are not compared */
  differingBuckets(other: Fingerprint, except?: Uint8Array): number[] {
    const differing: number[] = [];
    for (const [index, page] of this.#pages.entries()) {
      const otherPage = other.#pages[index]!;
      if (page === otherPage) continue;
      for (let nth = 0; nth < pageBuckets; nth += 1) {
        const bucket = index * pageBuckets + nth;
        if (except !== undefined && except[bucket] !== 0) continue;
        const at = nth * perBucket;
        if (page[at] !== otherPage[at] || page[at + 1] !== otherPage[at + 1] || page[at + 2] !== otherPage[at + 2]) {
          differing.push(bucket);
        }
      }
    }
    return differing;
  }

  equals(other: Fingerprint): boolean {
    return this.#total === other.#total && this.differingBuckets(other).length === 0;
  }
}

/** By the key alone: a change taints this bucket, whatever the value was and is. */
export function bucketOf(key: string): number {
  return hash(key)[1] & (bucketCount - 1);
}

const pair: [number, number] = [0, 0];

/** FNV-1a and a multiply-rotate hash, each finished so that sums mix well. The array is reused. */
function hash(text: string): readonly [number, number] {
  let first = 0x811c9dc5;
  let second = 0x9747b28c;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0xcc9e2d51);
    second = (second << 15) | (second >>> 17);
  }
  pair[0] = finish(first ^ text.length);
  pair[1] = finish(second + text.length);
  return pair;
}

function finish(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/**
 * Streams `show map`, so that memory does not grow with the map.
 * @param version a version under preparation; absent: the live map
 * @param inTurn all changes wait for it
 * @throws MasterSocketError, RuntimeMapRejection
 */
export async function listedFingerprint(
  map: RuntimeMap,
  worker: WorkerRef,
  deadline: number,
  { version, inTurn = false }: { readonly version?: number; readonly inTurn?: boolean } = {},
): Promise<Fingerprint> {
  const seen = new Fingerprint();
  await map.runtimeMapKeys(
    deadline,
    (batch) => {
      for (const { key, value } of batch) seen.add(key, value);
    },
    worker,
    version,
    { inTurn },
  );
  return seen;
}
