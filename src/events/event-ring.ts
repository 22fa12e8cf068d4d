// The last events, for readers that continue at their position. Only the reader keeps its position: a slow one costs
// and delays nothing; if its position is gone, it is informed that it missed events.
import { randomBytes } from 'node:crypto';
import { causeText, type Log } from '../telemetry/log.ts';
import { type Event, type Events, type EventType, publicPart } from './event-types.ts';
import type { FactListener } from './facts.ts';
import { eventsOf } from './operation-events.ts';

const mostEvents = 10_000;
/** Of text. */
const mostCharacters = 8 * 1024 * 1024;
/** One event is cut to about this: a list of reasons, HAProxy's own messages. */
const longestText = 16_384;
const longestString = 1_024;
const longestList = 20;

export interface RingEvent {
  /** Counts up by one from 1, in each run of the service. */
  readonly seq: number;
  readonly type: EventType;
  /** `{"id", "type", "at", "data"}` as JSON, one line. */
  readonly text: string;
  /** As clients without the scope `admin` receive it; null: not at all. */
  readonly publicText: string | null;
}

interface RingPage {
  readonly events: readonly RingEvent[];
  /** Some events after `seq` are gone; `events` begins with the oldest remaining. */
  readonly missed: boolean;
}

interface EventRingDeps {
  readonly log: Log;
  readonly now: () => Date;
  readonly boot?: string;
  readonly mostEvents?: number;
  readonly mostCharacters?: number;
}

export class EventRing {
  /** Identifies this run of the service: events of earlier runs are gone. */
  readonly boot: string;
  readonly #deps: EventRingDeps;
  readonly #most: number;
  readonly #mostCharacters: number;
  readonly #events = new Map<number, RingEvent>();
  readonly #listeners = new Set<() => void>();
  #characters = 0;
  #oldest = 1;
  #last = 0;
  #waking = false;

  constructor(deps: EventRingDeps) {
    this.#deps = deps;
    this.boot = deps.boot ?? randomBytes(6).toString('hex');
    this.#most = deps.mostEvents ?? mostEvents;
    this.#mostCharacters = deps.mostCharacters ?? mostCharacters;
  }

  readonly listener: FactListener = ({ type, data }) => {
    if (type === 'operation.done') for (const event of eventsOf(data)) this.#append(event);
    else if (type !== 'operation.answered' && type !== 'reload.ended') this.#append({ type, data } as Event);
  };

  append<Type extends EventType>(type: Type, data: Events[Type]): void {
    this.#append({ type, data } as Event);
  }

  /** 0: none yet. */
  get last(): number {
    return this.#last;
  }

  /** Oldest first. */
  after(seq: number, limit: number): RingPage {
    const events: RingEvent[] = [];
    const from = Math.max(seq + 1, this.#oldest);
    for (let next = from; next <= this.#last && events.length < limit; next += 1) {
      const event = this.#events.get(next);
      if (event !== undefined) events.push(event);
    }
    return { events, missed: from > seq + 1 };
  }

  /** The id of an event, or of a position between two; `<boot>-<seq>`. */
  idOf(seq: number): string {
    return `${this.boot}-${seq}`;
  }

  /** Null: the id is of another run, or of no event. */
  positionOf(id: string): number | null {
    const [boot, seq = ''] = id.split('-');
    if (boot !== this.boot || !/^\d{1,15}$/.test(seq)) return null;
    return Number(seq) <= this.#last ? Number(seq) : null;
  }

  /** `wake` is called soon after events were appended, once for all of them. Returns the unsubscribe function. */
  onAppended(wake: () => void): () => void {
    this.#listeners.add(wake);
    return () => this.#listeners.delete(wake);
  }

  #append(event: Event): void {
    const { type, data } = event;
    const seq = this.#last + 1;
    const head = { id: this.idOf(seq), type, at: this.#deps.now().toISOString() };
    const text = textOf({ ...head, data });
    const seen = publicPart(event);
    const publicText = seen === null ? null : seen === data ? text : textOf({ ...head, data: seen });
    this.#last = seq;
    this.#events.set(seq, { seq, type, text, publicText });
    this.#characters += sizeOf(text, publicText);
    while (this.#events.size > this.#most || (this.#characters > this.#mostCharacters && this.#events.size > 1)) {
      this.#dropOldest();
    }
    this.#wakeSoon();
  }

  #dropOldest(): void {
    const event = this.#events.get(this.#oldest);
    this.#events.delete(this.#oldest);
    this.#oldest += 1;
    if (event !== undefined) this.#characters -= sizeOf(event.text, event.publicText);
  }

  #wakeSoon(): void {
    if (this.#waking || this.#listeners.size === 0) return;
    this.#waking = true;
    setImmediate(() => {
      this.#waking = false;
      for (const wake of this.#listeners) {
        try {
          wake();
        } catch (error) {
          this.#deps.log.error('A listener of events failed', { cause: causeText(error) });
        }
      }
    });
  }
}

function sizeOf(text: string, publicText: string | null): number {
  return text.length + (publicText === null || publicText === text ? 0 : publicText.length);
}

function textOf(event: object): string {
  const text = JSON.stringify(event);
  return text.length <= longestText ? text : JSON.stringify(event, cut);
}

function cut(_name: string, value: unknown): unknown {
  if (typeof value === 'string' && value.length > longestString) return `${value.slice(0, longestString)}…`;
  if (Array.isArray(value) && value.length > longestList) return value.slice(0, longestList);
  return value;
}
