// The floor: the raw commands, commits and fsyncs of the same work, in a process of its own, so that heap and disk
// writes are measured apart. It checks nothing, and would not survive a crash between its steps:
//   a block    a commit, one append and fdatasync, ONE connection with the command and its read-back
//   a load     ONE transaction with prepared statements in index order; prepared payloads of 14,980 bytes in numeric
//              order; one `show map` whose bytes are only counted
//   a change   ONE transaction; the cheaper of commands and atomic replace; one `show map`
//   the table  every address once through one cursor
import { closeSync, fdatasyncSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { answerCalls } from '../testkit/load/calls.ts';
import { inNumericOrder, inTextOrder, type ListSource, listOf } from '../testkit/load/lists.ts';
import { bytesWritten } from '../testkit/load/process-figures.ts';
import { time, timed } from './clock.ts';
import { RawDatabase } from './raw-database.ts';
import { ask, commit, list, payloads, prepare, runAll, sendAll } from './raw-master.ts';

interface FloorPaths {
  readonly folder: string;
  readonly masterSocket: string;
  readonly map: string;
  readonly deletesScan: boolean;
}

/** Milliseconds. */
interface LoadTimes {
  readonly database: number;
  readonly payload: number;
  readonly listing: number;
}

/** In one running map. */
export interface Differences {
  readonly missing: readonly string[];
  readonly stray: readonly string[];
  readonly wrong: readonly string[];
}

let paths: FloorPaths;
let database: RawDatabase;
let file: number;
let held: string[] = [];

const calls = {
  open(given: FloorPaths): void {
    paths = given;
    database = new RawDatabase(join(paths.folder, 'floor.sqlite'));
    file = openSync(paths.map, 'a');
  },

  async load(source: ListSource): Promise<LoadTimes> {
    held = inNumericOrder(listOf(source));
    const byText = inTextOrder(held);
    const texts = payloads(paths.map, held);
    return {
      database: database.change([], byText),
      payload: await timed(() => sendAll(paths.masterSocket, texts)),
      listing: await listing(),
    };
  },

  /** Milliseconds in all, and of its connection. */
  async block(ip: string): Promise<{ whole: number; proxy: number }> {
    return await one(ip, `${ip} 1\n`, () => database.insert(ip), `add map ${paths.map} ${ip} 1`);
  },

  async unblock(ip: string): Promise<{ whole: number; proxy: number }> {
    return await one(ip, `#${ip} 1\n`, () => database.remove(ip), `del map ${paths.map} ${ip}`);
  },

  /** One after the other; `bytes`: written to disk per block. */
  async blocks(ips: readonly string[]): Promise<{ perSecond: number; bytes: number }> {
    const before = bytesWritten('self');
    const took = await timed(async () => {
      for (const ip of ips) await calls.block(ip);
    });
    return { perSecond: (ips.length * 1_000) / took, bytes: (bytesWritten('self') - before) / ips.length };
  },

  listing,
  readTable: (): number => database.readTable(),

  /**
   * Reads the table (without it the difference is unknown), applies the difference, lists the map. `claims`: of a
   * second source, to addresses that are blocked already; no worker hears of them.
   */
  async change(
    removals: readonly string[],
    additions: readonly string[],
    claims: readonly string[] = [],
  ): Promise<number> {
    const after = without(held, removals).concat(additions);
    const [outgoing, incoming, shared] = [inTextOrder(removals), inTextOrder(additions), inTextOrder(claims)];
    const takeProxy = await changeOfMap(paths, after, { stray: removals, missing: additions, wrong: [] });
    const took =
      database.readTable() + database.change(outgoing, incoming, shared) + (await timed(takeProxy)) + (await listing());
    held = inNumericOrder(after);
    return took;
  },

  /** Makes a running map differ from this floor's list. */
  async disturb(target: { masterSocket: string; map: string }, differences: Differences): Promise<void> {
    await (await disturbance({ ...target, deletesScan: paths.deletesScan }, differences))();
  },

  /** Listing, table, repair, and the listing that proves it. */
  async repair(differences: Differences): Promise<number> {
    const takeProxy = await changeOfMap(paths, held, differences);
    return (await listing()) + database.readTable() + (await timed(takeProxy)) + (await listing());
  },

  /** For a restart or reload of this floor's proxy; not timed. */
  writeMapFile(): void {
    closeSync(file);
    writeFileSync(paths.map, `${held.join(' 1\n')} 1\n`);
    file = openSync(paths.map, 'a');
  },

  /** Milliseconds of each run of a query. */
  pages(sql: string, parameters: readonly (string | number)[], runs: number): number[] {
    const page = database.page(sql);
    return Array.from({ length: runs }, () => time(() => void page.all(...parameters)));
  },

  /** The row and the running map's answer. */
  async check(ips: readonly string[]): Promise<number[]> {
    const row = database.page('SELECT * FROM blocked_ips WHERE ip_address = ?');
    const took: number[] = [];
    for (const ip of ips) {
      took.push(
        await timed(async () => {
          row.get(ip);
          await ask(paths.masterSocket, `@1 get map ${paths.map} ${ip}\n`);
        }),
      );
    }
    return took;
  },
};

export type FloorCalls = typeof calls;

async function one(ip: string, line: string, write: () => void, command: string) {
  const began = performance.now();
  write();
  writeSync(file, line);
  fdatasyncSync(file);
  const connected = performance.now();
  const reply = await ask(paths.masterSocket, `@1 ${command}\n@1 get map ${paths.map} ${ip}\n`);
  const ended = performance.now();
  if (!reply.startsWith('\n') || reply.includes(`key="${ip}"`) !== command.startsWith('add')) {
    throw new Error(`${command}: ${JSON.stringify(reply.slice(0, 200))}`);
  }
  return { whole: ended - began, proxy: ended - connected };
}

function listing(): Promise<number> {
  return timed(() => list(paths.masterSocket, paths.map, held.length));
}

function without(from: readonly string[], removals: readonly string[]): string[] {
  const gone = new Set(removals);
  return from.filter((ip) => !gone.has(ip));
}

type MapOfWorker = Pick<FloorPaths, 'masterSocket' | 'map' | 'deletesScan'>;

/** Prepared commands, or an atomic replace with `after` if that is cheaper. */
async function changeOfMap(worker: MapOfWorker, after: readonly string[], differences: Differences) {
  const { missing, stray, wrong } = differences;
  const commands = [
    ...stray.map((ip) => `del map ${worker.map} ${ip}`),
    ...wrong.map((ip) => `set map ${worker.map} ${ip} 1`),
  ];
  if (commandsAreCheaper(worker, commands.length, after.length)) {
    const texts = payloads(worker.map, inNumericOrder(missing));
    return async (): Promise<void> => {
      await sendAll(worker.masterSocket, texts);
      await runAll(worker.masterSocket, commands);
    };
  }
  const sorted = inNumericOrder(after);
  return await replacement(worker, (into) => payloads(into, sorted));
}

/** Measured: a command 0.085 ms (before 2.9 it scans: 40 ns an entry more), a replace 1.5 µs an entry. */
function commandsAreCheaper({ deletesScan }: MapOfWorker, commands: number, entries: number): boolean {
  return commands * (0.085 + (deletesScan ? entries * 40e-6 : 0)) <= entries * 1.5e-3;
}

/** The texts contain the version number, so it is prepared (1 ms) before the clock starts. */
async function replacement(worker: MapOfWorker, textsOf: (into: string) => string[]) {
  const version = await prepare(worker.masterSocket, worker.map);
  const texts = textsOf(`@${version} ${worker.map}`);
  return async (): Promise<void> => {
    await sendAll(worker.masterSocket, texts);
    await commit(worker.masterSocket, worker.map, version);
  };
}

async function disturbance(worker: MapOfWorker, { missing, stray, wrong }: Differences) {
  const commands = [
    ...missing.map((ip) => `del map ${worker.map} ${ip}`),
    ...wrong.map((ip) => `set map ${worker.map} ${ip} 0`),
    ...stray.map((ip) => `add map ${worker.map} ${ip} 1`),
  ];
  if (commandsAreCheaper(worker, commands.length, held.length)) return () => runAll(worker.masterSocket, commands);
  const value = new Set(wrong);
  const wanted = inNumericOrder(without(held, missing).concat(stray));
  return await replacement(worker, (into) =>
    payloads(into, wanted).map((text) =>
      text.replaceAll(/^(\S+) 1$/gm, (line, ip: string) => (value.has(ip) ? `${ip} 0` : line)),
    ),
  );
}

answerCalls(calls);
