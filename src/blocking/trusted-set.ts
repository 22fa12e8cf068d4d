// The trusted addresses. They are few, so each change rewrites the complete file.

import type { Caller } from '../api/caller.ts';
import type { RuntimeReport } from '../api/changes.ts';
import type { TrustedIp } from '../api/trusted-ips.ts';
import type { TurnQueue } from '../concurrency/turn-queue.ts';
import { type IpEntry, parseIp } from '../domain/ip.ts';
import { unusedTrustedMap } from '../domain/trust-effect.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Emit } from '../events/facts.ts';
import { crashPoint } from '../faults/crash-point.ts';
import { trustedMapText } from '../haproxy/map-file/trusted-map-text.ts';
import type { RuntimeMap } from '../haproxy/maps/runtime-map.ts';
import type { AuditedChange } from '../store/audit-rows.ts';
import { auditedChange } from '../store/audit-rows.ts';
import { hasExpired, type TrustExpiry, type TrustedIpsStore } from '../store/trusted-ips-store.ts';
import { type ChangeCounts, nothingChanged, runtimeReport } from './answers.ts';
import type { TrustChange } from './blocked-set-service.ts';
import { SmallMap } from './small-map.ts';
import { type Made, type SmallSetResult, SmallSetWriter } from './small-set-writer.ts';
import { TrustedEntries } from './trusted-entries.ts';
import type { ChangeWindows } from './write/change-windows.ts';
import type { RuntimeChanger } from './write/runtime-changer.ts';

/** Removed one by one, because they are few. */
const expiredAtOnce = 50;

type Stored = Awaited<ReturnType<TrustedIpsStore['put']>>;

interface TrustPut {
  readonly created: boolean;
  readonly answer: TrustedIp & RuntimeReport;
}

type MadeOne<T> = Omit<Made<T>, 'maps'>;

const oneRemoved: ChangeCounts = { ...nothingChanged, removed: 1 };

export interface TrustInConfiguration {
  /** It names the map, so a reload loads it into a worker. */
  readonly mapLoaded: boolean | null;
  /** Each rule that denies blocked addresses exempts trusted ones. */
  readonly hasEffect: boolean | null;
}

export const unknownTrust: TrustInConfiguration = { mapLoaded: null, hasEffect: null };

export interface TrustUsage {
  readonly last: TrustInConfiguration;
  check(): Promise<TrustInConfiguration>;
}

const usedWholly: TrustInConfiguration = { mapLoaded: true, hasEffect: true };

interface TrustedSetDeps {
  readonly store: TrustedIpsStore;
  readonly path: string;
  readonly map: RuntimeMap;
  readonly turns: TurnQueue;
  readonly changer: RuntimeChanger;
  readonly windows: ChangeWindows;
  readonly emit: Emit;
  /** False: no reload of this configuration could enforce anything, so none is scheduled. */
  readonly scheduleReload: (reason: string) => boolean;
  readonly now: () => Date;
  /** Absent: the live configuration uses it fully. */
  readonly usage?: TrustUsage;
}

export class TrustedSet {
  readonly entries = new TrustedEntries();
  readonly map: SmallMap;
  readonly #deps: TrustedSetDeps;
  readonly #usage: TrustUsage;
  readonly #writer: SmallSetWriter;

