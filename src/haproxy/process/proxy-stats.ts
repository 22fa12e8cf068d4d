// What HAProxy itself has counted: `show stat -1 3 -1` lists every frontend and backend (3) and no server, some 350 bytes
// each, CSV under a header line. Thousands of them are read as they come, and of each line only the columns that are
// wanted. The counters are those of one worker process: they begin anew with each.
import type { Deadline, MasterSocket } from '../socket/master-socket.ts';
import { splitFields } from '../socket/show-stat.ts';

export interface ProxyStat {
  readonly kind: 'frontend' | 'backend';
  /** As the configuration has it. */
  readonly name: string;
  readonly requests: number;
  /** Refused by a rule, a blocked source by ours. */
  readonly denied: number;
  /** Answers with a status of 500 to 599, those that the proxy gave itself included. */
  readonly serverErrors: number;
  /** Open now. */
  readonly sessions: number;
}

/** The listing is none, or not whole. */
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
  // Whoever looks at numbers goes behind whoever blocks.
  const conversation = await socket.converse(deadline, { reader: true });
  try {
    const listing = new StatListing();
    await conversation.streamLines(`${prefix}show stat -1 3 -1`, (lines) => listing.take(lines));
    return listing.end();
  } finally {
    conversation.close();
  }
}

/** Takes the lines of one listing, in any pieces. */
export class StatListing {
  readonly #stats: ProxyStat[] = [];
  #places: readonly number[] | null = null;
  /** How many fields of a line have to be looked at. */
  #width = 0;

  /** @throws StatsUnreadable */
  take(lines: readonly string[]): void {
    for (const line of lines) {
      if (this.#places === null) this.#readHeader(line);
      else this.#readLine(line, this.#places);
    }
  }

  /** @throws StatsUnreadable when not even a header came */
  end(): readonly ProxyStat[] {
    if (this.#places === null) throw new StatsUnreadable('the proxy listed nothing');
    return this.#stats;
  }

  #readHeader(line: string): void {
    const columns = line.startsWith('# pxname,') ? line.slice(2).split(',') : [];
    const places = COLUMNS.map((name) => columns.indexOf(name));
    if (places.includes(-1))
      throw new StatsUnreadable(`it is no list of statistics: ${JSON.stringify(line.slice(0, 80))}`);
    this.#places = places;
    this.#width = Math.max(...places) + 1;
  }

  #readLine(line: string, places: readonly number[]): void {
    // Nothing in quotes stands before the columns that are looked at, but in a name that a template chose.
    const fields = line.includes('"') ? (splitFields(line) ?? []) : line.split(',', this.#width);
    if (fields.length < this.#width)
      throw new StatsUnreadable(`a line is not whole: ${JSON.stringify(line.slice(0, 80))}`);
    const [name = '', kind = '', sessions, denied, serverErrors, requests] = places.map((place) => fields[place]);
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

/** Empty where it does not apply: a proxy in TCP mode has no requests. */
function count(text: string | undefined): number {
  if (text === undefined || text === '') return 0;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new StatsUnreadable(`${JSON.stringify(text.slice(0, 40))} is no count`);
}
