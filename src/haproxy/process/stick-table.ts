// A stick table: `show table NAME`, or with a filter only what is active. A header line, then a line for each entry:
//
//     # table: pm_denied, type: ipv6, size:102400, used:3
//     0x7f84de2adb10: key=::ffff:192.0.2.7 use=0 exp=86399181 shard=0 gpc0=2 gpc0_rate(60000)=2
//
// 2.6 has no `shard`. There may be 100,000 entries (9 MB), so lines are parsed as they come.

export interface TableHead {
  readonly name: string;
  /** Entries that it holds at most. */
  readonly size: number;
  readonly used: number;
}

export interface TableEntry {
  readonly key: string;
  /** Until HAProxy forgets it; each use starts this time again. */
  readonly expiresInMs: number;
  /** In the order of the stores that were asked for; a rate is per its own period. */
  readonly values: readonly number[];
}

export class TableUnreadable extends Error {
  override readonly name = 'TableUnreadable';
}

/** A store of the table, without the period of a rate: `gpc0`, `gpc0_rate`, `http_req_cnt`. */
export type Store = string;

/**
 * @param active lists only entries whose value of this store, usually a rate, is above 0: a listing of the whole table
 * stops HAProxy's threads for some ms (100,000 entries)
 */
export function showTable(name: string, active?: Store): string {
  return active === undefined ? `show table ${name}` : `show table ${name} data.${active} gt 0`;
}

/** Accepts batches of any size. */
export class TableListing {
  readonly #stores: readonly Store[];
  readonly #onEntry: (entry: TableEntry) => void;
  #head: TableHead | null | undefined;

  constructor(stores: readonly Store[], onEntry: (entry: TableEntry) => void) {
    this.#stores = stores;
    this.#onEntry = onEntry;
  }

  /** @throws TableUnreadable */
  take(lines: readonly string[]): void {
    for (const line of lines) {
      if (this.#head === undefined) this.#head = headOf(line);
      else this.#onEntry(this.#entryOf(line));
    }
  }

  /** Null: the configuration has no such table. @throws TableUnreadable without a header */
  end(): TableHead | null {
    if (this.#head === undefined) throw unreadable('');
    return this.#head;
  }

  /** Without splitting it, which takes almost three times as long. */
  #entryOf(line: string): TableEntry {
    const [from, to] = keyIn(line);
    const key = line.slice(from, to);
    // A blank in a key is escaped, `a\ b`: none that we read has one.
    if (!line.startsWith('0x') || from < 0 || to < 0 || key.includes('\\')) throw unreadable(line);
    return {
      key,
      expiresInMs: numberOf(line, to, 'exp'),
      values: this.#stores.map((store) => numberOf(line, to, store)),
    };
  }
}

const keyMark = ' key=';

/** Where it begins and ends; negative: the line has none. */
function keyIn(line: string): [from: number, to: number] {
  // It is the first word after the pointer.
  const at = line.indexOf(' ');
  if (!line.startsWith(keyMark, at)) return [-1, -1];
  const from = at + keyMark.length;
  return [from, line.indexOf(' ', from)];
}

/** `size:102400, used:3`. */
function headOf(line: string): TableHead | null {
  if (line.startsWith('No such table')) return null;
  const [, name, size, used] = /^# table: (\S+), type: [a-z0-9]+, size:(\d+), used:(\d+)$/.exec(line) ?? [];
  if (name === undefined) throw unreadable(line);
  return { name, size: Number(size), used: Number(used) };
}

const mostDigits = 15;
const zero = 48;

/** `gpc0=2`, `gpc0_rate(60000)=2`. @param from after the key, which may contain anything */
function numberOf(line: string, from: number, name: string): number {
  const word = ` ${name}`;
  let at = line.indexOf(word, from);
  // A word that only begins with the name, such as that of its rate, is another store.
  while (at >= 0 && line[at + word.length] !== '=' && line[at + word.length] !== '(') at = line.indexOf(word, at + 1);
  if (at < 0) throw unreadable(line);
  const end = line.indexOf(' ', at + 1);
  const start = line.indexOf('=', at) + 1;
  const last = end < 0 ? line.length : end;
  if (start === 0 || start >= last || last - start > mostDigits) throw unreadable(line);
  let value = 0;
  for (let place = start; place < last; place += 1) {
    const digit = line.charCodeAt(place) - zero;
    if (digit < 0 || digit > 9) throw unreadable(line);
    value = value * 10 + digit;
  }
  return value;
}

function unreadable(line: string): TableUnreadable {
  return new TableUnreadable(`the reply is no such table: ${JSON.stringify(line.slice(0, 120))}`);
}
