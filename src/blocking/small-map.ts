// A map with few entries, such as the trusted addresses: the expected entries with their values, and the file.
import type { RuntimeMap } from '../haproxy/maps/runtime-map.ts';
import { Fingerprint } from './compare/fingerprint.ts';
import type { MapName, MirroredMap } from './mirrored-map.ts';
import { SmallMapFile } from './small-map-file.ts';

/** HAProxy finds no entry with this value, as with none at all: for keys that the map is not to hold. */
export const absentValue = '0';

/** `add`: new entries, and those with another value. */
export function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): { readonly add: string[]; readonly remove: string[] } {
  return {
    add: [...after].filter(([key, value]) => before.get(key) !== value).map(([key]) => key),
    remove: [...before.keys()].filter((key) => !after.has(key)),
  };
}

interface SmallMapDeps {
  readonly name: MapName;
  readonly path: string;
  readonly runtime: RuntimeMap;
  /** Reads the database again. */
  readonly reread: () => Promise<void>;
  /** The live configuration does not use it. */
  readonly unused: () => boolean;
  /** False: a worker of an earlier configuration may not have loaded it. */
  readonly inEveryWorker: boolean;
}

export class SmallMap implements MirroredMap {
  readonly file: SmallMapFile;
  readonly #deps: SmallMapDeps;
  readonly #values = new Map<string, string>();
  #expected = new Fingerprint();

  constructor(deps: SmallMapDeps) {
    this.#deps = deps;
    this.file = new SmallMapFile(deps.path);
  }

  get name(): MapName {
    return this.#deps.name;
  }

  get runtime(): RuntimeMap {
    return this.#deps.runtime;
  }

  get expected(): Fingerprint {
    return this.#expected;
  }

  get unusedByConfiguration(): boolean {
    return this.#deps.unused();
  }

  get inEveryWorker(): boolean {
    return this.#deps.inEveryWorker;
  }

  get size(): number {
    return this.#values.size;
  }

  valueFor(key: string): string {
    return this.#values.get(key) ?? absentValue;
  }

  entries(): ReadonlyMap<string, string> {
    return this.#values;
  }

  replaceAll(entries: Iterable<readonly [key: string, value: string]>): void {
    this.#values.clear();
    this.#expected = new Fingerprint();
    for (const [key, value] of entries) this.hold(key, value);
  }

  hold(key: string, value = '1'): void {
    this.letGo(key);
    this.#values.set(key, value);
    this.#expected.add(key, value);
  }

  letGo(key: string): void {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#values.delete(key);
    this.#expected.remove(key, value);
  }

  async *scan(): AsyncIterable<readonly string[]> {
    yield [...this.#values.keys()];
  }

  async reread(): Promise<void> {
    await this.#deps.reread();
  }

  async members(texts: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(texts.filter((text) => this.#values.has(text)));
  }
}
