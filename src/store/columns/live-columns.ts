import type { Kysely } from 'kysely';
import { Mutex } from '../../concurrency/mutex.ts';
import { shared } from '../../concurrency/shared.ts';
import type { SliceQueue } from '../../concurrency/slices.ts';
import { ForeignCommits } from '../foreign-commits.ts';
import type { Schema } from '../schema.ts';
import { ChangedKeys } from './changed-keys.ts';
import { ColumnsReader } from './columns-reader.ts';
import type { EntryColumns } from './entry-columns.ts';

/** An operator who reads the list comes back sooner. */
const IDLE_MS = 600_000;

interface Deps {
  readonly read: Kysely<Schema>;
  readonly write: Kysely<Schema>;
  readonly turns: SliceQueue;
  readonly idleMs?: number;
}

/**
 * The columns as of the last commit. Built at the first use, then updated with the rows that were written since; built
 * again after many changes, and after a commit of another process. Forgotten ten minutes after the last use.
 */
export class LiveColumns {
  readonly #reader: ColumnsReader;
  readonly #changed: ChangedKeys;
  readonly #foreign: ForeignCommits;
  readonly #idleMs: number;
  readonly #mutex = new Mutex();
  #columns: EntryColumns | null = null;
  #idle: NodeJS.Timeout | null = null;

  /** Every commit from before the call is in it. Throws `StoreError`. */
  readonly current: () => Promise<EntryColumns>;

  constructor({ read, write, turns, idleMs = IDLE_MS }: Deps) {
    this.#reader = new ColumnsReader(read, turns);
    this.#changed = new ChangedKeys(write);
    this.#foreign = new ForeignCommits(write);
    this.#idleMs = idleMs;
    this.current = shared(() => this.#mutex.run(() => this.#refreshed()));
  }

  /** Before the connections are closed. */
  async close(): Promise<void> {
    await this.#mutex.drained();
    this.#stopWaiting();
  }

  /** Frees the memory, and stops recording. */
  async #release(): Promise<void> {
    this.#columns = null;
    // If the database fails, recording goes on for nothing, with few keys; the next use begins again all the same.
    await this.#changed.stop().catch(() => undefined);
  }

  async #refreshed(): Promise<EntryColumns> {
    const old = this.#columns;
    // Keys that were taken are no longer noted: after a failure everything is read again.
    this.#columns = null;
    this.#stopWaiting();
    this.#columns = (old === null ? null : await this.#updated(old)) ?? (await this.#built(old === null));
    this.#idle = setTimeout(() => void this.#mutex.run(() => this.#release()), this.#idleMs).unref();
    return this.#columns;
  }

  async #updated(old: EntryColumns): Promise<EntryColumns | null> {
    const keys = await this.#changed.take();
    if (keys === null || (await this.#foreign.any())) return null;
    return old.with(await this.#reader.some(keys, old.claimants));
  }

  async #built(first: boolean): Promise<EntryColumns> {
    // Before the first row is read: what is committed later is noted, or seen as a commit of another process.
    if (first) await this.#changed.start();
    const version = await this.#foreign.version();
    const columns = await this.#reader.all();
    this.#foreign.tableRead(version);
    return columns;
  }

  #stopWaiting(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
  }
}
