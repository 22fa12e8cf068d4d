// A map as a worker of HAProxy keeps it: entries in the order they came, duplicates included, versions apart, lookups by
// the longest prefix. The contract suite holds it to what the real ones do.

export interface ScriptedEntry {
  /** As `show map` prints it. */
  readonly element: string;
  readonly key: string;
  value: string;
  readonly version: number;
}

/** The bits of an address or network as a string of 0 and 1, cut to its prefix; null when it is none. */
function bitsOf(key: string): { family: 4 | 6; bits: string } | null {
  const [address = '', prefix] = key.split('/');
  if (prefix !== undefined && !/^\d+$/.test(prefix)) return null;
  const words = address.includes(':') ? wordsOfIpv6(address) : wordsOfIpv4(address);
  if (words === null) return null;
  const size = address.includes(':') ? 16 : 8;
  const bits = words.map((word) => word.toString(2).padStart(size, '0')).join('');
  const length = prefix === undefined ? bits.length : Number(prefix);
  return length > bits.length ? null : { family: size === 16 ? 6 : 4, bits: bits.slice(0, length) };
}

function wordsOfIpv4(address: string): number[] | null {
  const parts = address.split('.');
  const good = parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256);
  return good ? parts.map(Number) : null;
}

function wordsOfIpv6(address: string): number[] | null {
  const [left = '', right, more] = address.split('::');
  const words = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [first, last] = [words(left), words(right ?? '')];
  const gap = 8 - first.length - last.length;
  if (more !== undefined || (right === undefined ? gap !== 0 : gap < 1)) return null;
  const all = [...first, ...Array<string>(gap).fill('0'), ...last];
  return all.every((word) => /^[0-9a-f]{1,4}$/i.test(word)) ? all.map((word) => Number.parseInt(word, 16)) : null;
}

export class ScriptedMap {
  entries: ScriptedEntry[] = [];
  current = 0;
  next = 0;
  /** 'one': `del map` removes the first of several duplicates and `set map` sets the last, as 3.4.0 does in places. */
  byKey: 'all' | 'one' = 'all';
  #made = 0;

  constructor(lines: readonly string[] = []) {
    for (const line of lines) {
      const [key = '', value = ''] = line.split(' ');
      this.#push(key, value, 0);
    }
  }

  live(): ScriptedEntry[] {
    return this.entries.filter((entry) => entry.version === this.current);
  }

  get(address: string): string {
    const wanted = bitsOf(address.includes(':') ? address : address.replace(/\/\d+$/, ''));
    let best: { entry: ScriptedEntry; length: number } | null = null;
    for (const entry of wanted === null || address.includes(':/') ? [] : this.live()) {
      const bits = bitsOf(entry.key);
      if (bits === null || bits.family !== wanted?.family || !wanted.bits.startsWith(bits.bits)) continue;
      if (best === null || bits.bits.length > best.length) best = { entry, length: bits.bits.length };
    }
    if (best === null) return 'type=ip, case=sensitive, found=no\n';
    const { key, value } = best.entry;
    return `type=ip, case=sensitive, found=yes, idx=tree, key="${key}", value="${value}", type="str"\n`;
  }

  add(key: string, value: string, version = this.current): string {
    if (version !== this.current && (version <= this.current || version > this.next)) {
      return "Version number in the future, please use 'prepare map' before.\n";
    }
    if (bitsOf(key) === null) return `'${key}' is not a valid IPv4 or IPv6 address.\n`;
    this.#push(key, value, version);
    return '';
  }

  /** `key` may be `#` and an element. */
  del(key: string): string {
    const hit = this.#named(key);
    const gone = new Set(this.byKey === 'all' ? hit : hit.slice(0, 1));
    this.entries = this.entries.filter((entry) => !gone.has(entry));
    return gone.size === 0 ? 'Key not found.\n' : '';
  }

  /** `key` may be `#` and an element. */
  set(key: string, value: string): string {
    const hit = this.#named(key);
    for (const entry of this.byKey === 'all' ? hit : hit.slice(-1)) entry.value = value;
    return hit.length === 0 ? 'entry not found.\n' : '';
  }

  #named(key: string): ScriptedEntry[] {
    return this.entries.filter((entry) => entry.key === key || `#${entry.element}` === key);
  }

  #push(key: string, value: string, version: number): void {
    this.#made += 1;
    this.entries.push({ element: `0x${(0x5000 + 16 * this.#made).toString(16)}`, key, value, version });
  }

  show(version = this.current): string {
    const lines = this.entries.filter((entry) => entry.version === version);
    return lines.map(({ element, key, value }) => `${element} ${key} ${value}\n`).join('');
  }

  prepare(): string {
    this.next += 1;
    return `New version created: ${this.next}\n`;
  }

  commit(version: number): string {
    if (version <= this.current || version > this.next) return 'Version number out of range.\n';
    this.entries = this.entries.filter((entry) => entry.version >= version);
    this.current = version;
    return '';
  }
}
