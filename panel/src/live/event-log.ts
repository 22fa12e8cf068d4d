// What the event stream told since the panel was opened, the newest first; bounded.
import type { ServiceEvent } from './service-event.ts';

const mostKept = 500;
/** A storm of events is shown in a few steps a second. */
const tellEveryMs = 150;

export class EventLog {
  readonly #listeners = new Set<() => void>();
  readonly #hearers = new Set<(events: readonly ServiceEvent[]) => void>();
  #events: readonly ServiceEvent[] = [];
  #untold: ServiceEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;

  get events(): readonly ServiceEvent[] {
    return this.#events;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** `hear` is called with what is new, the oldest first; all that came within a moment at once. */
  onNew(hear: (events: readonly ServiceEvent[]) => void): () => void {
    this.#hearers.add(hear);
    return () => this.#hearers.delete(hear);
  }

  readonly add = (event: ServiceEvent): void => {
    this.#untold.push(event);
    this.#timer ??= setTimeout(() => this.#tell(), tellEveryMs);
  };

  clear(): void {
    this.#untold = [];
    this.#events = [];
    for (const listener of this.#listeners) listener();
  }

  #tell(): void {
    this.#timer = null;
    const told = this.#untold;
    if (told.length === 0) return;
    this.#untold = [];
    this.#events = [...told.slice(-mostKept).reverse(), ...this.#events].slice(0, mostKept);
    for (const listener of this.#listeners) listener();
    for (const hear of this.#hearers) hear(told);
  }
}
