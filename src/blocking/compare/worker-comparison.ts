// Compares a worker's map with a compact table of the database (10 bytes per address); of addresses, neither side is held
// as strings.
import type { WorkerRef } from '../../haproxy/maps/runtime-map.ts';
import type { MirroredMap } from '../mirrored-map.ts';
import { type KeyTable, keyTable } from './key-table.ts';

export interface Differences {
  readonly unexpected: readonly string[];
  readonly unexpectedTotal: number;
  readonly wrongValue: readonly string[];
  readonly duplicate: readonly string[];
  /** The list limit was reached: compare again after the repair. */
  readonly more: boolean;
  readonly total: number;
}

export interface Comparison {
  readonly differences: Differences;
  /** Includes duplicates and unexpected entries. */
  readonly listed: number;
  missing(): AsyncIterable<readonly string[]>;
}

/** A map full of unexpected entries must not fill the memory. */
export const listLimit = 500_000;
const lostRowsFrom = 100;

/** @throws MasterSocketError, RuntimeMapRejection */
export async function compareWorker(
  map: MirroredMap,
  worker: WorkerRef,
  deadline: number,
  listAtMost = listLimit,
): Promise<Comparison> {
  const known = map.expected.total;
  const table = keyTable(map.runtime, known);
  for await (const texts of map.scan()) {
    for (const text of texts) table.insert(text);
  }
  refuseLostRows(table.size, Math.min(known, map.expected.total));
  const unexpected: string[] = [];
  const wrongValue: string[] = [];
  const duplicate: string[] = [];
  let unexpectedTotal = 0;
  let more = false;
  const note = (list: string[], key: string): void => {
    if (list.length < listAtMost) list.push(key);
    else more = true;
  };
  const { count: listed } = await map.runtime.runtimeMapKeys(
    deadline,
    (batch) => {
      for (const { key, value } of batch) {
        const before = table.mark(key);
        if (before === -1) {
          unexpectedTotal += 1;
          note(unexpected, key);
        } else if (value !== map.runtime.valueFor(key)) note(wrongValue, key);
        if (before === 1) note(duplicate, key);
      }
    },
    worker,
  );
  return {
    differences: {
      unexpected,
      unexpectedTotal,
      wrongValue,
      duplicate,
      more,
      total: unexpected.length + wrongValue.length + duplicate.length,
    },
    listed,
    missing: () => unmarked(map, table),
  };
}

/** A table that another process emptied must not unblock everything. */
function refuseLostRows(held: number, known: number): void {
  if (known < lostRowsFrom || held >= known / 2) return;
  throw new Error(
    `the database holds ${held} entries, but the service expected ${known}; no worker is repaired from it`,
  );
}

async function* unmarked(map: MirroredMap, table: KeyTable): AsyncIterable<readonly string[]> {
  for await (const texts of map.scan()) {
    // An entry stored after the table was read has its own read-back.
    const missing = texts.filter((text) => table.marksOf(text) === 0);
    if (missing.length > 0) yield missing;
  }
}
