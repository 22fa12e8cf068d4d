// Reads HAProxy's tables and counters: of the current worker on its stats socket, of draining workers through the
// master, as a reader behind all changes and reloads. All of a worker comes from one connection, so that it is from one
// worker: during a reload two of them answer on the stats socket.

import type { InsightMode } from '../domain/insight-mode.ts';
import { type IpEntry, type IpWords, parseIp, readIpv6Words } from '../domain/ip.ts';
import {
  type CountingTable,
  clientsTable,
  deniedTable,
  peersSection,
  rejectedTable,
  sitesTable,
  tablesOfDenied,
} from '../haproxy/process/counting-tables.ts';
import { LISTED, StatListing } from '../haproxy/process/proxy-stats.ts';
import { showTable, type TableEntry, TableListing } from '../haproxy/process/stick-table.ts';
import { listProcesses } from '../haproxy/process/workers.ts';
import { type Command, WorkerLine } from '../haproxy/socket/conversation-command.ts';
import { type MasterSocket, MasterSocketError } from '../haproxy/socket/master-socket.ts';
import { isWorkerGone } from '../haproxy/socket/replies.ts';
import { inOnePiece } from './canonical.ts';
import { enlarged } from './enlarged.ts';
import type { DeniedAddress, InsightReading, InsightSource, WorkerReading } from './readings.ts';
import type { ProcessId } from './workers.ts';

interface TableReaderDeps {
  readonly stats: MasterSocket;
  readonly master: MasterSocket;
  /** The pids of all workers that are not starting. */
  readonly workers: () => readonly number[];
  readonly mode: Exclude<InsightMode, 'off'>;
  readonly now: () => Date;
}

/** Milliseconds. HAProxy answers within 30; a busy one is left alone until the next reading. */
export const readingLimit = { active: 2_000, whole: 10_000 };

export class TableReader implements InsightSource {
  readonly #deps: TableReaderDeps;
  readonly #tables: readonly CountingTable[];

  constructor(deps: TableReaderDeps) {
    this.#deps = deps;
    this.#tables = deps.mode === 'on' ? [...tablesOfDenied, clientsTable] : tablesOfDenied;
  }

