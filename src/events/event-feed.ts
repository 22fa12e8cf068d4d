// What a reader of events sees: from where on, which types, and whether as an administrator.
import type { EventRing, RingEvent } from './event-ring.ts';
import { eventTypes } from './event-types.ts';

export interface FeedView {
  /** Null: all. */
  readonly types: ReadonlySet<string> | null;
  readonly admin: boolean;
}

export interface FeedEvent {
  readonly id: string;
  readonly type: string;
  /** JSON, one line. */
  readonly text: string;
}

export interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** Where the reader is now; it may have gone on although nothing was for him. */
  readonly place: number;
  /** Something was gone before he came to it; he is at the newest now. */
  readonly missed: boolean;
}

const lookedAtOnce = 200;
const charactersAtOnce = 65_536;

/** The ring as the event stream reads it. */
export class EventFeed {
  readonly #ring: EventRing;
  #over = false;

  constructor(ring: EventRing) {
    this.#ring = ring;
  }

  types(): readonly string[] {
    return eventTypes;
  }

  /** The place after which is what comes from now on. */
  newest(): number {
    return this.#ring.last;
  }

  /** Null: it cannot be read on from there. */
  placeOf(id: string): number | null {
    const place = this.#ring.placeOf(id);
    return place === null || this.#ring.after(place, 1).missed ? null : place;
  }

  idOf(place: number): string {
    return this.#ring.idOf(place);
  }

  /** Some of what came after `place`. One who missed something begins anew at the newest. */
  read(place: number, view: FeedView): FeedPage {
    let at = place;
    let characters = 0;
    const events: FeedEvent[] = [];
    for (;;) {
      const { events: found, missed } = this.#ring.after(at, lookedAtOnce);
      if (missed) return { events: [], place: this.#ring.last, missed: true };
      if (found.length === 0) return { events, place: at, missed: false };
      for (const event of found) {
        at = event.seq;
        const text = textFor(event, view);
        if (text === null) continue;
        events.push({ id: this.#ring.idOf(event.seq), type: event.type, text });
        characters += text.length;
        if (characters >= charactersAtOnce) return { events, place: at, missed: false };
      }
    }
  }

  /** `wake` is called when there is more to read. Returns how to end that. */
  onMore(wake: () => void): () => void {
    return this.#ring.onTold(wake);
  }

  /** The service ends: what is told from here on nobody reads before it starts again. */
  stopping(): void {
    if (this.#over) return;
    this.#ring.tell('service.stopping', {});
    this.#over = true;
  }

  over(): boolean {
    return this.#over;
  }
}

function textFor(event: RingEvent, view: FeedView): string | null {
  if (view.types !== null && !view.types.has(event.type)) return null;
  return view.admin ? event.text : event.publicText;
}
