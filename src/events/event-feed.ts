// The events of one reader: after its position, of its types, and with the fields of its scope.
import type { EventRing, RingEvent } from './event-ring.ts';
import { eventTypes } from './event-types.ts';

export interface FeedView {
  /** Null: all. */
  readonly types: ReadonlySet<string> | null;
  readonly admin: boolean;
}

interface FeedEvent {
  readonly id: string;
  readonly type: string;
  /** JSON, one line. */
  readonly text: string;
}

interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** The reader's new position; it advances also past events of other types. */
  readonly position: number;
  /** Some events were gone; the position is the newest now. */
  readonly missed: boolean;
}

const readAtOnce = 200;
const charactersAtOnce = 65_536;

export class EventFeed {
  readonly #ring: EventRing;
  #stopped = false;

  constructor(ring: EventRing) {
    this.#ring = ring;
  }

  types(): readonly string[] {
    return eventTypes;
  }

  /** The position before all events to come. */
  newest(): number {
    return this.#ring.last;
  }

  /** Null: the events after it are gone, or never existed. */
  positionOf(id: string): number | null {
    const position = this.#ring.positionOf(id);
    return position === null || this.#ring.after(position, 1).missed ? null : position;
  }

  idOf(position: number): string {
    return this.#ring.idOf(position);
  }

  /** A page of the events after `position`. A reader that missed some continues at the newest. */
  read(position: number, view: FeedView): FeedPage {
    let at = position;
    let characters = 0;
    const events: FeedEvent[] = [];
    for (;;) {
      const { events: found, missed } = this.#ring.after(at, readAtOnce);
      if (missed) return { events: [], position: this.#ring.last, missed: true };
      if (found.length === 0) return { events, position: at, missed: false };
      for (const event of found) {
        at = event.seq;
        const text = textFor(event, view);
        if (text === null) continue;
        events.push({ id: this.#ring.idOf(event.seq), type: event.type, text });
        characters += text.length;
        if (characters >= charactersAtOnce) return { events, position: at, missed: false };
      }
    }
  }

  /** `wake` is called when there is more to read. Returns the unsubscribe function. */
  onMore(wake: () => void): () => void {
    return this.#ring.onAppended(wake);
  }

  /** The service stops: streams end with this event. */
  stopping(): void {
    if (this.#stopped) return;
    this.#ring.append('service.stopping', {});
    this.#stopped = true;
  }

  over(): boolean {
    return this.#stopped;
  }
}

function textFor(event: RingEvent, view: FeedView): string | null {
  if (view.types !== null && !view.types.has(event.type)) return null;
  return view.admin ? event.text : event.publicText;
}
