// The trusted addresses: kept like the blocked ones (database, file, every worker, each seen to be right), but few,
// so the file is written whole each time.

import { stat } from 'node:fs/promises';
import type { IpEntry } from '../domain/ip.ts';
import { parseIp } from '../domain/ip.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { crashPoint } from '../faults/crash-point.ts';
import { isMissing, writeFileAtomically } from '../files/atomic-file.ts';
import type { RuntimeMap } from '../haproxy/runtime-map.ts';
import type { TrustedIpsStore } from '../store/trusted-ips-store.ts';
import { type Tell, tellNobody } from '../telemetry/activity.ts';
import type { Log } from '../telemetry/log.ts';
import type { Caller, RuntimeReport } from './answers.ts';
import { auditedChange } from './audit-notes.ts';
import type { TrustedIp } from './blocked-set-service.ts';
import type { ChangeWindows } from './change-windows.ts';
import { asServiceError } from './durable-commit.ts';
import { Fingerprint } from './fingerprint.ts';
import type { MirroredMap } from './mirrored-map.ts';
import type { RuntimeChanger } from './runtime-changer.ts';
import { runtimeReport } from './runtime-report.ts';
import { TrustedEntries } from './trust.ts';
import type { TurnQueue } from './turn-queue.ts';

const runtimeBudgetMs = 1_400;

export class TrustedSet implements MirroredMap {
  readonly entries = new TrustedEntries();
  readonly #store: TrustedIpsStore;
  readonly #path: string;
  readonly #map: RuntimeMap;
  readonly #turns: TurnQueue;
  readonly #changer: RuntimeChanger;
  readonly #windows: ChangeWindows;
  readonly #log: Log;
  readonly #tell: Tell;
  readonly #scheduleReload: (reason: string) => boolean;
  #expected = new Fingerprint();
  /** The file that was written last. */
  #written: { readonly identity: string | null; readonly content: string } | null = null;
  /** Under way; never rejects. */
  #writing: Promise<unknown> | null = null;

  constructor(options: {
    readonly store: TrustedIpsStore;
    readonly path: string;
    readonly map: RuntimeMap;
    readonly turns: TurnQueue;
    readonly changer: RuntimeChanger;
    readonly windows: ChangeWindows;
    readonly log: Log;
    readonly tell?: Tell | undefined;
    /** False: no reload of this configuration could enforce anything, so none is scheduled. */
    readonly scheduleReload: (reason: string) => boolean;
  }) {
    this.#store = options.store;
    this.#path = options.path;
    this.#map = options.map;
    this.#turns = options.turns;
    this.#changer = options.changer;
    this.#windows = options.windows;
    this.#log = options.log;
    this.#tell = options.tell ?? tellNobody;
    this.#scheduleReload = options.scheduleReload;
  }

  // As a mirrored map, for comparison and repair.
  readonly name = 'trusted';

  get runtime(): RuntimeMap {
    return this.#map;
  }

  get expected(): Fingerprint {
    return this.#expected;
  }

  async *scan(): AsyncIterable<readonly string[]> {
    yield this.entries.texts();
  }

  async reread(): Promise<void> {
    await this.updateTrustedIpsMap();
  }

  async members(texts: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(texts.filter((text) => this.entries.has(text)));
  }