  constructor(deps: TrustedSetDeps) {
    const { turns, windows, changer } = deps;
    this.#deps = deps;
    this.#usage = deps.usage ?? { last: usedWholly, check: async () => usedWholly };
    this.map = new SmallMap({
      name: 'trusted',
      path: deps.path,
      runtime: deps.map,
      reread: () => this.updateTrustedIpsMap(),
      unused: () => this.#usage.last.mapLoaded === false,
      inEveryWorker: true,
    });
    this.#writer = new SmallSetWriter({
      turns,
      windows,
      changer,
      writeFiles: async () => this.#writeFile(await this.#deps.store.list()),
      reached: (step) => crashPoint(`trusted.${step}`),
    });
  }

  /** Called at start, before every reload, and by a sync. */
  async updateTrustedIpsMap(): Promise<void> {
    await this.#deps.turns.take('urgent', async () => {
      const rows = await this.#deps.store.list();
      this.entries.replaceAll(rows);
      this.map.replaceAll(rows.map((row) => [row.ip_address, '1']));
      await this.#writeFile(rows);
    });
  }

  async list(): Promise<TrustedIp[]> {
    return [...(await this.#deps.store.list())];
  }

  async get(entry: IpEntry): Promise<TrustedIp> {
    const row = await this.#deps.store.get(entry.text);
    if (row === null) throw new ServiceError(codes.NotFound, 'get trusted address', `${entry.text} is not trusted`);
    return row;
  }

  put(entry: IpEntry, change: TrustChange, caller: Caller): Promise<TrustPut> {
    return this.#put(entry, change, caller, false);
  }

  /** The same for a caller that holds the turn. */
  putInTurn(entry: IpEntry, change: TrustChange, caller: Caller): Promise<TrustPut> {
    return this.#put(entry, change, caller, true);
  }

  async #put(entry: IpEntry, change: TrustChange, caller: Caller, inTurn: boolean): Promise<TrustPut> {
    const store = async () => {
      const now = this.#deps.now();
      const before = await this.#deps.store.get(entry.text);
      const earlier = this.entries.putOf(entry.text);
      const details = {
        created: before === null || hasExpired(before, now),
        ...(change.note === undefined ? {} : { note: change.note }),
        ...expiryDetails(change.expiry),
      };
      const audited = auditedChange('trust', caller, { ipAddress: entry.text, details });
      const stored = await this.#deps.store.put(entry, change, now, audited);
      this.#hold(stored.row);
      const counts = stored.created ? { ...nothingChanged, added: 1 } : { ...nothingChanged, updated: 1 };
      return { value: stored, counts, undo: () => this.#rollBack(entry, before, earlier) };
    };
    const done = await this.#change<Stored>('trust', entry, 'add', caller, store, inTurn);
    const { value, report } = done!;
    const { created, row } = value;
    const { ip_address, note, expires_at } = row;
    const result = { created, note, expires_at, report };
    this.#deps.emit('operation.done', { operation: 'trust', caller, subject: { ip_address }, ...result });
    return { created, answer: { ...row, ...report } };
  }

  async remove(entry: IpEntry, caller: Caller): Promise<{ ip_address: string } & RuntimeReport> {
    const done = await this.#change<null>('distrust', entry, 'remove', caller, async () => {
      const audited = auditedChange('distrust', caller, { ipAddress: entry.text });
      const before = await this.#deps.store.remove(entry, this.#deps.now(), audited);
      if (before === null) throw new ServiceError(codes.NotFound, 'distrust', `${entry.text} is not trusted`);
      this.#letGo(entry.text);
      return { value: null, counts: oneRemoved, undo: () => this.#rollBack(entry, before) };
    });
    const { report } = done!;
    this.#deps.emit('operation.done', { operation: 'distrust', caller, subject: { ip_address: entry.text }, report });
    return { ip_address: entry.text, ...report };
  }

  /**
   * Ends a trust that has an end, because the address was blocked again. Null: it is permanent, or there is none, or
   * `isOverruled`, called in the turn, says that the trust came after the block, or that the block is gone.
   */
  async endEarly(entry: IpEntry, caller: Caller, isOverruled: () => Promise<boolean>): Promise<RuntimeReport | null> {
    const done = await this.#change<null>('distrust', entry, 'remove', caller, async () => {
      if (!(await isOverruled())) return null;
      const audited = auditedChange('distrust', caller, { ipAddress: entry.text, details: { ended_by: 'block' } });
      const before = await this.#deps.store.removeTemporary(entry, this.#deps.now(), audited);
      if (before === null) return null;
      this.#letGo(entry.text);
      return { value: null, counts: oneRemoved, undo: () => this.#rollBack(entry, before) };
    });
    if (done === null) return null;
    const { report } = done;
    this.#deps.emit('operation.done', { operation: 'distrust', caller, subject: { ip_address: entry.text }, report });
    return report;
  }

  /** Resolves to whether more may be waiting. */
  async expireOnce(): Promise<boolean> {
    const due = await this.#deps.store.expiredBefore(this.#deps.now(), expiredAtOnce);
    let removed = 0;
    for (const text of due) {
      const parsed = parseIp(text);
      if (parsed.ok && (await this.#expire(parsed.entry))) removed += 1;
    }
    return removed > 0 && due.length === expiredAtOnce;
  }

  /** False: it was extended, made permanent or removed meanwhile. */
  async #expire(entry: IpEntry): Promise<boolean> {
    const auditRows: number[] = [];
    const done = await this.#change<null>('expire_trust', entry, 'remove', null, async () => {
      const now = this.#deps.now();
      const present = await this.#deps.store.list();
      if (!present.some((row) => row.ip_address === entry.text && hasExpired(row, now))) return null;
      // The file first: it is retried until written, and there is still only one audit row.
      await this.#writeFile(present.filter((row) => row.ip_address !== entry.text));
      const before = await this.#deps.store.removeExpired(entry, now, auditedExpiry(entry, auditRows));
      if (before === null) return null;
      this.#letGo(entry.text);
      return { value: null, counts: oneRemoved, undo: () => this.#rollBack(entry, before) };
    });
    if (done === null) return false;
    this.#deps.emit('operation.done', {
      operation: 'expire_trust',
      caller: null,
      subject: { ip_address: entry.text },
      auditRows,
      report: done.report,
    });
    return true;
  }

  /** False: another process changed or removed it, or it was never written. */
  async fileUnchanged(): Promise<boolean> {
    return await this.map.file.unchanged();
  }

  #hold(row: TrustedIp, put?: number): void {
    this.map.hold(row.ip_address);
    this.entries.put(row, put);
  }

  #letGo(text: string): void {
    this.entries.remove(text);
    this.map.letGo(text);
  }

  /** Rolls back a change whose file could not be written. */
  async #rollBack(entry: IpEntry, before: TrustedIp | null, put?: number): Promise<void> {
    if (before !== null) {
      await this.#deps.store.putBack(entry, before);
      this.#hold(before, put);
    } else if ((await this.#deps.store.remove(entry, this.#deps.now())) !== null) {
      this.#letGo(entry.text);
    }
  }

  async #writeFile(rows: readonly TrustedIp[]): Promise<void> {
    await this.map.file.write(trustedMapText(rows));
  }

  /**
   * @param caller null: the service itself
   * @param store null: there was nothing to change
   */
  async #change<T>(
    operation: string,
    entry: IpEntry,
    verb: 'add' | 'remove',
    caller: Caller | null,
    store: () => Promise<MadeOne<T> | null>,
    inTurn = false,
  ): Promise<{ value: T; report: RuntimeReport } | null> {
    const { map } = this;
    const prepare = async () => ({
      texts: [entry.text],
      store: async () => {
        const made = await store();
        const change = { map, add: verb === 'add' ? [entry.text] : [], remove: verb === 'remove' ? [entry.text] : [] };
        return made === null ? null : { ...made, maps: [change] };
      },
    });
    const done = await this.#writer.change<T>(caller, prepare, inTurn);
    if (done === null) return null;
    return { value: done.value, report: await this.#reportOf(done.result, `${operation} ${entry.text}`) };
  }

  async #reportOf({ failures: found, currentFailed }: SmallSetResult, change: string): Promise<RuntimeReport> {
    const failures = found.map(({ map: _, ...failure }) => failure);
    if (failures.length > 0 && (await this.#usage.check()).mapLoaded === false) {
      // No reload of this configuration would load the map.
      return runtimeReport(
        failures.map((failure) => ({ ...failure, reason: unusedTrustedMap })),
        false,
      );
    }
    return runtimeReport(failures, currentFailed && this.#deps.scheduleReload(`${change}: ${failures[0]?.reason}`));
  }
}

function auditedExpiry(entry: IpEntry, rows: number[]): AuditedChange {
  const note = { operation: 'expire_trust', keyName: null, source: null, requestId: null, ipAddress: entry.text };
  return { note, written: (row) => rows.push(row) };
}

function expiryDetails(expiry: TrustExpiry): Readonly<Record<string, unknown>> {
  if (expiry.kind === 'duration') return { duration_seconds: expiry.seconds };
  if (expiry.kind === 'keep') return {};
  return { expires_at: expiry.kind === 'at' ? expiry.at.toISOString() : null };
}
