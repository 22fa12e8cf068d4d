// Pages of denied addresses, from memory.
import { TimeSlice } from '../concurrency/slices.ts';
import { compareWords, type IpWords, parseIp } from '../domain/ip.ts';
import { InvalidCursor } from '../store/store-error.ts';
import type { Knocking } from './knocking.ts';

interface PageRequest {
  readonly sort?: 'hits' | 'last_hit' | undefined;
  readonly entry?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Of the denied addresses. */
interface CountedRow {
  readonly row: number;
  /** In the range. */
  readonly hits: number;
}

/** By its value, the highest first, then by its address. */
interface Place {
  readonly value: number;
  readonly address: IpWords;
}

const hourSeconds = 3_600;

/** @param range seconds; longer ones than a day count totals */
export function knockingPage(
  knocking: Knocking,
  { sort = 'hits', entry, limit, cursor }: PageRequest,
  range: { readonly at: number; readonly seconds: number },
): { readonly items: readonly CountedRow[]; readonly total: number; readonly nextCursor: string | null } {
  const hours = Math.ceil(range.seconds / hourSeconds);
  const after = cursor === undefined ? null : readCursor(cursor);
  knocking.hours.advance(Math.floor(range.at / hourSeconds));
  const isWanted = entry === undefined ? () => true : knocking.deniedBy(entry);
  let total = 0;
  const chosen: (Place & CountedRow)[] = [];
  for (const row of knocking.all()) {
    const lastHit = knocking.lastHitOf(row)!;
    if (lastHit < range.at - range.seconds) continue;
    if (!isWanted(row)) continue;
    const hits = hours <= 24 ? knocking.hours.sum(row, hours) : knocking.totalOf(row);
    if (hits === 0) continue;
    total += 1;
    const value = sort === 'hits' ? hits : lastHit;
    const last = chosen.length > limit ? chosen.at(-1)! : null;
    // Most rows end here, without an object of their own.
    if ((after !== null && value > after.value) || (last !== null && value < last.value)) continue;
    const counted = { row, hits, value, address: knocking.wordsOf(row) };
    if (after !== null && order(counted, after) <= 0) continue;
    if (last !== null && order(counted, last) > 0) continue;
    insert(chosen, counted);
    if (chosen.length > limit + 1) chosen.pop();
  }
  const items = chosen.slice(0, limit);
  const last = items.at(-1);
  const nextCursor = chosen.length > limit && last !== undefined ? `${last.value}:${knocking.textOf(last.row)}` : null;
  return { items, total, nextCursor };
}

function order(a: Place, b: Place): number {
  return b.value - a.value || compareWords(a.address, b.address);
}

/** Of the last 24 hours. @param at in seconds */
export async function deniedInDay(
  knocking: Knocking,
  at: number,
  each: (address: string, requests: number) => void,
): Promise<void> {
  const slice = new TimeSlice();
  for (const [row, firstHit] of Array.from(knocking.all(), (one) => [one, knocking.firstHitOf(one)] as const)) {
    if (slice.due()) await slice.rest();
    // Forgotten meanwhile: the row is of none, or of another address.
    if (knocking.lastHitOf(row) === undefined || knocking.firstHitOf(row) !== firstHit) continue;
    knocking.hours.advance(Math.floor(at / hourSeconds));
    const requests = knocking.hours.sum(row);
    if (requests > 0) each(knocking.textOf(row), requests);
  }
}

function insert<T extends Place>(sorted: T[], one: T): void {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order(sorted[middle]!, one) <= 0) low = middle + 1;
    else high = middle;
  }
  sorted.splice(low, 0, one);
}

function readCursor(cursor: string): Place {
  const [, value, text] = /^(\d{1,15}):([0-9a-f.:]{2,45})$/.exec(cursor) ?? [];
  const parsed = parseIp(text ?? '');
  if (!parsed.ok) throw new InvalidCursor();
  return { value: Number(value), address: parsed.entry.words };
}
