// Server-sent events (WHATWG HTML, 9.2). Keeps only the client's position, so that a slow client costs no memory.
import { Readable } from 'node:stream';
import type { FeedView } from '../events/event-feed.ts';
import type { EventsService } from './services.ts';

/** Reconnection time of clients. */
const retryMs = 2_000;

export interface StreamPace {
  /** Milliseconds, like the others. */
  readonly heartbeat: number;
  readonly keyCheck: number;
  /** How long a connection may accept no data. */
  readonly stalled: number;
}

interface EventStreamDeps {
  readonly events: EventsService;
  readonly view: FeedView;
  /** The last id that the client received; null: start now. */
  readonly from: string | null;
  readonly pace: StreamPace;
  readonly keyHolds: () => Promise<boolean>;
}

export class EventStream extends Readable {
  readonly #deps: EventStreamDeps;
  readonly #unsubscribe: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #keyCheck: NodeJS.Timeout;
  #position: number;
  #wanted = false;
  #wantedAt = performance.now();
  #ended = false;

  constructor(deps: EventStreamDeps) {
    super({ highWaterMark: 32_768 });
    this.#deps = deps;
    const { events, from, pace } = deps;
    const position = from === null ? events.newest() : events.positionOf(from);
    this.#position = position ?? events.newest();
    this.push(`retry: ${retryMs}\n${position === null ? this.#gap() : this.#here()}`);
    this.#unsubscribe = events.onMore(() => this.#pump());
    this.#heartbeat = setInterval(() => this.#beat(), pace.heartbeat);
    this.#keyCheck = setInterval(() => this.checkKey(), pace.keyCheck);
  }

  checkKey(): void {
    // An unavailable database does not end the stream: that failure may be the next event.
    this.#deps.keyHolds().then(
      // At once, without the pending events.
      (holds) => (holds ? undefined : this.#end()),
      () => undefined,
    );
  }

  override _read(): void {
    this.#wanted = true;
    this.#wantedAt = performance.now();
    this.#pump();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#unsubscribe();
    clearInterval(this.#heartbeat);
    clearInterval(this.#keyCheck);
    done(error);
  }

  #pump(): void {
    while (this.#wanted && !this.destroyed && !this.#ended) {
      const { events, position, missed } = this.#deps.events.read(this.#position, this.#deps.view);
      this.#position = position;
      if (missed) this.#put(this.#gap());
      else if (events.length > 0) {
        this.#put(events.map(({ id, type, text }) => `id: ${id}\nevent: ${type}\ndata: ${text}\n\n`).join(''));
      } else {
        if (this.#deps.events.over()) this.#end();
        return;
      }
    }
  }

  #put(text: string): void {
    this.#wanted = this.push(text);
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.push(null);
  }

  /** Keeps proxies from closing an idle connection, and the position of a filtered stream current. */
  #beat(): void {
    if (this.#ended) return;
    if (this.#wanted) {
      this.#pump();
      if (this.#wanted && !this.#ended) this.#put(`: \n${this.#here()}`);
    } else if (performance.now() - this.#wantedAt > this.#deps.pace.stalled) {
      this.destroy(new Error('an event stream was not read'));
    }
  }

  /** Only the id from which a client resumes. */
  #here(): string {
    return `id: ${this.#deps.events.idOf(this.#position)}\n\n`;
  }

  #gap(): string {
    const id = this.#deps.events.idOf(this.#position);
    const data = {
      id,
      type: 'gap',
      data: { reason: 'events before this one are no longer available; fetch the current state' },
    };
    return `id: ${id}\nevent: gap\ndata: ${JSON.stringify(data)}\n\n`;
  }
}
