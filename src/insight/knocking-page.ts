// Pages of denied addresses, from memory.
import { TimeSlice } from '../concurrency/slices.ts';
import { InvalidCursor } from '../store/store-error.ts';
import type { Knocking, KnockingAddress } from './knocking.ts';

interface PageRequest {
  readonly sort?: 'hits' | 'last_hit' | undefined;
  readonly entry?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface CountedAddress extends KnockingAddress {
  /** In the range. */
  readonly hits: number;
}

const hourSeconds = 3_600;

/** @param range seconds; longer ones than a day count totals */
export function knockingPage(
  knocking: Knocking,
  { sort = 'hits', entry, limit, cursor }: PageRequest,
  range: { readonly at: number; readonly seconds: number },
): { readonly items: readonly CountedAddress[]; readonly total: number; readonly nextCursor: string | null } {
  const hours = Math.ceil(range.seconds / hourSeconds);
  const after = cursor === undefined ? null : readCursor(cursor);
  const valueIn = (one: CountedAddress): number => (sort === 'hits' ? one.hits : one.lastHit);
  const order = (a: CountedAddress, b: CountedAddress): number =>
    valueIn(b) - valueIn(a) || (a.address < b.address ? -1 : 1);
  knocking.hours.advance(Math.floor(range.at / hourSeconds));
  let total = 0;
  const chosen: CountedAddress[] = [];
  for (const one of knocking.all()) {
    if (one.lastHit < range.at - range.seconds || (entry !== undefined && one.entry !== entry)) continue;
    const counted = { ...one, hits: hours <= 24 ? knocking.hours.sum(one.row, hours) : one.total };
    if (counted.hits === 0) continue;
    total += 1;
    const value = valueIn(counted);
    if (after !== null && (value > after.value || (value === after.value && one.address <= after.address))) continue;
    const last = chosen.at(-1);
    if (chosen.length > limit && last !== undefined && order(counted, last) > 0) continue;
    insert(chosen, counted, order);
    if (chosen.length > limit + 1) chosen.pop();
  }
  const items = chosen.slice(0, limit);
  const last = items.at(-1);
  const nextCursor = chosen.length > limit && last !== undefined ? `${valueIn(last)}:${last.address}` : null;
  return { items, total, nextCursor };
}

/** Of the last 24 hours. @param at in seconds */
export async function deniedInDay(
  knocking: Knocking,
  at: number,
  each: (address: string, requests: number) => void,
): Promise<void> {
  const slice = new TimeSlice();
  for (const address of Array.from(knocking.all(), (one) => one.address)) {
    if (slice.due()) await slice.rest();
    const one = knocking.get(address);
    // Forgotten meanwhile.
    if (one === undefined) continue;
    knocking.hours.advance(Math.floor(at / hourSeconds));
    const requests = knocking.hours.sum(one.row);
    if (requests > 0) each(address, requests);
  }
}

function insert(
  sorted: CountedAddress[],
  one: CountedAddress,
  order: (a: CountedAddress, b: CountedAddress) => number,
): void {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order(sorted[middle]!, one) <= 0) low = middle + 1;
    else high = middle;
  }
  sorted.splice(low, 0, one);
}

function readCursor(cursor: string): { readonly value: number; readonly address: string } {
  const match = /^(\d{1,15}):([0-9a-f.:]{2,45})$/.exec(cursor);
  if (match === null) throw new InvalidCursor();
  return { value: Number(match[1]), address: match[2]! };
}
