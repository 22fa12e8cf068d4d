// What a group of changes does to the claims of its addresses, without reading or writing anything.

import type { IpEntry } from '../domain/ip.ts';
import { sortKey } from '../domain/ip.ts';
import type { BlockedChange, BlockedEffect, NetChange } from './blocked-changes.ts';
import type { RowChanges } from './blocked-rows.ts';
import { type ClaimStep, stepsBetween } from './claim-steps.ts';
import {
  applyChange,
  type Claimed,
  carried,
  carriesTheSame,
  furtherClaims,
  insertedRow,
  type Lists,
} from './claims.ts';

/** How the set changes: blocked addresses, and claims to them beyond the first of each. */
export interface Growth {
  readonly entries: number;
  readonly further: number;
}

/** The changes in order, each on the result of the previous one. */
export function effectsOf(
  changes: readonly BlockedChange[],
  before: ReadonlyMap<string, Claimed>,
  now: string,
  lists: Lists,
  steps: ClaimStep[][] | null = null,
): { effects: BlockedEffect[]; after: Map<string, Claimed | null> } {
  const held = new Map<string, Claimed | null>();
  const effects: BlockedEffect[] = [];
  for (const change of changes) {
    const text = change.entry.text;
    const latest = held.get(text);
    const existing = (latest === undefined ? before.get(text) : latest) ?? null;
    const { effect, after } = applyChange(existing, change, now, lists);
    effects.push(effect);
    steps?.push(stepsBetween(text, existing, after, now));
    held.set(text, after);
  }
  return { effects, after: held };
}

export function difference(
  entries: ReadonlyMap<string, IpEntry>,
  before: ReadonlyMap<string, Claimed>,
  after: ReadonlyMap<string, Claimed | null>,
  foreign: { has(text: string): boolean },
): { rows: RowChanges; net: NetChange; further: number } {
  let further = 0;
  const rows: RowChanges = { inserts: [], updates: [], deletes: [] };
  for (const [text, claimed] of after) {
    const old = before.get(text) ?? null;
    further += furtherClaims(claimed) - furtherClaims(old);
    if (foreign.has(text)) {
      rows.deletes.push(text);
      if (claimed !== null) rows.inserts.push(newRow(entries.get(text)!, claimed));
      continue;
    }
    if (claimed === old) continue;
    if (claimed === null) rows.deletes.push(text);
    else if (old === null) rows.inserts.push(newRow(entries.get(text)!, claimed));
    else if (!carriesTheSame(old, claimed)) rows.updates.push(carried(claimed));
  }
  const net = {
    added: rows.inserts.map(({ row }) => row.ip_address),
    removed: rows.deletes.filter((text) => !foreign.has(text)),
  };
  return { rows, net, further };
}

function newRow(entry: IpEntry, claimed: Claimed): RowChanges['inserts'][number] {
  return insertedRow(sortKey(entry), claimed);
}

/**
 * Which of these requests fit, one after the other; those that do not change nothing.
 * @param held the claims to their addresses before; changed
 */
export function fitting(
  requests: readonly (readonly BlockedChange[])[],
  { held, now, lists }: { readonly held: Map<string, Claimed>; readonly now: string; readonly lists: Lists },
  fits: (index: number, growth: Growth) => boolean,
): boolean[] {
  return requests.map((changes, index) => {
    const { after } = effectsOf(changes, held, now, lists);
    let entries = 0;
    let further = 0;
    for (const [text, claimed] of after) {
      const before = held.get(text) ?? null;
      entries += Number(claimed !== null) - Number(before !== null);
      further += furtherClaims(claimed) - furtherClaims(before);
    }
    if (!fits(index, { entries, further })) return false;
    for (const [text, claimed] of after) {
      if (claimed === null) held.delete(text);
      else held.set(text, claimed);
    }
    return true;
  });
}
