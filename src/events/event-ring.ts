// The last events, for whoever reads on from where he was. Nothing is held for a reader but his place: one that reads
// slowly, or never, costs nothing and holds up nobody; when his place is gone he is told that he missed something.
import { randomBytes } from 'node:crypto';
import { causeText, type Log } from '../telemetry/log.ts';
import { publicPart } from './event-types.ts';
import type { Activities, ActivityType, Tell } from './facts.ts';

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
  readonly type: ActivityType;
  /** `{"id", "type", "at", "data"}` as JSON, one line. */
  readonly text: string;
  /** The same as others than administrators may see it; null: not at all. */
  readonly publicText: string | null;
}

export interface RingPage {
  readonly events: readonly RingEvent[];
  /** Something after `seq` is gone already; `events` begins with what is there. */
  readonly missed: boolean;
}

export class EventRing {
  /** Names this run of the service: what an earlier one told is not here. */
  readonly boot: string;
  readonly #log: Log;
  readonly #now: () => Date;
  readonly #most: number;
  readonly #mostCharacters: number;
  readonly #events = new Map<number, RingEvent>();
  readonly #listeners = new Set<() => void>();
  #characters = 0;
  #oldest = 1;
  #last = 0;
  #waking = false;

  constructor(options: {
    readonly log: Log;
    readonly now: () => Date;
    readonly boot?: string;
    readonly mostEvents?: number;
    readonly mostCharacters?: number;
  }) {
    this.boot = options.boot ?? randomBytes(6).toString('hex');
    this.#log = options.log;
    this.#now = options.now;
    this.#most = options.mostEvents ?? mostEvents;
    this.#mostCharacters = options.mostCharacters ?? mostCharacters;
  }

  /** Takes one more. Never throws. */
  readonly tell: Tell = (type, data) => {
    try {
      this.#append(type, data);
    } catch (error) {
      this.#log.error('An event could not be told', { type, cause: causeText(error) });
    }
  };

  /** Of the event that was told last; 0: none yet. */
  get last(): number {
    return this.#last;
  }

  /** What came after `seq`, the oldest first. */
  after(seq: number, limit: number): RingPage {
    const events: RingEvent[] = [];
    const from = Math.max(seq + 1, this.#oldest);
    for (let next = from; next <= this.#last && events.length < limit; next += 1) {
      const event = this.#events.get(next);
      if (event !== undefined) events.push(event);
    }
    return { events, missed: from > seq + 1 };
  }

  /** The id of an event, or of a place between two; `<boot>-<seq>`. */
  idOf(seq: number): string {
    return `${this.boot}-${seq}`;
  }

  /** The place that an id names; null: of another run, or nobody's. */
  placeOf(id: string): number | null {
    const [boot, seq = ''] = id.split('-');
    if (boot !== this.boot || !/^\d{1,15}$/.test(seq)) return null;
    return Number(seq) <= this.#last ? Number(seq) : null;
  }

  /** `wake` is called soon after something was told, once for all that was. Returns how to end that. */
  onTold(wake: () => void): () => void {
    this.#listeners.add(wake);
    return () => this.#listeners.delete(wake);
  }

  #append<Type extends ActivityType>(type: Type, data: Activities[Type]): void {
    const seq = this.#last + 1;
    const head = { id: this.idOf(seq), type, at: this.#now().toISOString() };
    const text = textOf({ ...head, data });
    const seen = publicPart(type, data);
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
          this.#log.error('A listener of events failed', { cause: causeText(error) });
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
