import type { Transaction } from 'kysely';
import type { BlockedIp } from '../api/blocked-entries.ts';
import { yieldToLoop } from '../concurrency/pause.ts';
import { type IpEntry, sortKey } from '../domain/ip.ts';
import { AddressLookup } from './address-lookup.ts';
import { type AuditNote, AuditRows } from './audit-rows.ts';
import {
  type BlockedAddition,
  type BlockedChange,
  type BlockedEffect,
  isExpired,
  type NetChange,
  rowInForce,
} from './blocked-changes.ts';
import { BlockedKeys } from './blocked-keys.ts';
import { BlockedPages, type Page, type PageRequest } from './blocked-pages.ts';
import { BlockedRows } from './blocked-rows.ts';
import { BlockedScan } from './blocked-scan.ts';
import { BulkSkips } from './bulk-skips.ts';
import { type ClaimChange, ClaimRows } from './claim-rows.ts';
import { ClaimSearch, type ClaimSelection, SEARCHED_AT_ONCE } from './claim-search.ts';
import { type ClaimStep, joinedSteps } from './claim-steps.ts';
import { furtherClaims } from './claims.ts';
import { coveredAmong } from './covered-among.ts';
import { ForeignCommits } from './foreign-commits.ts';
import { type AdoptedRows, adoptedRow, adoptForeign } from './foreign-rows.ts';
import { difference, effectsOf, fitting, type Growth } from './group-effects.ts';
import { Generation } from './instance-store.ts';
import type { Database } from './open-database.ts';
import type { Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';
import { UndoRecords } from './undo-records.ts';

export type { BlockedChange, BlockedEffect, ExpiryChange, NetChange } from './blocked-changes.ts';
export type { PageRequest } from './blocked-pages.ts';
export type { AdoptedRows } from './foreign-rows.ts';

/** Smaller removals never look like the loss of more than half of a hundred or more lines. */
const shrinkNotedFrom = 50;
/** A lookup each costs some 0.1 ms; more are answered by one pass over all keys. */
const lookedUpSingly = 500;
const lookupsInBreath = 32;

/** With the name of its source. */
export interface NamedStep extends ClaimStep {
  readonly sourceName: string;
}

/** The audit row for one request's changes in a group. */
export interface GroupAudit {
  /** How many of the group's changes belong to the request, in order. */
  readonly changes: number;
  /** `steps`: what they did to claims. */
  readonly note: (effects: readonly BlockedEffect[], steps: readonly NamedStep[]) => AuditNote | null;
  /** Whether so many steps are recorded, so that they can be undone; otherwise the row itself has them. */
  readonly records: (steps: number) => boolean;
  /** Called with the row's id after the commit. */
  readonly written: (id: number) => void;
}

/**
 * Runs inside the transaction, with the change's number; a throw rolls everything back. It must not write to a store.
 */
export type BeforeCommit = (net: NetChange, generation: number) => Promise<void> | void;

interface AppliedGroup {
  readonly effects: BlockedEffect[];
  readonly net: NetChange;
  /** The number of this change. */
  readonly generation: number;
  readonly shrink: string | null;
}

/** The table `blocked_ips`. Reads see committed rows and never wait for a write. Failures are `StoreError`s. */
export class BlockedIpsStore {
  readonly #database: Database;
  readonly #rows: BlockedRows;
  readonly #claims: ClaimRows;
  readonly #scan: BlockedScan;
  readonly #pages: BlockedPages;
  readonly #search: ClaimSearch;
  readonly #lookup: AddressLookup;
  readonly #bulkSkips: BulkSkips;
  readonly #audit: AuditRows;
  readonly #undo: UndoRecords;
  readonly #keys: BlockedKeys;
  readonly #generation: Generation;
  readonly #foreignCommits: ForeignCommits;

  constructor(database: Database) {
    this.#database = database;
    this.#rows = new BlockedRows(database.write);
    this.#claims = new ClaimRows(database.write);
    this.#scan = new BlockedScan(database.read);
    this.#search = new ClaimSearch(database.read);
    this.#pages = new BlockedPages({ database, rows: this.#rows });
    this.#lookup = new AddressLookup(database.read, 'blocked_ips');
    this.#bulkSkips = new BulkSkips(database.write);
    this.#audit = new AuditRows(database.write);
    this.#undo = new UndoRecords(database.write);
    this.#keys = new BlockedKeys(database.read);
    this.#generation = new Generation(database.write);
    this.#foreignCommits = new ForeignCommits(database.write);
  }

  /**
   * One durable transaction for the whole group, the changes in order. `beforeCommit` gets the net difference: an
   * address that is added and removed again is in neither list. When it throws, everything is rolled back and its error
   * is rethrown.
   *
   * `shrink`: the group removes much of the set; until the map file has lost the lines too, it looks as if the database
   * had lost them. So the same transaction records it like a bulk change; call `endShrink` when the lines are gone.
   *
   * `audits`: who asked for which part of the group; their rows are in the same transaction.
   */
  async applyGroup(
    changes: readonly BlockedChange[],
    now: Date,
    beforeCommit: BeforeCommit,
    audits: readonly GroupAudit[] = [],
  ): Promise<AppliedGroup> {
    const { committed, further, ...result } = await this.#database.write.transaction().execute(async (transaction) => {
      // The transaction's own connection: Kysely's passing it to each query would cost as much as SQLite's work.
      const outcome = await transaction.getExecutor().provideConnection(async (connection) => ({
        ...(await this.#apply(connection, changes, now.toISOString(), audits)),
        generation: await this.#generation.next(connection),
      }));
      const { added, removed } = outcome.net;
      const left = this.#database.blockedCount.value + added.length - removed.length;
      const shrinks = removed.length >= shrinkNotedFrom && 2 * removed.length >= left;
      const shrink = shrinks ? await noteShrink(transaction, now.toISOString()) : null;
      await beforeCommit(outcome.net, outcome.generation);
      return { ...outcome, shrink };
    });
    this.#database.blockedCount.committed(result.net, further);
    for (const report of committed) report();
    return result;
  }

  /**
   * Imports a map file in one durable transaction: what is not blocked becomes a claim of `manual`; the file does not
   * say whose the others are. Not a change of the set, so it has no number. Returns how many addresses are new; expired
   * ones count as new.
   */
  async takeOver(additions: readonly BlockedAddition[], now: Date): Promise<number> {
    const { effects, net, further } = await this.#database.write.transaction().execute((transaction) =>
      transaction.getExecutor().provideConnection(async (connection) => {
        const texts = additions.map(({ entry }) => entry.text);
        const rows = await this.#rows.keyedAmong(connection, texts);
        const missing = additions.filter(
          ({ entry }) => rowInForce(rows.get(entry.text) ?? null, now.toISOString()) === null,
        );
        return await this.#apply(connection, missing, now.toISOString(), []);
      }),
    );
    this.#database.blockedCount.committed(net, further);
    return effects.filter((effect) => effect.op === 'add' && effect.created).length;
  }

  /** The lines of such a group have been removed from the map file. */
  async endShrink(id: string): Promise<void> {
    await this.#database.write.deleteFrom('bulk_changes').where('id', '=', Number(id)).execute();
  }

  /**
   * Adopts foreign rows, inserted without a sort key, in their canonical spelling; from then on they count. In slices:
   * `after` is the `last` of the previous one.
   */
  async adoptUnkeyedRows(after: string | null, limit: number, now: Date): Promise<AdoptedRows> {
    const { further, ...piece } = await this.#database.write.transaction().execute(async (transaction) => {
      const piece = await adoptForeign(transaction, after, limit, {
        rows: this.#rows,
        claims: this.#claims,
        now: now.toISOString(),
      });
      if (piece.adopted > 0) {
        await transaction.getExecutor().provideConnection((connection) => this.#generation.next(connection));
      }
      return piece;
    });
    this.#database.blockedCount.committed({ added: [], removed: [] }, further);
    return piece;
  }

  async hasUnkeyedRows(): Promise<boolean> {
    const row = await this.#database.read
      .selectFrom('blocked_ips')
      .select('ip_address')
      .where('sort_key', 'is', null)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Call before the complete table is read, and pass the result to `tableWasRead`. */
  async beginTableRead(): Promise<number> {
    return await this.#foreignCommits.version();
  }

  /** Corrects the counts after the whole table was read with no commit of this process since. */
  async tableWasRead(total: number, begun: number): Promise<void> {
    this.#database.blockedCount.counted(total);
    if (await this.#foreignCommits.any()) await this.#database.recountFurther();
    this.#foreignCommits.tableRead(begun);
  }

  /** After another program's changes. Beside changes: call it outside of a turn. If it fails, the next one counts. */
  async correctCounts(): Promise<void> {
    await this.#database.claimRecount.correct();
  }

  async count(): Promise<number> {
    return this.total;
  }

  /** Committed entries. */
  get total(): number {
    return this.#database.blockedCount.value;
  }

  /** Claims beyond the first of each address. */
  get furtherClaims(): number {
    return this.#database.blockedCount.further;
  }

  /** Which of these requests fit, one after the other, by what each would change. */
  async fitting(
    requests: readonly (readonly BlockedChange[])[],
    now: Date,
    fits: (index: number, growth: Growth) => boolean,
  ): Promise<boolean[]> {
    const changes = requests.flat();
    const { read } = this.#database;
    const rows = await this.#rows.keyedAmong(read, [...new Set(changes.map(({ entry }) => entry.text))]);
    const { claimed, lists } = await this.#claims.claimed(read, rows, changes);
    return fitting(requests, { held: claimed, now: now.toISOString(), lists }, fits);
  }

  /** What `applyGroup` would do with the changes now; writes nothing. */
  async preview(
    changes: readonly BlockedChange[],
    now: Date,
  ): Promise<{ readonly effects: BlockedEffect[]; readonly net: NetChange; readonly further: number }> {
    const entries = new Map(changes.map((change) => [change.entry.text, change.entry]));
    const rows = await this.#rows.keyedAmong(this.#database.read, [...entries.keys()]);
    const { claimed, lists } = await this.#claims.claimed(this.#database.read, rows, changes);
    const { effects, after } = effectsOf(changes, claimed, now.toISOString(), lists);
    const { net, further } = difference(entries, claimed, after, new Set());
    return { effects, net, further };
  }

  async get(ip: string): Promise<BlockedIp | null> {
    return await this.#rows.get(this.#database.read, ip);
  }

  /** Which of these canonical texts are blocked. */
  async presentOf(texts: readonly string[]): Promise<Set<string>> {
    return new Set((await this.#rows.getMany(this.#database.read, texts)).keys());
  }

  /**
   * Which of these canonical texts have no row, expired ones included. None if another process has committed since the
   * table was counted: it may have removed their rows, while everything else still holds their entries.
   */
  async absentOf(texts: readonly string[]): Promise<ReadonlySet<string>> {
    if (texts.length === 0) return new Set();
    const present = await this.presentOf(texts);
    // After the rows are read: a commit in between counts too.
    if (await this.#foreignCommits.any()) return new Set();
    return new Set(texts.filter((text) => !present.has(text)));
  }

  /** Which of these canonical texts an `expire` at `now` would remove. */
  async dueOf(texts: readonly string[], now: string): Promise<Set<string>> {
    const rows = await this.#rows.getMany(this.#database.read, texts);
    return new Set([...rows.values()].filter((row) => isExpired(row, now)).map((row) => row.ip_address));
  }

  /** The addresses of removals and expiries in `changes` that other claims would keep blocked at `now`. */
  async stayingOf(changes: readonly BlockedChange[], now: Date): Promise<ReadonlySet<string>> {
    const texts = new Set(changes.flatMap(({ op, entry }) => (op === 'add' ? [] : [entry.text])));
    const { read } = this.#database;
    if (texts.size === 0 || !(await this.#claims.anyFurther(read))) return new Set();
    const about = changes.filter(({ entry }) => texts.has(entry.text));
    const { claimed, lists } = await this.#claimed(read, [...texts], about, now.toISOString());
    const { effects, after } = effectsOf(about, claimed, now.toISOString(), lists);
    const staying = about.filter((_, index) => {
      const effect = effects[index]!;
      if (effect.op === 'add') return false;
      return effect.op === 'remove' ? effect.stillClaimedBy !== undefined : effect.removed === null;
    });
    return new Set(staying.map(({ entry }) => entry.text).filter((text) => (after.get(text) ?? null) !== null));
  }

  /** Blocked networks that contain `entry`, without itself, narrowest first. */
  async coveringOf(entry: IpEntry): Promise<string[]> {
    return await this.#lookup.coveringOf(entry);
  }

  /** The narrowest blocked network around each covered entry, by canonical text; an entry does not cover itself. */
  async coveredAmong(entries: readonly IpEntry[]): Promise<Map<string, string>> {
    if (entries.length > lookedUpSingly) return await coveredAmong(this.#keys, this.#database.read, entries);
    const covered = new Map<string, string>();
    for (const [index, entry] of entries.entries()) {
      const [narrowest] = await this.#lookup.coveringOf(entry);
      if (narrowest !== undefined) covered.set(entry.text, narrowest);
      if (index % lookupsInBreath === lookupsInBreath - 1) await yieldToLoop();
    }
    return covered;
  }

  /** Blocked entries inside `entry`, without itself, in address order. */
  async insideOf(entry: IpEntry, limit: number): Promise<string[]> {
    return await this.#lookup.insideOf(entry, limit);
  }

  /** Blocked entries inside `entry`, itself included, in address order. */
  async firstWithin(entry: IpEntry, limit: number): Promise<string[]> {
    return await this.#lookup.firstWithin(entry, limit);
  }

  async countWithin(entry: IpEntry): Promise<number> {
    return await this.#lookup.countWithin(entry);
  }

  /** In address order. Throws `InvalidCursor`. */
  async page(request: PageRequest): Promise<Page> {
    return await this.#pages.page(request);
  }

  /**
   * The addresses after `after` in address order; `last` is the position to continue at, null at the end. Fewer than
   * `limit` texts: there are no more.
   */
  async scanTexts(after: Uint8Array | null, limit: number): Promise<{ texts: string[]; last: Uint8Array | null }> {
    return await this.#scan.texts(after, limit);
  }

  /** The addresses with such a claim, in address order, a slice at a time. */
  async *claimedTexts(selection: ClaimSelection, now: Date): AsyncGenerator<readonly string[]> {
    for (let after: Buffer | null = Buffer.alloc(0); after !== null; ) {
      const { found, last } = await this.#search.slice(selection, now.toISOString(), after, SEARCHED_AT_ONCE);
      yield found.map(({ ip_address }) => ip_address);
      after = last;
    }
  }

  /** Null when no block expires. */
  async nextExpiry(): Promise<string | null> {
    return await this.#scan.nextExpiry();
  }

  /** How many blocks expire. */
  async countEnding(): Promise<number> {
    return await this.#scan.countEnding();
  }

  /** Addresses that have expired by `now`, the earliest first. */
  async expiredBefore(now: string, limit: number): Promise<string[]> {
    return await this.#scan.expiredBefore(now, limit);
  }

  async #apply(
    runner: Runner,
    changes: readonly BlockedChange[],
    now: string,
    audits: readonly GroupAudit[],
  ): Promise<{ effects: BlockedEffect[]; net: NetChange; further: number; committed: (() => void)[] }> {
    const entries = new Map(changes.map((change) => [change.entry.text, change.entry]));
    const { claimed, lists, foreign, leftOver } = await this.#claimed(runner, [...entries.keys()], changes, now);
    const steps: ClaimStep[][] = [];
    const { effects, after } = effectsOf(changes, claimed, now, lists, audits.length === 0 ? null : steps);
    const { rows, net, further: more } = difference(entries, claimed, after, foreign);
    const further = more - leftOver;
    await this.#rows.write(runner, rows);
    // A foreign row is replaced by one with a key, and no trigger knew its claims.
    if (foreign.size > 0) {
      const replaced = [...after.keys()].filter((text) => foreign.has(text));
      await this.#claims.forget(
        runner,
        replaced.map((text) => sortKey(entries.get(text)!)),
      );
    }
    const claims: ClaimChange[] = [];
    for (const [text, left] of after) {
      const before = claimed.get(text) ?? null;
      if (left === null || (left === before && !foreign.has(text))) continue;
      claims.push({ key: sortKey(entries.get(text)!), before, after: left });
    }
    await this.#claims.write(runner, claims);
    await this.#bulkSkips.mark(runner, changes);
    return { effects, net, further, committed: await this.#writeAudit(runner, audits, effects, steps, now) };
  }

  /** A foreign row that no sync adopted yet does not block, but its fields count: a change of its address adopts it. */
  async #claimed(runner: Runner, texts: readonly string[], changes: readonly BlockedChange[], now: string) {
    const rows = await this.#rows.getMany(runner, texts);
    const foreign = await this.#rows.foreignAmong(runner, [...rows.keys()]);
    const { claimed, lists } = await this.#claims.claimed(runner, rows, changes);
    let leftOver = 0;
    for (const [text, row] of foreign) {
      const { entry } = changes.find((change) => change.entry.text === text)!;
      const adopted = await this.#claims.withLeftOver(runner, sortKey(entry), adoptedRow(row, now));
      claimed.set(text, adopted.claimed);
      leftOver += adopted.left - furtherClaims(adopted.claimed);
    }
    return { claimed, lists, foreign, leftOver };
  }

  async #writeAudit(
    runner: Runner,
    audits: readonly GroupAudit[],
    effects: readonly BlockedEffect[],
    allSteps: readonly (readonly ClaimStep[])[],
    now: string,
  ): Promise<(() => void)[]> {
    const committed: (() => void)[] = [];
    let from = 0;
    for (const { changes, note, records, written } of audits) {
      const steps = joinedSteps(allSteps.slice(from, from + changes).flat());
      const own = note(effects.slice(from, from + changes), await this.#claims.named(runner, steps));
      from += changes;
      if (own === null) continue;
      const id = await this.#audit.write(runner, own, now);
      if (records(steps.length)) await this.#undo.addAll(runner, id, steps, now);
      committed.push(() => written(id));
    }
    return committed;
  }
}

/** A bulk change of which only the file is left to write: a start that finds it may write a much smaller one. */
async function noteShrink(transaction: Transaction<Schema>, now: string): Promise<string> {
  const { id } = await transaction
    .insertInto('bulk_changes')
    .values({ replace: 0, requested_by: null, state: 'finished', position: null, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return String(id);
}
