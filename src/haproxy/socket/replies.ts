// What HAProxy's replies mean. Each command has a list of good replies; any other reply is a failure, reported
// literally: replies carry no severity on 2.6, and the relay's exit status proves nothing.
//
// A body is a reply without the empty line that ends it; an empty reply ("\n" on the wire) is the body ''.

export interface MapEntry {
  readonly key: string;
  readonly value: string;
}

// get map P 10.1.1.1   type=ip, case=sensitive, found=yes, idx=tree, key="10.0.0.0/8", value="1", type="str"
//                      type=ip, case=sensitive, found=no
// A value is not escaped (`value="a"b, c"` was seen), so its end is found from the end of the line.
// Of a map with names as keys: type=str, and the same otherwise.
const FOUND = /^type=(?:ip|str), case=sensitive, found=yes, idx=tree, key="([^"]+)", value="(.*)", type="[a-z0-9]+"$/;
const NOT_FOUND = /^type=(?:ip|str), case=sensitive, found=no$/;

type GetMapReply =
  | { readonly found: false }
  | ({ readonly found: true } & MapEntry)
  | { readonly found: 'unknown'; readonly unknown: string };

/**
 * `key` is the entry that matched, perhaps a network that contains the requested address. A map used in two types
 * (`map_ip` and `map_ip_int`) answers one line for each; they must agree.
 */
export function parseGetMap(body: string): GetMapReply {
  const lines = body.split('\n');
  const first = lines[0] ?? '';
  if (lines.every((line) => NOT_FOUND.test(line))) return { found: false };
  const match = FOUND.exec(first);
  const [key, value] = [match?.[1], match?.[2]];
  if (key === undefined || value === undefined) return { found: 'unknown', unknown: body };
  for (const line of lines) {
    const other = FOUND.exec(line);
    if (other?.[1] !== key || other[2] !== value) return { found: 'unknown', unknown: body };
  }
  return { found: true, key, value };
}

/** In how many types the configuration uses the map. Null for any other reply. */
export function parseUses(getMapBody: string): number | null {
  const lines = getMapBody.split('\n');
  return lines.every((line) => NOT_FOUND.test(line) || FOUND.test(line)) ? lines.length : null;
}

/** Rule 6: any non-empty body is a rejection, known text or not. */
export function isGoodAdd(body: string): boolean {
  return body === '';
}

export const KEY_NOT_FOUND = 'Key not found.';
/** `set map P #0x7f8b9d9d29e0 1` of an entry that is gone. */
export const ELEMENT_NOT_FOUND = 'key or pattern not found.';

const UNKNOWN_MAP = 'Unknown map identifier';

/** The worker has not loaded the map, as no rule of its configuration names it. */
export function isUnknownMap(body: string): boolean {
  return body.startsWith(UNKNOWN_MAP);
}

/** Rule 5: an absent key is the requested state. */
export function isGoodDelete(body: string): boolean {
  return body === '' || body === KEY_NOT_FOUND;
}

/** The one mutating command whose good reply is not empty: exactly `New version created: <n>`. */
export function parsePrepare(body: string): number | null {
  const version = /^New version created: ([1-9]\d{0,9})$/.exec(body)?.[1];
  return version === undefined ? null : Number(version);
}

/**
 * A line of `show map P`: `0x7f8b9d9d29e0 1.2.3.4 1`. The value may be empty or contain blanks; the key contains none.
 */
export function parseShowMapLine(line: string): MapEntry | null {
  if (!line.startsWith('0x')) return null;
  const beforeKey = line.indexOf(' ');
  if (beforeKey < 3 || !isHex(line, 2, beforeKey)) return null;
  const afterKey = line.indexOf(' ', beforeKey + 1);
  if (beforeKey === -1 || afterKey <= beforeKey + 1) return null;
  return { key: line.slice(beforeKey + 1, afterKey), value: line.slice(afterKey + 1) };
}

/** Of a line that `parseShowMapLine` could read. */
export function elementOf(line: string): string {
  return line.slice(0, line.indexOf(' '));
}

/** Without a regular expression: called for every line of a million. */
function isHex(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (!((code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66))) return false;
  }
  return true;
}

interface MapListing {
  readonly id: number;
  readonly file: string;
  /** 0 where the version has no versioned maps (below 2.4). */
  readonly currentVersion: number;
  readonly nextVersion: number;
  /** Entries times the types in which the map is used, those of pending versions included (2.6.12, 3.0.11). */
  readonly entryCount: number | null;
}

// 0 (/path/b.map) pattern loaded from file '/path/b.map' used by map at file 't.cfg' line 11. curr_ver=0 next_ver=0 entry_cnt=2
const LISTED = /^(\d{1,10}) \((.*?)\) pattern loaded from /;
const COUNTS = /\. curr_ver=(\d{1,10}) next_ver=(\d{1,10}) entry_cnt=(\d{1,15})$/;
const MENTIONS_VERSIONS = /curr_ver|next_ver|entry_cnt/;

/** `show map` without a name. Null when any line is not that of a listing. */
export function parseShowMapListing(body: string): MapListing[] | null {
  const [header, ...lines] = body.split('\n');
  if (header !== '# id (file) description') return null;
  const listings: MapListing[] = [];
  for (const line of lines) {
    const map = LISTED.exec(line);
    // Maps without a file (`virt@`, later versions) have another form; the service uses none.
    if (map?.[1] === undefined || map[2] === undefined) {
      if (/^-?\d+ \(/.test(line)) continue;
      return null;
    }
    const counts = COUNTS.exec(line);
    if (counts === null && MENTIONS_VERSIONS.test(line.slice(map[0].length))) return null;
    listings.push({
      id: Number(map[1]),
      file: map[2],
      currentVersion: Number(counts?.[1] ?? 0),
      nextVersion: Number(counts?.[2] ?? 0),
      entryCount: counts?.[3] === undefined ? null : Number(counts[3]),
    });
  }
  return listings;
}

const BUSY = 'Another reload is still in progress.';

export type ReloadReply =
  /** On 2.6: accepted or dropped; only a new worker's pid shows which. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'success' | 'failure'; readonly log: string }
  /** Not accepted: the worker of an earlier reload is still starting (3.1 and newer). */
  | { readonly kind: 'busy' }
  | { readonly kind: 'unknown'; readonly text: string };

/**
 * Since 2.7: `Success=1` or `Success=0`, `--`, and the start-up log, which may contain empty lines. From 3.1 on
 * `Success=0` during another reload means that nothing was tried.
 */
export function parseReload(text: string): ReloadReply {
  if (text === '') return { kind: 'silent' };
  const match = /^Success=([01])\n(?:--\n([\s\S]*))?$/.exec(text);
  if (match === null) return { kind: 'unknown', text };
  const log = (match[2] ?? '').trimEnd();
  if (match[1] === '0' && log === BUSY) return { kind: 'busy' };
  return { kind: match[1] === '1' ? 'success' : 'failure', log };
}

/**
 * The master's reply to `@!<pid>` of a process that is gone, or still starting (3.1 and newer); it then closes. Only
 * the first line counts: the same reply for later commands may follow, or one for a fragment of them (3.0.11: `Unknown
 * command: '225'`, the end of an address).
 */
export function isWorkerGone(text: string): boolean {
  return /^Can't find the target PID matching the prefix '@?@!\d+'(?:\n|$)/.test(text);
}
