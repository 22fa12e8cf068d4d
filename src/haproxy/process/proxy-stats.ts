// HAProxy's own counters: `show stat -1 3 -1` lists every frontend (1) and backend (2) without servers, some 350 bytes
// each. There may be thousands, so lines are parsed as they come, and only the needed columns. The counters start at 0
// with each worker.
import type { Deadline, MasterSocket } from '../socket/master-socket.ts';
import { splitFields } from '../socket/show-stat.ts';

export interface ProxyStat {
  readonly kind: 'frontend' | 'backend';
  readonly name: string;
  readonly requests: number;
  /** Denied by a rule, such as the one for blocked addresses. */
  readonly denied: number;
  /** HTTP 500 to 599, including HAProxy's own. */
  readonly serverErrors: number;
  readonly sessions: number;
  /**
   * Of a backend: milliseconds from a request to the start of its response, in the queue, to connect and of the server; the
   * moving average of the last 500 requests or so. Of a front end 0.
   */
  readonly responseMs: number;
  /** Of a backend: no server passes its checks, and every request gets 503. */
  readonly down: boolean;
}

/** What `show stat` lists. */
export const LISTED = { all: 3, backends: 2 } as const;

export class StatsUnreadable extends Error {
  override readonly name = 'StatsUnreadable';
}

const COLUMNS = [
  'pxname',
  'svname',
  'scur',
  'status',
  'dreq',
  'hrsp_5xx',
  'req_tot',
  'qtime',
  'ctime',
  'rtime',
] as const;
const KINDS: Readonly<Record<string, ProxyStat['kind']>> = { FRONTEND: 'frontend', BACKEND: 'backend' };

/**
 * @param prefix `` on the stats socket, `@1 ` on the master's
 * @throws MasterSocketError, StatsUnreadable
 */
export async function readProxyStats(
  socket: MasterSocket,
  prefix: '' | '@1 ',
  deadline: Deadline,
  listed: keyof typeof LISTED = 'all',
): Promise<readonly ProxyStat[]> {
  const conversation = await socket.converse(deadline, { reader: true });
  try {
    const listing = new StatListing();
    await conversation.streamLines(`${prefix}show stat -1 ${LISTED[listed]} -1`, (lines) => listing.take(lines));
    return listing.end();
  } finally {
    conversation.close();
  }
}

/** Accepts batches of any size. */
export class StatListing {
  readonly #stats: ProxyStat[] = [];
  #indexes: readonly number[] | null = null;
  /** How many leading fields contain all needed columns. */
  #width = 0;

  /** @throws StatsUnreadable */
  take(lines: readonly string[]): void {
    for (const line of lines) {
      if (this.#indexes === null) this.#readHeader(line);
      else this.#readLine(line, this.#indexes);
    }
  }

  /** @throws StatsUnreadable without a header */
  end(): readonly ProxyStat[] {
    if (this.#indexes === null) throw new StatsUnreadable('HAProxy listed nothing');
    return this.#stats;
  }

  #readHeader(line: string): void {
    const columns = line.startsWith('# pxname,') ? line.slice(2).split(',') : [];
    const indexes = COLUMNS.map((name) => columns.indexOf(name));
    if (indexes.includes(-1))
      throw new StatsUnreadable(`the reply is no list of statistics: ${JSON.stringify(line.slice(0, 80))}`);
    this.#indexes = indexes;
    this.#width = Math.max(...indexes) + 1;
  }

  #readLine(line: string, indexes: readonly number[]): void {
    // Only a name, which a template may choose, can be in quotes before the last needed column.
    const fields = line.includes('"') ? (splitFields(line) ?? []) : line.split(',', this.#width);
    if (fields.length < this.#width)
      throw new StatsUnreadable(`a line is incomplete: ${JSON.stringify(line.slice(0, 80))}`);
    const [name = '', kind = '', sessions, status, denied, serverErrors, requests, ...times] = indexes.map(
      (index) => fields[index],
    );
    const known = KINDS[kind];
    if (known === undefined) return;
    this.#stats.push({
      kind: known,
      name,
      requests: count(requests),
      denied: count(denied),
      serverErrors: count(serverErrors),
      sessions: count(sessions),
      responseMs: times.reduce((sum, time) => sum + count(time), 0),
      down: known === 'backend' && status === 'DOWN',
    });
  }
}

/** Empty where not applicable: a proxy in TCP mode has no requests. */
function count(text: string | undefined): number {
  if (text === undefined || text === '') return 0;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new StatsUnreadable(`${JSON.stringify(text.slice(0, 40))} is not a count`);
}