  /**
   * Within `readingLimit`. What does not answer is in `missing`; a worker that has exited is in neither list.
   * @throws the reason of the signal
   */
  async read({ whole, signal }: { readonly whole: boolean; readonly signal: AbortSignal }): Promise<InsightReading> {
    signal.throwIfAborted();
    const at = this.#deps.now();
    const deadline = performance.now() + (whole ? readingLimit.whole : readingLimit.active);
    // The reply to the last one may contain empty lines, which end a reply.
    const commands = [
      'show info float',
      `show stat -1 ${LISTED.all} -1`,
      ...this.#tables.map((one) => commandFor(one, whole)),
      `show peers ${peersSection}`,
    ];
    const ask = async (socket: MasterSocket, asked: readonly Command[] | WorkerLine): Promise<WorkerReading> => {
      const listing = new WorkerListing(this.#tables, whole ? at : null);
      const conversation = await socket.converse(deadline, { reader: true });
      const leave = () => conversation.close();
      signal.addEventListener('abort', leave);
      try {
        // While the connection was made.
        signal.throwIfAborted();
        await conversation.streamReplies(asked, (lines, reply) => listing.take(lines, reply));
        return listing.end();
      } finally {
        signal.removeEventListener('abort', leave);
        leave();
      }
    };
    const workers: WorkerReading[] = [];
    const missing: { pid: number; reason: string }[] = [];
    const answered = await attempt(() => ask(this.#deps.stats, WorkerLine.direct(commands)));
    signal.throwIfAborted();
    if ('reading' in answered) workers.push(answered.reading);
    for (const pid of this.#deps.workers()) {
      if (workers.some((one) => one.pid === pid)) continue;
      const through = commands.map((command) => `@!${pid} ${command}`);
      const result = await attempt(() => ask(this.#deps.master, through));
      signal.throwIfAborted();
      if ('reading' in result) workers.push(result.reading);
      else if (!result.gone) missing.push({ pid, reason: result.reason });
    }
    return { at, whole, workers, missing, master: await this.#masterOf(workers, deadline) };
  }

  /** Null also if it did not answer, or another one did, which may have been started meanwhile. */
  async #masterOf(workers: readonly WorkerReading[], deadline: number): Promise<ProcessId | null> {
    try {
      const listing = await listProcesses(this.#deps.master, deadline, { reader: true });
      const { pid, uptimeSeconds } = listing.master;
      const listed = new Set(listing.workers.map((worker) => worker.pid));
      if (uptimeSeconds === null || !workers.every((worker) => listed.has(worker.pid))) return null;
      return { pid, startedAt: new Date(this.#deps.now().getTime() - uptimeSeconds * 1_000) };
    } catch (error) {
      if (!(error instanceof MasterSocketError)) throw error;
      return null;
    }
  }
}

type Attempt = { readonly reading: WorkerReading } | { readonly reason: string; readonly gone: boolean };

/** A reply that cannot be read is no reason to stop counting: the next one may be. */
async function attempt(ask: () => Promise<WorkerReading>): Promise<Attempt> {
  try {
    return { reading: await ask() };
  } catch (error) {
    const gone = error instanceof MasterSocketError && isWorkerGone(error.partial);
    return { reason: error instanceof Error ? error.message : String(error), gone };
  }
}

function commandFor({ name, activeBy }: CountingTable, whole: boolean): string {
  return whole ? showTable(name) : showTable(name, activeBy);
}

const tableReplies = 2;
/** Of an address its four words, value, requests of the last minute, and milliseconds until HAProxy forgets it. */
const figures = 7;

/** Takes one entry of a table. */
type Take = (entry: TableEntry) => void;

/** The replies of one worker. There may be 100,000 entries: each is stored once, as it comes. */
class WorkerListing {
  readonly #info: string[] = [];
  readonly #stats = new StatListing();
  readonly #tables: readonly { readonly name: string; readonly listing: TableListing }[];
  readonly #denied: DeniedListing;
  readonly #sites = new Map<string, number>();
  readonly #clients = new Map<string, { requests: number; rate: number; errors: number }>();
  readonly #rejected = new Map<string, number>();
  #handsOver = false;

  /** @param wholeAt when all entries are read; null: only active ones */
  constructor(tables: readonly CountingTable[], wholeAt: Date | null) {
    this.#denied = new DeniedListing(wholeAt);
    const takes = new Map<CountingTable, Take>([
      [deniedTable, (entry) => this.#denied.take(entry)],
      [sitesTable, ({ key, values: [count = 0] }) => this.#sites.set(key, count)],
      [
        clientsTable,
        ({ key, values: [requests = 0, rate = 0, errors = 0] }) =>
          this.#clients.set(canonical(key), { requests, rate, errors }),
      ],
      [rejectedTable, ({ key, values: [count = 0] }) => this.#rejected.set(canonical(key), count)],
    ]);
    this.#tables = tables.map((table) => {
      const read = table.stores.map((store) => store.replace(/\(.*$/, ''));
      return { name: table.name, listing: new TableListing(read, takes.get(table)!) };
    });
  }

  take(lines: readonly string[], reply: number): void {
    if (reply === 0) this.#info.push(...lines);
    else if (reply === 1) this.#stats.take(lines);
    else if (reply - tableReplies < this.#tables.length) this.#tables[reply - tableReplies]!.listing.take(lines);
    else this.#handsOver ||= lines.some((line) => line.includes(` id=${deniedTable.name} `));
  }

  end(): WorkerReading {
    const field = (name: string) => numberIn(this.#info, name);
    const used = new Map<string, number>();
    for (const { name, listing } of this.#tables) {
      const head = listing.end();
      if (head !== null) used.set(name, head.used / head.size);
    }
    const stats = Map.groupBy(this.#stats.end(), ({ kind }) => kind);
    const sum = (of: 'requests' | 'denied') =>
      (stats.get('frontend') ?? []).reduce((total, stat) => total + stat[of], 0);
    const backends = stats.get('backend') ?? [];
    return {
      pid: field('Pid'),
      startedAt: new Date(field('Start_time_sec') * 1_000),
      current: field('Stopping') === 0,
      handsOver: this.#handsOver,
      denied: this.#denied,
      sites: this.#sites,
      clients: this.#clients,
      rejected: this.#rejected,
      backends: new Map(backends.map((stat) => [stat.name, stat])),
      requests: sum('requests'),
      deniedRequests: sum('denied'),
      used,
    };
  }
}

/** In columns: maps of 100,000 addresses would take three times the memory until they are counted. */
class DeniedListing implements Iterable<DeniedAddress> {
  #size = 0;
  #figures = new Uint32Array(1_024 * figures);
  readonly #wholeAt: Date | null;
  #longest = 0;

  /** @param wholeAt when all entries are read; null: only active ones */
  constructor(wholeAt: Date | null) {
    this.#wholeAt = wholeAt;
  }

  take({ key, values: [value = 0, rate = 0], expiresInMs }: TableEntry): void {
    const at = this.#size * figures;
    if (at === this.#figures.length) this.#figures = new Uint32Array(enlarged(this.#figures, 2 * this.#figures.length));
    this.#figures.set(wordsOf(key), at);
    this.#figures.set([value, Math.min(rate, value), expiresInMs], at + 4);
    this.#size += 1;
    this.#longest = Math.max(this.#longest, expiresInMs);
  }

  *[Symbol.iterator](): Generator<DeniedAddress> {
    for (let from = 0; from < this.#size * figures; from += figures) {
      const of = (nth: number): number => this.#figures[from + nth]!;
      const address: IpWords = [of(0), of(1), of(2), of(3)];
      yield { address, value: of(4), lately: of(5), at: this.#lastAt(of(6)) };
    }
  }

  /** An operator's own table may expire after another time, which the entry that was used last has nearly left. */
  #lastAt(leftMs: number): number | null {
    if (this.#wholeAt === null) return null;
    return Math.floor(this.#wholeAt.getTime() / 1_000) - Math.floor((this.#longest - leftMs) / 1_000);
  }
}

export class ReadingUnreadable extends Error {
  override readonly name = 'ReadingUnreadable';
}

function numberIn(info: readonly string[], name: string): number {
  const text = info.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
  if (!/^\d{1,12}(\.\d{1,6})?$/.test(text)) throw new ReadingUnreadable(`show info has no ${name}`);
  return Number(text);
}

/** HAProxy writes IPv4 addresses as `::ffff:192.0.2.7`. @throws ReadingUnreadable */
function wordsOf(key: string): IpWords {
  return readIpv6Words(key) ?? addressOf(key).words;
}

/** @throws ReadingUnreadable */
function canonical(key: string): string {
  return inOnePiece(addressOf(key).text);
}

function addressOf(key: string): IpEntry {
  const parsed = parseIp(key);
  if (!parsed.ok) throw new ReadingUnreadable(`a table has a key that is no address: ${parsed.why}`);
  return parsed.entry;
}