  /** Reads the set and writes the file anew: at start, before every reload, on sync. */
  async updateTrustedIpsMap(): Promise<void> {
    await this.#turns.take('urgent', async () => {
      const rows = await this.#store.list();
      this.entries.replaceAll(rows.map((row) => row.ip_address));
      this.#expected = new Fingerprint();
      for (const row of rows) this.#expected.add(row.ip_address);
      await this.#writeFile(rows.map((row) => row.ip_address));
    });
  }

  async list(): Promise<TrustedIp[]> {
    return [...(await this.#store.list())];
  }

  async get(entry: IpEntry): Promise<TrustedIp> {
    const row = await this.#store.get(entry.text);
    if (row === null) throw new ServiceError(codes.NotFound, 'get trusted address', `${entry.text} is not trusted`);
    return row;
  }

  async put(
    entry: IpEntry,
    note: string | null | undefined,
    caller: Caller,
  ): Promise<{ created: boolean; answer: TrustedIp & RuntimeReport }> {
    const { value, report } = await this.#change('trust', entry, 'add', caller, async () => {
      const before = await this.#store.get(entry.text);
      const audited = auditedChange('trust', caller, {
        ipAddress: entry.text,
        details: { created: before === null, ...(note === undefined ? {} : { note }) },
      });
      const stored = await this.#store.put(entry, note, undefined, audited);
      if (stored.created) this.#hold(entry.text);
      return { value: stored, undo: () => this.#putBack(entry, before) };
    });
    const { created, row } = value;
    const { runtime_map_updated } = report;
    const { ip_address, note: told } = row;
    this.#tell('trust.added', { ip_address, created, note: told, by: caller.keyName, runtime_map_updated });
    return { created, answer: { ...row, ...report } };
  }

  async remove(entry: IpEntry, caller: Caller): Promise<{ ip_address: string } & RuntimeReport> {
    const { report } = await this.#change('distrust', entry, 'remove', caller, async () => {
      const audited = auditedChange('distrust', caller, { ipAddress: entry.text });
      const before = await this.#store.remove(entry, undefined, audited);
      if (before === null) throw new ServiceError(codes.NotFound, 'distrust', `${entry.text} is not trusted`);
      this.#letGo(entry.text);
      return { value: null, undo: () => this.#putBack(entry, before) };
    });
    const { runtime_map_updated } = report;
    this.#tell('trust.removed', { ip_address: entry.text, by: caller.keyName, runtime_map_updated });
    return { ip_address: entry.text, ...report };
  }

  /** False when the file is not the one that was written last: somebody changed or removed it, or it never was. */
  async fileUnchanged(): Promise<boolean> {
    for (;;) {
      while (this.#writing !== null) await this.#writing;
      const written = this.#written;
      const there = await identityOf(this.#path);
      // Written by ourselves while it was looked at: that look says nothing.
      if (this.#writing === null && this.#written === written) return written !== null && written.identity === there;
    }
  }

  #hold(text: string): void {
    this.entries.add(text);
    this.#expected.add(text);
  }

  #letGo(text: string): void {
    this.entries.remove(text);
    this.#expected.remove(text);
  }

  /** The file could not be written: nothing of the change stays. */
  async #putBack(entry: IpEntry, before: TrustedIp | null): Promise<void> {
    if (before !== null) {
      await this.#store.put(entry, before.note, new Date(before.added_at));
      if (!this.entries.has(entry.text)) this.#hold(entry.text);
    } else if ((await this.#store.remove(entry)) !== null) {
      this.#letGo(entry.text);
    }
  }

  async #change<T>(
    operation: string,
    entry: IpEntry,
    verb: 'add' | 'remove',
    caller: Caller,
    store: () => Promise<{ value: T; undo: () => Promise<void> }>,
  ): Promise<{ value: T; report: RuntimeReport }> {
    const outcome = await this.#turns.take('urgent', async () => {
      const end = this.#windows.begin([entry.text]);
      try {
        const { value, undo } = await store();
        crashPoint('trusted.stored');
        try {
          await this.#writeFile((await this.#store.list()).map((row) => row.ip_address));
        } catch (error) {
          await undo();
          throw error;
        }
        crashPoint('trusted.written');
        const result = await this.#changer.change({
          map: this.#map,
          name: 'trusted',
          add: verb === 'add' ? [entry.text] : [],
          remove: verb === 'remove' ? [entry.text] : [],
          committed: Promise.resolve(),
          deadline: Math.max(caller.receivedAt + runtimeBudgetMs, performance.now() + 100),
        });
        crashPoint('trusted.after-runtime');
        return { value, result };
      } catch (error) {
        throw asServiceError(error);
      } finally {
        end();
      }
    });
    const { result } = outcome;
    const scheduled =
      result.currentFailed && this.#scheduleReload(`${operation} ${entry.text}: ${result.failures[0]?.reason}`);
    const report = runtimeReport(result.failures, scheduled);
    const fields = { operation, ip_address: entry.text, key: caller.keyName, request_id: caller.requestId };
    if (report.runtime_map_updated) this.#log.info('Runtime map updated', fields);
    this.#log.info('Operation done', { ...fields, ...report });
    return { value: outcome.value, report };
  }

  async #writeFile(texts: readonly string[]): Promise<void> {
    const write = this.#writeWhole(texts);
    const writing = write.catch(() => undefined);
    this.#writing = writing;
    try {
      await write;
    } finally {
      if (this.#writing === writing) this.#writing = null;
    }
  }

  async #writeWhole(texts: readonly string[]): Promise<void> {
    const lines = texts.filter((text) => parseIp(text).ok).map((text) => `${text} 1\n`);
    const content = `# proxy-manager trusted addresses\n${lines.join('')}`;
    try {
      // What is right stays: a proxy that died is started again although the disk is full.
      if (this.#written?.content === content && this.#written.identity === (await identityOf(this.#path))) return;
      this.#written = null;
      await writeFileAtomically(this.#path, content);
      this.#written = { identity: await identityOf(this.#path), content };
    } catch (error) {
      throw new ServiceError(
        codes.MapFileUnusable,
        'trusted map',
        `the map file ${this.#path} cannot be written: ${(error as Error).message}`,
        { cause: error, retryAfterSeconds: 5 },
      );
    }
  }
}

/** Changes with every edit and replacement; null: there is no such file. */
async function identityOf(path: string): Promise<string | null> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs].join(':');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
