// The floor: the raw commands, commits and fsyncs of the same work, and nothing else. Its own HAProxy, its own
// database file and its own map file, beside those of the service and of the same size.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { RuntimeMap } from '../src/haproxy/runtime-map.ts';
import { within } from '../testkit/conditions.ts';
import { RealProxy } from '../testkit/real-proxy.ts';

const current = { kind: 'current' } as const;

export class Floor {
  readonly proxy: RealProxy;
  readonly map: RuntimeMap;
  readonly #database: Database.Database;
  readonly #insert: Database.Statement;
  readonly #remove: Database.Statement;
  readonly #file: number;

  private constructor(proxy: RealProxy) {
    this.proxy = proxy;
    this.map = new RuntimeMap(proxy.socket, proxy.paths.blockedMap);
    this.#database = new Database(join(proxy.paths.folder, 'floor.sqlite'));
    this.#database.pragma('journal_mode = WAL');
    this.#database.pragma('synchronous = FULL');
    this.#database.exec('CREATE TABLE blocked (ip TEXT PRIMARY KEY, reason TEXT, at TEXT) WITHOUT ROWID');
    this.#insert = this.#database.prepare('INSERT OR REPLACE INTO blocked VALUES (?, ?, ?)');
    this.#remove = this.#database.prepare('DELETE FROM blocked WHERE ip = ?');
    this.#file = openSync(join(proxy.paths.folder, 'floor.map'), 'a');
  }

  static async start(bin: string): Promise<Floor> {
    return new Floor(await RealProxy.start(bin));
  }

  /** Inserts of the whole list, the payload load of it, and one `show map`; the milliseconds of each. */
  async load(batches: Iterable<readonly string[]>): Promise<{ database: number; payload: number; listing: number }> {
    const took = { database: 0, payload: 0, listing: 0 };
    const at = new Date().toISOString();
    const insertAll = this.#database.transaction((ips: readonly string[]) => {
      for (const ip of ips) this.#insert.run(ip, null, at);
    });
    for (const ips of batches) {
      took.database += time(() => insertAll(ips));
      took.payload += await timed(() => this.map.addMany(current, ips, within(600_000)));
    }
    took.listing = await this.listing();
    return took;
  }

  listing(): Promise<number> {
    return timed(() => this.map.runtimeMapKeys(within(600_000), () => undefined));
  }

  readTable(): number {
    return time(() => {
      for (const _ of this.#database.prepare('SELECT ip FROM blocked ORDER BY ip').iterate());
    });
  }

  async block(ip: string): Promise<number> {
    return await timed(async () => {
      this.#insert.run(ip, null, new Date().toISOString());
      writeSync(this.#file, `${ip} 1\n`);
      fdatasyncSync(this.#file);
      await this.#commands(`add map ${this.map.path} ${ip} 1`, ip);
    });
  }

  async unblock(ip: string): Promise<number> {
    return await timed(async () => {
      this.#remove.run(ip);
      writeSync(this.#file, `#${ip} 1\n`);
      fdatasyncSync(this.#file);
      await this.#commands(`del map ${this.map.path} ${ip}`, ip);
    });
  }

  async stop(): Promise<void> {
    closeSync(this.#file);
    this.#database.close();
    await this.proxy.stop();
  }

  async #commands(command: string, ip: string): Promise<void> {
    const conversation = await this.proxy.socket.converse(within(60_000));
    await conversation.finish([`@1 ${command}`, `@1 get map ${this.map.path} ${ip}`]);
  }
}

export function time(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
