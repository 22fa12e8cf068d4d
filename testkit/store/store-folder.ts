import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type IpEntry, parseIp } from '../../src/domain/ip.ts';
import { BlockedIpsStore } from '../../src/store/blocked-ips-store.ts';
import { BulkStore, type StagedRow } from '../../src/store/bulk-store.ts';
import { type Database, openDatabase } from '../../src/store/open-database.ts';
import { openTestDatabase } from './new-database.ts';

/** Real files in a temporary folder, removed by `remove`. */
export class StoreFolder {
  readonly path: string;
  readonly file: string;
  readonly url: string;
  readonly #open: Database[] = [];

  constructor(parent = tmpdir()) {
    this.path = mkdtempSync(join(parent, 'proxy-manager-store-'));
    this.file = join(this.path, 'test.sqlite');
    this.url = `sqlite:${this.file}`;
  }

  /** @param options.createIfMissing for tests of the opening: the service creates the database, or refuses to */
  async open({
    createIfMissing,
    ...options
  }: {
    createIfMissing?: boolean;
    busyTimeoutMs?: number;
  } = {}): Promise<Database> {
    const database =
      createIfMissing === undefined
        ? await openTestDatabase(this.url, options)
        : await openDatabase(this.url, { createIfMissing, ...options });
    this.#open.push(database);
    return database;
  }

  /** Files as a crash at this moment would leave them. */
  crashed(): StoreFolder {
    const copy = new StoreFolder();
    for (const suffix of ['', '-wal']) {
      if (existsSync(this.file + suffix)) cpSync(this.file + suffix, copy.file + suffix);
    }
    return copy;
  }

  async remove(): Promise<void> {
    for (const database of this.#open) await database.close();
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Back to the schema before 0027. Call it first. */
export function backBefore0027(file: { exec(statement: string): unknown }): void {
  const carried = ['blocked_ips_uncounted', 'blocked_ips_recounted', 'blocked_ips_shared'];
  for (const trigger of [...carried, 'claims_uncounted', 'claims_recounted']) file.exec(`drop trigger ${trigger}`);
  for (const column of ['claims', 'alone', 'last_claimed_at']) file.exec(`alter table sources drop column ${column}`);
}

/** Back to the schema before 0018. */
export function backBefore0018(file: { exec(statement: string): unknown }): void {
  for (const column of ['names_json', 'canonical', 'enabled', 'redirect_json'])
    file.exec(`alter table sites drop column ${column}`);
  for (const table of ['accounts', 'pauses', 'certificates', 'orders', 'failed_validations'])
    file.exec(`drop table acme_${table}`);
  for (const table of ['entry_hits', 'entry_hours', 'entry_days', 'knocking', 'clients', 'series', 'series_labels'])
    file.exec(`drop table ${table}`);
  for (const table of ['insight_gaps', 'attacks', 'insight_state']) file.exec(`drop table ${table}`);
  for (const table of ['saved_views', 'notices', 'notice_reads', 'site_hours']) file.exec(`drop table ${table}`);
}

export function entry(text: string): IpEntry {
  const parsed = parseIp(text);
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.entry;
}

/** The n-th of a sequence of IPv4 addresses without repetition or order. */
export function scattered(n: number): IpEntry {
  const value = Math.imul(n + 1, 2_654_435_761) >>> 0;
  return entry(`${((value >>> 24) % 200) + 1}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`);
}

export const nothing = (): void => undefined;
export const NOON = new Date('2026-11-20T12:00:00.000Z');

export async function block(store: BlockedIpsStore, ...texts: string[]): Promise<void> {
  const changes = texts.map((text) => ({ op: 'add', entry: entry(text), expiry: { kind: 'permanent' } }) as const);
  await store.applyGroup(changes, NOON, nothing);
}

export async function blockedTexts(store: BlockedIpsStore): Promise<string[]> {
  const all: string[] = [];
  for (let after: Uint8Array | null = null; ; ) {
    const { texts, last } = await store.scanTexts(after, 3000);
    all.push(...texts);
    if (texts.length < 3000) return all;
    after = last;
  }
}

export function line(text: string): StagedRow {
  return { op: 'add', entry: entry(text), expiry: { kind: 'keep' } };
}

export function storesOf(database: Database): { store: BlockedIpsStore; bulk: BulkStore } {
  return { store: new BlockedIpsStore(database), bulk: new BulkStore(database) };
}

export async function finish(bulk: BulkStore, id: string, limit: number) {
  const total = { added: [] as string[], removed: [] as string[], updated: 0, renewed: 0, unchanged: 0 };
  for (;;) {
    const slice = await bulk.applySlice(id, limit, NOON, nothing);
    total.added.push(...slice.net.added);
    total.removed.push(...slice.net.removed);
    total.updated += slice.updated;
    total.renewed += slice.renewed;
    total.unchanged += slice.unchanged;
    if (slice.done) return total;
  }
}
