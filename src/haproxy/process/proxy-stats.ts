// HAProxy's own counters: `show stat -1 3 -1` lists every frontend and backend (3) and no server, some 350 bytes each, CSV
// below a header line. There may be thousands, so lines are parsed as they come, and only the needed columns. The counters
// are those of one worker process: they start at 0 with each.
import type { Deadline, MasterSocket } from '../socket/master-socket.ts';
import { splitFields } from '../socket/show-stat.ts';

export interface ProxyStat {
  readonly kind: 'frontend' | 'backend';
  /** As in the configuration. */
  readonly name: string;
  readonly requests: number;
  /** Denied by a rule, such as that for blocked sources. */
  readonly denied: number;
  /** Responses with a status of 500 to 599, those of the proxy itself included. */
  readonly serverErrors: number;
  /** Open now. */
  readonly sessions: number;
}

/** The reply is no such listing, or incomplete. */
export class StatsUnreadable extends Error {
  override readonly name = 'StatsUnreadable';
}

const COLUMNS = ['pxname', 'svname', 'scur', 'dreq', 'hrsp_5xx', 'req_tot'] as const;
const KINDS: Readonly<Record<string, ProxyStat['kind']>> = { FRONTEND: 'frontend', BACKEND: 'backend' };

/**
 * @param prefix `` on the stats socket, `@1 ` on the master's
 * @throws MasterSocketError, StatsUnreadable
 */
export async function readProxyStats(
  socket: MasterSocket,
  prefix: '' | '@1 ',
  deadline: Deadline,
): Promise<readonly ProxyStat[]> {
  const conversation = await socket.converse(deadline, { reader: true });
  try {
    const listing = new StatListing();
    await conversation.streamLines(`${prefix}show stat -1 3 -1`, (lines) => listing.take(lines));
    return listing.end();
  } finally {
    conversation.close();
  }
}

/** Parses the lines of one listing, in batches of any size. */
export class StatListing {
  readonly #stats: ProxyStat[] = [];
  /** Indexes of the columns; null before the header line. */
  #indexes: readonly number[] | null = null;
  /** Number of leading fields that contain all of them. */
  #width = 0;

  /** @throws StatsUnreadable */
  take(lines: readonly string[]): void {
    for (const line of lines) {
      if (this.#indexes === null) this.#readHeader(line);
      else this.#readLine(line, this.#indexes);
    }
  }

  /** @throws StatsUnreadable when not even a header came */
  end(): readonly ProxyStat[] {
    if (this.#indexes === null) throw new StatsUnreadable('the proxy listed nothing');
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
    // Up to the last needed column only a name, which a template may choose, can be in quotes.
    const fields = line.includes('"') ? (splitFields(line) ?? []) : line.split(',', this.#width);
    if (fields.length < this.#width)
      throw new StatsUnreadable(`a line is incomplete: ${JSON.stringify(line.slice(0, 80))}`);
    const [name = '', kind = '', sessions, denied, serverErrors, requests] = indexes.map((index) => fields[index]);
    const known = KINDS[kind];
    if (known === undefined) return;
    this.#stats.push({
      kind: known,
      name,
      requests: count(requests),
      denied: count(denied),
      serverErrors: count(serverErrors),
      sessions: count(sessions),
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
