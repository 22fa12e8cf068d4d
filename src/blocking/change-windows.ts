// While a worker's map is listed (0.1 s at a million entries) blocks go on. A window notes which buckets of the
// fingerprint were touched meanwhile: about those the listing proves nothing, about all others it does.
import { bucketCount, bucketOf } from './fingerprint.ts';

export class ChangeWindow {
  /** 1: something in this bucket changed while the window was open. */
  readonly tainted = new Uint8Array(bucketCount);

  isTainted(text: string): boolean {
    return this.tainted[bucketOf(text)] !== 0;
  }
}

export class ChangeWindows {
  readonly #open = new Set<ChangeWindow>();
  readonly #inFlight = new Set<readonly string[]>();

  open(): ChangeWindow {
    const window = new ChangeWindow();
    this.#open.add(window);
    for (const texts of this.#inFlight) taint(window, texts);
    return window;
  }

  close(window: ChangeWindow): void {
    this.#open.delete(window);
  }

  /** To be called before the first of a change's effects; the returned function after its last. */
  begin(texts: readonly string[]): () => void {
    this.#inFlight.add(texts);
    for (const window of this.#open) taint(window, texts);
    return () => {
      this.#inFlight.delete(texts);
    };
  }
}

function taint(window: ChangeWindow, texts: readonly string[]): void {
  for (const text of texts) window.tainted[bucketOf(text)] = 1;
}
