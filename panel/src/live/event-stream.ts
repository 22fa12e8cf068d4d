// The service's event stream. Reconnects after the last received event. It counts as live only while bytes arrive: the
// service sends a heartbeat every 15 seconds.
import { createParser } from 'eventsource-parser';
import { ApiProblem } from '../../../src/client/client.ts';
import { readServiceEvent, type ServiceEvent } from './service-event.ts';

export type StreamState =
  /** `since` in milliseconds since 1970, as all times here. */
  | { readonly kind: 'off' | 'opening' | 'live'; readonly since: number }
  | { readonly kind: 'lost'; readonly since: number; readonly retryAt: number; readonly why: unknown };

interface EventStreamOptions {
  /** Opens the stream after the event `lastId`; null: from now on. Rejects as the API's client does. */
  readonly open: (lastId: string | null, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  readonly onEvent: (event: ServiceEvent) => void;
  readonly now?: () => number;
  /** Time-out between two bytes; milliseconds, as all of these. */
  readonly silence?: number;
  readonly firstPause?: number;
  readonly longestPause?: number;
}

export class EventStream {
  readonly #options: Required<EventStreamOptions>;
  readonly #listeners = new Set<() => void>();
  #state: StreamState;
  #lastId: string | null = null;
  #run: AbortController | null = null;

  constructor(options: EventStreamOptions) {
    this.#options = { now: Date.now, silence: 40_000, firstPause: 500, longestPause: 15_000, ...options };
    this.#state = { kind: 'off', since: this.#options.now() };
  }

  get state(): StreamState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  start(): void {
    if (this.#run !== null) return;
    this.#run = new AbortController();
    void this.#keepOpen(this.#run.signal);
  }

  stop(): void {
    if (this.#run === null) return;
    this.#run.abort();
    this.#run = null;
    this.#change({ kind: 'off', since: this.#options.now() });
  }

  async #keepOpen(stopped: AbortSignal): Promise<void> {
    const { now, firstPause, longestPause } = this.#options;
    let pause = firstPause;
    let lostSince: number | null = null;
    this.#change({ kind: 'opening', since: now() });
    while (!stopped.aborted) {
      const why = await this.#readOnce(stopped, () => {
        pause = firstPause;
        lostSince = null;
        this.#change({ kind: 'live', since: now() });
      });
      if (stopped.aborted) return;
      const requested = why instanceof ApiProblem ? (why.retryAfterSeconds ?? 0) * 1_000 : 0;
      const wait = Math.max(pause, requested);
      lostSince ??= now();
      this.#change({ kind: 'lost', since: lostSince, retryAt: now() + wait, why });
      await sleep(wait, stopped);
      pause = Math.min(longestPause, pause * 2);
    }
  }

  /** Reads one stream to its end; resolves with the reason it ended. */
  async #readOnce(stopped: AbortSignal, onLive: () => void): Promise<unknown> {
    const { open, onEvent, now, silence } = this.#options;
    const silent = new AbortController();
    const watch = (): ReturnType<typeof setTimeout> =>
      setTimeout(() => silent.abort(new Error('no heartbeat arrived in time')), silence);
    let timer = watch();
    const parser = createParser({
      onId: (id) => {
        this.#lastId = id;
      },
      onEvent: ({ data }) => {
        const event = readServiceEvent(data, now());
        if (event !== null) onEvent(event);
      },
    });
    try {
      const body = await open(this.#lastId, AbortSignal.any([stopped, silent.signal]));
      onLive();
      const decoder = new TextDecoder();
      for await (const bytes of body) {
        clearTimeout(timer);
        timer = watch();
        parser.feed(decoder.decode(bytes, { stream: true }));
      }
      return new Error('the service closed the stream');
    } catch (error) {
      return silent.signal.aborted ? silent.signal.reason : error;
    } finally {
      clearTimeout(timer);
    }
  }

  #change(state: StreamState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function sleep(milliseconds: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      stopped.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    stopped.addEventListener('abort', done);
  });
}
