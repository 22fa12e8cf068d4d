import { type ListSource, listOf, spare } from '../testkit/load/lists.ts';
import type { Figure } from './figures.ts';
import { Floor } from './floor.ts';
import type { ProxyFacts } from './machine.ts';
import { ServiceUnderTest } from './service-under-test.ts';
import type { Started } from './started.ts';

/** Each has its own HAProxy; both hold the same list. */
export interface Pair {
  readonly entries: number;
  readonly service: ServiceUnderTest;
  readonly floor: Floor;
  /** Unordered, as sent. */
  readonly list: readonly string[];
}

export interface Bench {
  readonly bin: string;
  readonly proxy: ProxyFacts;
  readonly started: Started;
  readonly lists: readonly string[];
  /** The largest size. */
  readonly entries: number;
  /** Ascending, one a size. Started and filled at the first call. */
  pairs(): Promise<readonly Pair[]>;
  /** The largest pair. */
  large(): Promise<Pair>;
  /** In no list, and never used before. */
  readonly spares: Spares;
  say(text: string): void;
}

/** Yields figures as they come, so that a failure does not lose them. */
export type Row = (bench: Bench) => AsyncIterable<Figure> | Promise<Iterable<Figure>>;

/** For goals at a million entries; smaller sets have none. */
export function atAMillion(entries: number, goal: number): number | null {
  return entries >= 1_000_000 ? goal : null;
}

export class Spares {
  #next = 0;

  next(): string {
    return spare(this.reserve(1));
  }

  some(count: number): string[] {
    const first = this.reserve(count);
    return Array.from({ length: count }, (_, offset) => spare(first + offset));
  }

  /** Returns the first index. */
  reserve(count: number): number {
    this.#next += count;
    return this.#next - count;
  }
}

export async function startPair(bench: Bench, entries: number): Promise<Pair> {
  const source: ListSource = { kind: 'ipv4', entries };
  const list = listOf(source);
  const { service, floor } = await startEmpty(bench);
  await service.put(list);
  await floor.raw.call('load', source);
  await service.quiet();
  return { entries, service, floor, list };
}

async function startEmpty({ started, bin, proxy }: Bench): Promise<Pick<Pair, 'service' | 'floor'>> {
  const floor = await started.start(() => Floor.start(bin, proxy.deletesScan));
  const service = await started.start(() => ServiceUnderTest.start(bin));
  return { service, floor };
}

/** Both are removed afterwards. */
export async function withEmpty<T>(
  bench: Bench,
  work: (empty: Pick<Pair, 'service' | 'floor'>) => Promise<T>,
): Promise<T> {
  const empty = await startEmpty(bench);
  try {
    return await work(empty);
  } finally {
    await bench.started.stop(empty.service);
    await bench.started.stop(empty.floor);
  }
}
