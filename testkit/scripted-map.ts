// A worker's map: entries in insertion order with duplicates, versions, longest-prefix lookups. The contract suite
// compares it with real ones.

interface ScriptedEntry {
  /** As `show map` prints it. */
  readonly element: string;
  readonly key: string;
  value: string;
  readonly version: number;
}

/** By name, in insertion order. */
type Index = Map<string, Set<ScriptedEntry>>;

interface Bits {
  readonly family: 4 | 6;
  readonly bits: string;
}

/** The prefix as a string of 0 and 1; null: not an address. */
function bitsOf(key: string): Bits | null {
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
  current = 0;
  next = 0;
  /** 'one': with duplicates `del map` removes the first and `set map` sets the last, as 3.4.0 sometimes does. */
  byKey: 'all' | 'one' = 'all';
  #made = 0;
  readonly #entries = new Set<ScriptedEntry>();
  // An index, because tests query thousands of times with thousands of entries.
  readonly #byKey: Index = new Map();
  readonly #byBits: Index = new Map();
  readonly #byElement = new Map<string, ScriptedEntry>();
  /** Elements of removed entries are reused, the last removed first, as real ones sometimes do. */
  readonly #free: string[] = [];

  readonly #keys: 'addresses' | 'names';

  /** @param keys a map with names is looked up by the exact key */
  constructor(lines: readonly string[] = [], keys: 'addresses' | 'names' = 'addresses') {
    this.#keys = keys;
    for (const line of lines) {
      const [key = '', value = ''] = line.split(' ');
      this.#push(key, value, 0);
    }
  }

  get entries(): readonly ScriptedEntry[] {
    return [...this.#entries];
  }

  set entries(entries: readonly ScriptedEntry[]) {
    for (const entry of this.#entries) this.#remove(entry);
    for (const entry of entries) this.#insert(entry);
  }

  get size(): number {
    return this.#entries.size;
  }

  live(): ScriptedEntry[] {
    return this.entries.filter((entry) => entry.version === this.current);
  }

  get(address: string): string {
    if (this.#keys === 'names') return this.#getName(address);
    const wanted = bitsOf(address.includes(':') ? address : address.replace(/\/\d+$/, ''));
    const best = wanted === null || address.includes(':/') ? undefined : this.#longest(wanted);
    if (best === undefined) return 'type=ip, case=sensitive, found=no\n';
    const { key, value } = best;
    return `type=ip, case=sensitive, found=yes, idx=tree, key="${key}", value="${value}", type="str"\n`;
  }

  #getName(name: string): string {
    const found = [...(this.#byKey.get(name) ?? [])].find(({ version }) => version === this.current);
    if (found === undefined) return 'type=str, case=sensitive, found=no\n';
    return `type=str, case=sensitive, found=yes, idx=tree, key="${name}", value="${found.value}", type="str"\n`;
  }

  #longest({ family, bits }: Bits): ScriptedEntry | undefined {
    for (let length = bits.length; length >= 0; length -= 1) {
      for (const entry of this.#byBits.get(`${family} ${bits.slice(0, length)}`) ?? []) {
        if (entry.version === this.current) return entry;
      }
    }
    return undefined;
  }

  add(key: string, value: string, version = this.current): string {
    if (version !== this.current && (version <= this.current || version > this.next)) {
      return "Version number in the future, please use 'prepare map' before.\n";
    }
    if (this.#keys === 'addresses' && bitsOf(key) === null) return `'${key}' is not a valid IPv4 or IPv6 address.\n`;
    this.#push(key, value, version);
    return '';
  }

  /** `key` may be `#` and an element. */
  del(key: string): string {
    const hit = this.#named(key);
    for (const entry of this.byKey === 'all' ? hit : hit.slice(0, 1)) {
      this.#remove(entry);
      this.#free.push(entry.element);
    }
    return hit.length === 0 ? 'Key not found.\n' : '';
  }

  /** `key` may be `#` and an element. */
  set(key: string, value: string): string {
    const hit = this.#named(key);
    for (const entry of this.byKey === 'all' ? hit : hit.slice(-1)) entry.value = value;
    if (hit.length > 0) return '';
    return key.startsWith('#') ? 'key or pattern not found.\n' : 'entry not found.\n';
  }

  #named(key: string): ScriptedEntry[] {
    const element = key.startsWith('#') ? this.#byElement.get(key.slice(1)) : undefined;
    return element === undefined ? [...(this.#byKey.get(key) ?? [])] : [element];
  }

  #push(key: string, value: string, version: number): void {
    this.#insert({ element: this.#free.pop() ?? this.#newElement(), key, value, version });
  }

  #newElement(): string {
    this.#made += 1;
    return `0x${(0x5000 + 16 * this.#made).toString(16)}`;
  }

  #insert(entry: ScriptedEntry): void {
    this.#entries.add(entry);
    this.#byElement.set(entry.element, entry);
    for (const [index, name] of this.#namesOf(entry)) index.set(name, (index.get(name) ?? new Set()).add(entry));
  }

  #remove(entry: ScriptedEntry): void {
    this.#entries.delete(entry);
    this.#byElement.delete(entry.element);
    for (const [index, name] of this.#namesOf(entry)) {
      const named = index.get(name);
      named?.delete(entry);
      if (named?.size === 0) index.delete(name);
    }
  }

  #namesOf({ key }: ScriptedEntry): readonly (readonly [Index, string])[] {
    const bits = bitsOf(key);
    return [[this.#byKey, key], ...(bits === null ? [] : [[this.#byBits, `${bits.family} ${bits.bits}`] as const])];
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
    for (const entry of this.#entries) if (entry.version < version) this.#remove(entry);
    this.current = version;
    return '';
  }
}
