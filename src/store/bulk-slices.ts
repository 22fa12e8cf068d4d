import type { Kysely } from 'kysely';
import type { BlockedIp } from '../api/blocked-entries.ts';
import { yieldToLoop } from '../concurrency/pause.ts';
import { entryOfSortKey, type IpEntry } from '../domain/ip.ts';
import { isExpired, type NetChange } from './blocked-changes.ts';
import { BlockedKeys, type KeysOfSource, presentAmong } from './blocked-keys.ts';
import type { BlockedRows, RowChanges } from './blocked-rows.ts';
import type { SliceOf, SliceOutcome } from './bulk-slice.ts';
import { type ClaimChange, ClaimRows, noLists } from './claim-rows.ts';
import { type ClaimStep, stepsBetween } from './claim-steps.ts';
import {
  applyChange,
  type Claimed,
  carried,
  carriesTheSame,
  furtherClaims,
  insertedRow,
  type Lists,
  MANUAL,
  plain,
} from './claims.ts';
import { adoptedRow } from './foreign-rows.ts';
import type { Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';
import type { Skips, StagedBlocks } from './staged-blocks.ts';
import { KEY_BYTES, type StagedRow, type StagedRows } from './staged-rows.ts';

const BEFORE_ALL = Buffer.alloc(0);
const NO_PLACES = new Uint8Array(0);
const NONE: ReadonlySet<string> = new Set();
const NO_TABLE_ROWS: ReadonlyMap<string, BlockedIp> = new Map();
/** Keys read per staged row: where the table is denser, lookups cost less than reading past the rest. */
const KEYS_PER_ROW = 4;
/** Blocked addresses read between two yields to the event loop. */
const COUNTED_AT_ONCE = 8_192;

/** Whose claims, and whether a key alone says whose its address is: only without others' claims and a filter. */
interface Scope {
  readonly source: number;
  readonly shared: boolean;
  readonly now: string;
}

/** For staged rows: 1 at the index of each of which it is true. */
interface Presence {
  readonly blocked: Uint8Array;
  /** The source claims it. */
  readonly own: Uint8Array;
  /** No other source does. */
  readonly alone: Uint8Array;
}

/** What a bulk change would do to staged rows whose address is blocked. */
interface Judgement {
  /** Staged rows whose address is blocked; `presentRemovals`: of these, removals. */
  readonly present: number;
  readonly presentRemovals: number;
  readonly updates: number;
  readonly renewed: number;
  /** By staged removals. */
  readonly removed: number;
  readonly stayed: number;
  /** Staged additions to addresses that the source claims, and to those that it claims alone. */
  readonly own: number;
  readonly alone: number;
}

/** What the table contains for the first rows of a slice. */
interface Known {
  /** How many; the others are left to the next slice. */
  readonly count: number;
  /** How many were looked up one by one. */
  readonly lookedUp: number;
  /** Per row: an address of which nothing changes. */
  readonly settled: Uint8Array;
  /** Per row: it is blocked. */
  readonly blocked: Uint8Array;
  /** By address, for rows that need more than a key comparison. */
  readonly claimed: ReadonlyMap<string, Claimed>;
  /** Foreign rows: they do not block yet, but their fields count. */
  readonly byHand: ReadonlyMap<string, BlockedIp>;
  readonly lists: Lists;
}

interface BulkSlicesDeps {
  readonly db: Kysely<Schema>;
  readonly rows: BlockedRows;
  readonly blocks: StagedBlocks;
}

/** The two parts of applying a bulk change, in slices, within the caller's transaction. */
export class BulkSlices {
  readonly #deps: BulkSlicesDeps;
  readonly #keys: BlockedKeys;
  readonly #claims: ClaimRows;

  constructor(deps: BulkSlicesDeps) {
    this.#deps = deps;
    this.#keys = new BlockedKeys(deps.db);
    this.#claims = new ClaimRows(deps.db);
  }

  async hasSources(runner: Runner): Promise<boolean> {
    return await this.#claims.anyFurther(runner);
  }

  /**
   * What applying these rows (all those staged after `after` up to the last) at `now` would do. `thorough`: counts
   * updates too, which reads a row for each that is more than a bare address.
   */
  async judge(
    runner: Runner,
    staged: StagedRows,
    {
      source,
      filter,
      after,
      now,
      thorough,
    }: Pick<SliceOf, 'source' | 'filter' | 'after'> & { readonly now: string; readonly thorough: boolean },
  ): Promise<Judgement> {
    const scope = await this.#scope(runner, { source, filter }, now);
    const presence =
      (await this.#presenceByKeys(runner, scope, staged, after)) ?? (await this.#presenceByRows(runner, scope, staged));
    const over = thorough ? await this.#over(runner, staged, after, now) : NONE;
    const counts = { present: 0, presentRemovals: 0, updates: 0, renewed: 0, removed: 0, stayed: 0, own: 0, alone: 0 };
    const looks: number[] = [];
    for (let index = 0; index < staged.length; index++) {
      if (presence.blocked[index] !== 1) continue;
      counts.present++;
      if (staged.isRemoval(index)) {
        counts.presentRemovals++;
        if (scope.shared) looks.push(index);
        else counts.removed++;
        continue;
      }
      counts.own += presence.own[index]!;
      counts.alone += presence.alone[index]!;
      if (!thorough) continue;
      if (!scope.shared && isOver(over, staged, index)) counts.renewed++;
      else if (!isSettled(staged, index, presence, over)) looks.push(index);
    }
    const { claimed, lists } = await this.#claimed(
      runner,
      scope,
      looks.map((index) => staged.text(index)),
    );
    for (const index of looks) {
      const before = claimed.get(staged.text(index));
      if (before === undefined) continue;
      const { effect, after: then } = applyChange(
        before,
        changeAt(staged, index, { source, filter, requestedBy: null }),
        now,
        lists,
      );
      if (effect.op === 'add') {
        if (effect.created) counts.renewed++;
        else if (effect.changed) counts.updates++;
      } else if (then === null) counts.removed++;
      else if (then !== before) counts.stayed++;
    }
    return counts;
  }

  /** How many addresses a source claims, and how many of them it claims alone. Null: all, for it is the only one. */
  async countOwn(runner: Runner, source: number | null, now: string): Promise<{ own: number; alone: number } | null> {
    const scope = await this.#scope(runner, { source, filter: null }, now);
    if (!scope.shared) return null;
    let own = 0;
    let alone = 0;
    for (let after: Buffer | null = null; ; await yieldToLoop()) {
      const keys = await this.#keysOf(runner, scope, after, null, COUNTED_AT_ONCE);
      own += keys.own.length / KEY_BYTES;
      alone += keys.alone.length / KEY_BYTES;
      if (keys.all.length < COUNTED_AT_ONCE * KEY_BYTES) return { own, alone };
      after = Buffer.from(keys.all.subarray(-KEY_BYTES));
    }
  }

  async add(runner: Runner, slice: SliceOf, at: Date): Promise<SliceOutcome> {
    const staged = await slice.merge.next(slice.reads);
    const now = at.toISOString();
    const scope = await this.#scope(runner, slice, now);
    const { count, lookedUp, settled, blocked, claimed, byHand, lists } = await this.#known(
      runner,
      scope,
      staged,
      slice,
    );
    const skips = await this.#skips(runner, slice, count === 0 ? null : staged.key(count - 1));
    const changes: RowChanges = { inserts: [], updates: [], deletes: [] };
    const claims: ClaimChange[] = [];
    const net: NetChange = { added: [], removed: [] };
    const counts = { updated: 0, renewed: 0, stayed: 0 };
    const steps: ClaimStep[] = [];
    let further = 0;
    let changed = 0;
    let index = 0;
    for (; index < count && changed < slice.changes; index++) {
      if (settled[index] === 1) continue;
      const text = staged.text(index);
      const skip = skips.get(text);
      if (skip === 'all' || (skip === 'removals' && staged.isRemoval(index))) continue;
      const inserted = blocked[index] === 1 ? undefined : byHand.get(text);
      // Deleted and inserted again: an insert never replaces an existing row, it fails.
      if (inserted !== undefined) changes.deletes.push(text);
      if (staged.isRemoval(index) && !scope.shared && !slice.records) {
        // Nothing else can be claimed, so nothing has to be known about it.
        if (blocked[index] === 1) {
          changes.deletes.push(text);
          net.removed.push(text);
        } else if (inserted === undefined) continue;
        changed++;
        continue;
      }
      const key = Buffer.from(staged.key(index));
      let before = claimed.get(text) ?? null;
      let had = furtherClaims(before);
      if (inserted !== undefined) {
        const adopted = await this.#claims.withLeftOver(runner, key, adoptedRow(inserted, now));
        before = adopted.claimed;
        had = adopted.left;
        if (had > 0) await this.#claims.forget(runner, [key]);
      }
      const { effect, after } = applyChange(before, changeAt(staged, index, slice, text), now, lists);
      if (after === before && inserted === undefined) continue;
      further += furtherClaims(after) - had;
      if (slice.records) steps.push(...stepsBetween(text, before, after, now));
      if (after === null) {
        if (blocked[index] === 1) {
          changes.deletes.push(text);
          net.removed.push(text);
        }
      } else if (blocked[index] !== 1) {
        changes.inserts.push(insertedRow(key, after));
        net.added.push(text);
      } else {
        if (before === null || !carriesTheSame(before, after)) changes.updates.push(carried(after));
        if (effect.op !== 'add') counts.stayed++;
        else counts[effect.created ? 'renewed' : 'updated']++;
      }
      if (before !== null && after !== null) claims.push({ key, before, after });
      changed++;
    }
    const position = index === 0 ? slice.after : Buffer.from(staged.key(index - 1));
    if (index < staged.length && position !== null) slice.merge.putBack(staged, index, position);
    await this.#write(runner, changes, claims);
    const done = net.added.length + net.removed.length + counts.updated + counts.renewed + counts.stayed;
    const worked = Math.max(changed, lookedUp);
    const unchanged = index - done;
    return { net, further, ...counts, unchanged, read: index, worked, position, end: slice.merge.isOver, steps };
  }

  /** Drops the source's claims to those of the next blocked addresses that were not staged as additions. */
  async remove(runner: Runner, slice: SliceOf, at: Date): Promise<SliceOutcome> {
    const scope = await this.#scope(runner, slice, at.toISOString());
    const { all, own, alone } = await this.#keysOf(runner, scope, slice.after, null, slice.reads);
    let read = all.length / KEY_BYTES;
    const nothing = { updated: 0, renewed: 0, stayed: 0, unchanged: 0 };
    if (read === 0) {
      const net = { added: [], removed: [] };
      return { net, further: 0, ...nothing, read, worked: 0, position: slice.after, end: true, steps: [] };
    }
    let position = Buffer.from(all.subarray(-KEY_BYTES));
    const staged = await slice.merge.nextUpTo(position);
    // A staged removal that still exists was blocked again since: it stays too.
    const keeps = presentAmong(own, staged.keys);
    let end = read < slice.reads;
    const drops: { readonly key: Buffer; readonly entry: IpEntry; readonly alone: boolean }[] = [];
    if (keeps.includes(0)) {
      const skips = await this.#skips(runner, slice, position);
      const isAlone = scope.shared ? presentAmong(own, alone) : null;
      for (let place = keeps.indexOf(0); place >= 0; place = keeps.indexOf(0, place + 1)) {
        if (drops.length === slice.changes) {
          position = Buffer.from(own.subarray((place - 1) * KEY_BYTES, place * KEY_BYTES));
          read = presentAmong(all, position).indexOf(1) + 1;
          end = false;
          slice.merge.putBack(staged, staged.countUpTo(position), position);
          break;
        }
        const entry = entryOfSortKey(own, place * KEY_BYTES);
        const key = own.subarray(place * KEY_BYTES, (place + 1) * KEY_BYTES);
        if (!skips.has(entry.text)) drops.push({ key, entry, alone: isAlone === null || isAlone[place] === 1 });
      }
    }
    const changes: RowChanges = { inserts: [], updates: [], deletes: [] };
    const claims: ClaimChange[] = [];
    const steps: ClaimStep[] = [];
    let further = 0;
    for (const { alone, entry } of drops) if (alone && !slice.records) changes.deletes.push(entry.text);
    const shared = drops.filter((drop) => slice.records || !drop.alone);
    const { claimed, lists } = await this.#claimed(
      runner,
      scope,
      shared.map(({ entry }) => entry.text),
    );
    for (const { key, entry } of shared) {
      const before = claimed.get(entry.text);
      if (before === undefined) continue;
      const { after } = applyChange(before, { op: 'remove', entry, source: scope.source }, scope.now, lists);
      if (slice.records) steps.push(...stepsBetween(entry.text, before, after, scope.now));
      further += furtherClaims(after) - furtherClaims(before);
      if (after === null) changes.deletes.push(entry.text);
      else {
        if (!carriesTheSame(before, after)) changes.updates.push(carried(after));
        claims.push({ key, before, after });
      }
    }
    await this.#write(runner, changes, claims);
    const net = { added: [], removed: changes.deletes };
    return { net, further, ...nothing, stayed: claims.length, read, worked: drops.length, position, end, steps };
  }

  async #scope(runner: Runner, { source, filter }: Pick<SliceOf, 'source' | 'filter'>, now: string): Promise<Scope> {
    const named = source ?? MANUAL;
    const shared = named !== MANUAL || filter !== null || (await this.#claims.anyFurther(runner));
    return { source: named, shared, now };
  }

  async #keysOf(
    runner: Runner,
    scope: Scope,
    after: Buffer | null,
    last: Buffer | null,
    limit: number,
  ): Promise<KeysOfSource> {
    if (scope.shared) return await this.#keys.ofSource(runner, scope, after, last, limit);
    const all = await this.#keys.between(runner, after, last, limit);
    return { all, own: all, alone: all };
  }

  /** Null: the table is too dense there. */
  async #presenceByKeys(
    runner: Runner,
    scope: Scope,
    staged: StagedRows,
    after: Buffer | null,
  ): Promise<Presence | null> {
    if (staged.length === 0) return { blocked: NO_PLACES, own: NO_PLACES, alone: NO_PLACES };
    const limit = KEYS_PER_ROW * staged.length;
    const keys = await this.#keysOf(runner, scope, after, staged.key(staged.length - 1), limit);
    if (keys.all.length === limit * KEY_BYTES) return null;
    const blocked = presentAmong(staged.keys, keys.all);
    if (!scope.shared) return { blocked, own: blocked, alone: blocked };
    return { blocked, own: presentAmong(staged.keys, keys.own), alone: presentAmong(staged.keys, keys.alone) };
  }

  async #presenceByRows(runner: Runner, scope: Scope, staged: StagedRows): Promise<Presence> {
    const { claimed } = await this.#claimed(runner, scope, textsOf(staged));
    const each = (holds: (claimed: Claimed) => boolean): Uint8Array =>
      Uint8Array.from(textsOf(staged), (text) => (claimed.has(text) && holds(claimed.get(text)!) ? 1 : 0));
    const isOwn = ({ claims }: Claimed): boolean =>
      claims.some(({ source, row }, place) => source === scope.source && (place === 0 || !isExpired(row, scope.now)));
    return {
      blocked: each(() => true),
      own: each(isOwn),
      alone: each(({ claims }) => claims.length === 1 && claims[0].source === scope.source),
    };
  }

  /** The claims to those of these addresses that are blocked. */
  async #claimed(
    runner: Runner,
    scope: Scope,
    texts: readonly string[],
  ): Promise<{ claimed: ReadonlyMap<string, Claimed>; lists: Lists }> {
    if (texts.length === 0) return { claimed: new Map(), lists: noLists };
    const rows = await this.#deps.rows.keyedAmong(runner, texts);
    if (scope.shared) return { claimed: await this.#claims.all(runner, rows), lists: await this.#claims.lists(runner) };
    return { claimed: new Map([...rows].map(([text, row]) => [text, plain(row)])), lists: noLists };
  }

  /** A row costs ten times its key: reads no more rows than may change, and leaves the others to the next slice. */
  async #known(runner: Runner, scope: Scope, staged: StagedRows, slice: SliceOf): Promise<Known> {
    const presence = await this.#presenceByKeys(runner, scope, staged, slice.after);
    const looksCloser = await this.#deps.rows.hasUnkeyed(runner);
    if (presence === null) {
      const few = staged.slice(0, slice.changes);
      const texts = textsOf(few);
      const known = await this.#claimed(runner, scope, texts);
      const byHand = looksCloser ? await this.#byHand(runner, texts) : NO_TABLE_ROWS;
      const blocked = Uint8Array.from(texts, (text) => (known.claimed.has(text) ? 1 : 0));
      return {
        count: few.length,
        lookedUp: few.length,
        settled: new Uint8Array(few.length),
        blocked,
        byHand,
        ...known,
      };
    }
    const over = await this.#over(runner, staged, slice.after, scope.now);
    const settled = new Uint8Array(staged.length);
    const compared: string[] = [];
    const absent: string[] = [];
    let count = 0;
    for (; count < staged.length; count++) {
      const isRemoval = staged.isRemoval(count);
      const blocked = presence.blocked[count] === 1;
      if (blocked ? isSettled(staged, count, presence, over) : isRemoval && !looksCloser) {
        settled[count] = 1;
        continue;
      }
      // Of an address that only `manual` claims a removal needs to know nothing.
      if (blocked ? isRemoval && !scope.shared && !slice.records : !looksCloser) continue;
      if (compared.length + absent.length === slice.changes) break;
      (blocked ? compared : absent).push(staged.text(count));
    }
    const byHand = absent.length > 0 ? await this.#byHand(runner, absent) : NO_TABLE_ROWS;
    const known = await this.#claimed(runner, scope, compared);
    const { blocked } = presence;
    return { count, lookedUp: compared.length + absent.length, settled, blocked, byHand, ...known };
  }

  /** The expired ones of these rows (all those staged after `after`, and others between them). */
  async #over(runner: Runner, staged: StagedRows, after: Buffer | null, now: string): Promise<ReadonlySet<string>> {
    if (staged.length === 0) return NONE;
    return await this.#deps.rows.overBetween(runner, after, staged.key(staged.length - 1), now);
  }

  async #byHand(runner: Runner, texts: readonly string[]): Promise<ReadonlyMap<string, BlockedIp>> {
    return await this.#deps.rows.foreignAmong(runner, texts);
  }

  async #skips(runner: Runner, slice: SliceOf, position: Buffer | null): Promise<Skips> {
    if (position === null) return new Map();
    return await this.#deps.blocks.skips(runner, slice.bulk, slice.after ?? BEFORE_ALL, position);
  }

  async #write(runner: Runner, changes: RowChanges, claims: readonly ClaimChange[]): Promise<void> {
    await this.#deps.rows.write(runner, changes);
    await this.#claims.write(runner, claims);
  }
}

/** A bare address does not change a claim, and most rows are bare. */
function isSettled(staged: StagedRows, index: number, { own }: Presence, over: ReadonlySet<string>): boolean {
  return staged.isBare(index) && own[index] === 1 && !isOver(over, staged, index);
}

/** Usually nothing has expired, and no text has to be made. */
function isOver(over: ReadonlySet<string>, staged: StagedRows, index: number): boolean {
  return over.size > 0 && over.has(staged.text(index));
}

function textsOf(staged: StagedRows): string[] {
  return Array.from({ length: staged.length }, (_, index) => staged.text(index));
}

function changeAt(
  staged: StagedRows,
  index: number,
  { source, filter, requestedBy }: Pick<SliceOf, 'source' | 'filter' | 'requestedBy'>,
  text = staged.text(index),
): StagedRow {
  const of = source === null ? {} : { source };
  if (staged.isRemoval(index)) {
    return { op: 'remove', entry: { text } as IpEntry, ...of, ...(filter !== null && { only: filter }) };
  }
  return { ...staged.addition(index, text), defaultBlockedBy: requestedBy ?? undefined, ...of };
}
