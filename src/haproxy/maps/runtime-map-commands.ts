// The map commands of rules 1 to 3: `@1` (or `@!<pid>`) first, the map by its path, the value of the key.
import { MAX_COMMAND_BYTES, PayloadCommand } from '../socket/conversation-command.ts';

export type WorkerRef =
  | { readonly kind: 'current' }
  | { readonly kind: 'pid'; readonly pid: number }
  /** By pid, the commands that change or look up single entries in lines (`WorkerLine`). */
  | { readonly kind: 'line'; readonly pid: number };

export const CURRENT: WorkerRef = { kind: 'current' };

/** The value that each key of the map is to have. */
export type ValueFor = (key: string) => string;

/** The one value that blocks (rule 3), and that trusts. */
export const alwaysOne: ValueFor = () => '1';

/** A key or path that must not reach the command line (promise 8); a fault of the caller. */
export class UnsafeArgumentError extends Error {
  override readonly name = 'UnsafeArgumentError';
}

// A blank, a backslash, a quote or `;` would end or change the argument; `#<id>` would name another map tomorrow.
const PATH = /^\/[^\s;\\"'<>\p{Cc}]+$/u;

/** What a map is looked up by. */
export type MapKeys = 'addresses' | 'names' | 'challenges';

interface KeyForm {
  readonly key: RegExp;
  readonly what: string;
  readonly value: RegExp;
  /** A key that need not be there. */
  readonly sample: string;
}

const FORMS: Readonly<Record<MapKeys, KeyForm>> = {
  addresses: {
    // Everything that HAProxy's address parser can store; canonical form is the caller's responsibility.
    key: /^(?=.*[.:])[0-9A-Fa-f:][0-9A-Fa-f:./]{1,63}$/,
    what: 'an IP address or network',
    value: /^[0-9]{1,3}$/,
    sample: '192.0.2.1',
  },
  // Host names in lower case, and wildcards.
  names: {
    key: /^(?:\*\.)?[a-z0-9](?:[a-z0-9._-]{0,252})$/,
    what: 'a host name',
    value: /^[a-z0-9]{1,10}(?::[a-z0-9]{1,10}){0,3}$/,
    sample: 'sample.invalid',
  },
  // Paths of http-01 (RFC 8555, 8.3), with key authorizations.
  challenges: {
    key: /^\/\.well-known\/acme-challenge\/[A-Za-z0-9_-]{16,200}$/,
    what: 'the path of a challenge',
    value: /^[A-Za-z0-9_-]{16,200}\.[A-Za-z0-9_-]{43}$/,
    sample: '/.well-known/acme-challenge/sample-that-is-not-there',
  },
};

const ELEMENT = /^0x[0-9a-f]{1,16}$/;

export function checkMapPath(path: string): string {
  return checkPath(path, 'a map');
}

/** @param what for the error, such as `a map` */
export function checkPath(path: string, what: string): string {
  if (PATH.test(path)) return path;
  throw new UnsafeArgumentError(
    `${JSON.stringify(path)} cannot name ${what} on the command line: give an absolute path without blanks, quotes, backslashes and ";"`,
  );
}

export function checkKey(key: string, keys: MapKeys = 'addresses'): string {
  if (FORMS[keys].key.test(key)) return key;
  throw new UnsafeArgumentError(`${JSON.stringify(key.slice(0, 80))} is not ${FORMS[keys].what}`);
}

/** An entry by its address in the worker's memory, as in `show map`: `0x7f8b9d9d29e0`. */
function checkElement(element: string): string {
  if (ELEMENT.test(element)) return `#${element}`;
  throw new UnsafeArgumentError(`${JSON.stringify(element.slice(0, 80))} is not an element of a map`);
}

function checkValue(value: string, keys: MapKeys): string {
  if (FORMS[keys].value.test(value)) return value;
  throw new UnsafeArgumentError(`${JSON.stringify(value.slice(0, 80))} is not a value of a map`);
}

export interface MapOnCommandLine {
  readonly path: string;
  /** Absent: 1. */
  readonly valueFor?: ValueFor;
  /** Absent: addresses. */
  readonly keys?: MapKeys;
}

export class MapCommands {
  readonly target: string;
  readonly valueFor: ValueFor;
  readonly #path: string;
  readonly #keys: MapKeys;

  constructor({ path, valueFor = alwaysOne, keys = 'addresses' }: MapOnCommandLine, worker: WorkerRef) {
    this.#path = path;
    this.#keys = keys;
    this.valueFor = valueFor;
    this.target = worker.kind === 'current' ? '@1' : `@!${worker.pid}`;
  }

  /** For a network, its first address: an IPv6 network as argument answers `found=no` (2.6.12, 3.0.11). */
  get(key: string): string {
    const text = this.#key(key);
    return `${this.target} get map ${this.#path} ${this.#keys === 'addresses' ? firstAddress(text) : text}`;
  }

  /** Of a key that need not be there. */
  getSample(): string {
    return this.get(FORMS[this.#keys].sample);
  }

  add(key: string, version?: number): string {
    return `${this.target} add map ${this.#at(version)} ${this.#entry(key)}`;
  }

  /** The keys in as few payloads as possible. */
  addAll(keys: readonly string[], version?: number): { command: PayloadCommand; keys: readonly string[] }[] {
    const head = `${this.target} add map ${this.#at(version)}`;
    const chunks: { command: PayloadCommand; keys: readonly string[] }[] = [];
    const room = MAX_COMMAND_BYTES - Buffer.byteLength(head) - ' <<\n\n'.length;
    let lines: string[] = [];
    let from = 0;
    let used = 0;
    const cut = (to: number): void => {
      chunks.push({ command: new PayloadCommand(head, lines), keys: keys.slice(from, to) });
      lines = [];
      from = to;
      used = 0;
    };
    for (const [index, key] of keys.entries()) {
      const line = this.#entry(key);
      const size = line.length + '\n'.length;
      if (used + size > room) cut(index);
      lines.push(line);
      used += size;
    }
    if (from < keys.length) cut(keys.length);
    return chunks;
  }

  set(key: string): string {
    return `${this.target} set map ${this.#path} ${this.#entry(key)}`;
  }

  del(key: string): string {
    return `${this.target} del map ${this.#path} ${this.#key(key)}`;
  }

  /** Duplicates of the key keep their values. */
  setElement(element: string, key: string): string {
    return `${this.target} set map ${this.#path} ${checkElement(element)} ${checkValue(this.valueFor(key), this.#keys)}`;
  }

  /** Duplicates of the key stay. */
  delElement(element: string): string {
    return `${this.target} del map ${this.#path} ${checkElement(element)}`;
  }

  show(version?: number): string {
    return `${this.target} show map ${this.#at(version)}`;
  }

  list(): string {
    return `${this.target} show map`;
  }

  prepare(): string {
    return `${this.target} prepare map ${this.#path}`;
  }

  commit(version: number): string {
    return `${this.target} commit map ${this.#at(version)}`;
  }

  #entry(key: string): string {
    return `${this.#key(key)} ${checkValue(this.valueFor(key), this.#keys)}`;
  }

  #key(key: string): string {
    return checkKey(key, this.#keys);
  }

  #at(version: number | undefined): string {
    return version === undefined ? this.#path : `@${version} ${this.#path}`;
  }
}

function firstAddress(key: string): string {
  const slash = key.indexOf('/');
  return slash === -1 ? key : key.slice(0, slash);
}

const isIpv6 = (key: string): boolean => key.includes(':');

/** Prefix length of the key in bits; null for a form that only HAProxy understands (`10.0.0.0/255.0.0.0`). */
function prefixLength(key: string): number | null {
  const slash = key.indexOf('/');
  if (slash === -1) return isIpv6(key) ? 128 : 32;
  const bits = key.slice(slash + 1);
  return /^\d+$/.test(bits) ? Number(bits) : null;
}

/**
 * Whether a lookup that found `found` says nothing about `wanted`: the longest prefix wins, and of two spellings of one
 * network the older entry. An entry of the other family is only found when there is none of the own family.
 */
export function hides(found: string, wanted: string): boolean {
  if (found === wanted || isIpv6(found) !== isIpv6(wanted)) return false;
  const bits = prefixLength(found);
  return bits === null || bits >= (prefixLength(wanted) ?? 0);
}
