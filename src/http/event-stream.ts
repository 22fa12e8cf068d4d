// One reader's server-sent events (WHATWG HTML, 9.2). He holds nothing but his place among the events: they are read from
// there when his connection takes more, so a slow reader costs no memory; one who takes nothing at all is ended.
import { Readable } from 'node:stream';
import type { FeedView } from '../events/event-feed.ts';
import type { EventsService } from './services.ts';

/** What a client waits before it comes again; in milliseconds. */
const retryMs = 2_000;

export interface StreamPace {
  /** Between two signs of life. In milliseconds, as all of these. */
  readonly heartbeat: number;
  /** Between two looks whether the key is still good. */
  readonly keyCheck: number;
  /** How long a connection may take nothing. */
  readonly stalled: number;
}

export class EventStream extends Readable {
  readonly #events: EventsService;
  readonly #view: FeedView;
  readonly #pace: StreamPace;
  readonly #unsubscribe: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #keyCheck: NodeJS.Timeout;
  readonly #keyHolds: () => Promise<boolean>;
  #position: number;
  /** The connection takes more. */
  #wanted = false;
  #wantedAt = performance.now();
  #ended = false;

  /**
   * @param from the id that the client had last; null: it begins now
   * @param keyHolds whether its key is still good
   */
  constructor(
    events: EventsService,
    view: FeedView,
    from: string | null,
    pace: StreamPace,
    keyHolds: () => Promise<boolean>,
  ) {
    super({ highWaterMark: 32_768 });
    this.#events = events;
    this.#view = view;
    this.#pace = pace;
    const position = from === null ? events.newest() : events.positionOf(from);
    this.#position = position ?? events.newest();
    this.push(`retry: ${retryMs}\n${position === null ? this.#gap() : this.#here()}`);
    this.#unsubscribe = events.onMore(() => this.#pump());
    this.#heartbeat = setInterval(() => this.#beat(), pace.heartbeat);
    this.#keyHolds = keyHolds;
    this.#keyCheck = setInterval(() => this.checkKey(), pace.keyCheck);
  }

  /** Ends when its key is not good any more. */
  checkKey(): void {
    // A database that cannot be asked ends nobody: what it is told here may be just that.
    this.#keyHolds().then(
      // At once: what waits for it is not its any more.
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
      const { events, position, missed } = this.#events.read(this.#position, this.#view);
      this.#position = position;
      if (missed) this.#put(this.#gap());
      else if (events.length > 0) {
        this.#put(events.map(({ id, type, text }) => `id: ${id}\nevent: ${type}\ndata: ${text}\n\n`).join(''));
      } else {
        if (this.#events.over()) this.#end();
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

  /** A comment keeps proxies from ending the connection; the place, that a filtered reader's does not grow old. */
  #beat(): void {
    if (this.#ended) return;
    if (this.#wanted) {
      this.#pump();
      if (this.#wanted && !this.#ended) this.#put(`: \n${this.#here()}`);
    } else if (performance.now() - this.#wantedAt > this.#pace.stalled) {
      this.destroy(new Error('an event stream was not read'));
    }
  }

  /** No event: only the place to come back to. */
  #here(): string {
    return `id: ${this.#events.idOf(this.#position)}\n\n`;
  }

  #gap(): string {
    const id = this.#events.idOf(this.#position);
    const data = { id, type: 'gap', data: { reason: 'events before this one are no longer available; fetch again' } };
    return `id: ${id}\nevent: gap\ndata: ${JSON.stringify(data)}\n\n`;
  }
}
