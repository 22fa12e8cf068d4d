import type { ServiceEvent } from './service-event.ts';

const maxEvents = 500;
/** Milliseconds between two updates: a burst of events is shown in a few steps a second. */
const batchMs = 150;

export class EventLog {
  readonly #listeners = new Set<() => void>();
  readonly #batchListeners = new Set<(events: readonly ServiceEvent[]) => void>();
  #events: readonly ServiceEvent[] = [];
  #queued: ServiceEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;

  get events(): readonly ServiceEvent[] {
    return this.#events;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** `onBatch` is called with the new events, oldest first. */
  onNew(onBatch: (events: readonly ServiceEvent[]) => void): () => void {
    this.#batchListeners.add(onBatch);
    return () => this.#batchListeners.delete(onBatch);
  }

  readonly add = (event: ServiceEvent): void => {
    this.#queued.push(event);
    this.#timer ??= setTimeout(() => this.#publish(), batchMs);
  };

  clear(): void {
    this.#queued = [];
    this.#events = [];
    for (const listener of this.#listeners) listener();
  }

  #publish(): void {
    this.#timer = null;
    const batch = this.#queued;
    if (batch.length === 0) return;
    this.#queued = [];
    this.#events = [...batch.slice(-maxEvents).reverse(), ...this.#events].slice(0, maxEvents);
    for (const listener of this.#listeners) listener();
    for (const onBatch of this.#batchListeners) onBatch(batch);
  }
}
