// Records which buckets of the fingerprint changed while a worker's map was listed: the listing proves all others.
import { bucketCount, bucketOf } from '../compare/fingerprint.ts';

/** A bulk change touches a million. */
const textsAtMost = 20_000;

export class ChangeWindow {
  #tainted: Uint8Array | undefined;
  #texts: Set<string> | null = new Set();

  /** 1: something in this bucket changed while the window was open. Absent: nothing did. */
  get tainted(): Uint8Array | undefined {
    return this.#tainted;
  }

  isTainted(text: string): boolean {
    return this.#tainted !== undefined && this.#tainted[bucketOf(text)] !== 0;
  }

  /** Null: more than the limit. */
  get touched(): ReadonlySet<string> | null {
    return this.#texts;
  }

  /** Beyond the limit, whether its bucket changed. */
  mayHaveChanged(text: string): boolean {
    return this.#texts === null ? this.isTainted(text) : this.#texts.has(text);
  }

  touch(texts: readonly string[]): void {
    for (const text of texts) {
      this.#tainted ??= new Uint8Array(bucketCount);
      this.#tainted[bucketOf(text)] = 1;
      this.#texts?.add(text);
    }
    if (this.#texts !== null && this.#texts.size > textsAtMost) this.#texts = null;
  }
}

/** Buckets that no listing of a series has proved yet: in each listing they changed meanwhile. */
export class UnprovedBuckets {
  /** Null: all. */
  #left: readonly number[] | null = null;

  /** @returns how many are left after a listing during `window` */
  prove({ tainted }: ChangeWindow): number {
    if (tainted === undefined) this.#left = [];
    else if (this.#left === null) this.#left = [...tainted.keys()].filter((bucket) => tainted[bucket] !== 0);
    else this.#left = this.#left.filter((bucket) => tainted[bucket] !== 0);
    return this.#left.length;
  }
}

export class ChangeWindows {
  readonly #open = new Set<ChangeWindow>();
  readonly #inFlight = new Set<readonly string[]>();

  open(): ChangeWindow {
    const window = new ChangeWindow();
    this.#open.add(window);
    for (const texts of this.#inFlight) window.touch(texts);
    return window;
  }

  close(window: ChangeWindow): void {
    this.#open.delete(window);
  }

  /** Call before the first effect of a change; call the returned function after its last. */
  begin(texts: readonly string[]): () => void {
    this.#inFlight.add(texts);
    for (const window of this.#open) window.touch(texts);
    return () => {
      this.#inFlight.delete(texts);
    };
  }
}
