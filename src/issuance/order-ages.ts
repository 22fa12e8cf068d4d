// How long an open order has been in its state, in this run of the service: each order ends (ADR 0086). By a clock that is
// never set, because an order that ends too early is issued a second time.
import { AcmeRefusal, AcmeUnreachable } from '../acme/authority.ts';
import type { IssuanceOrder } from '../store/acme-orders-store.ts';

/** What keeps an order in its state: the authority answers that it is not done, or does not answer; or this machine. */
export type Obstacle = 'authority' | 'silence' | 'own';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** An authority that validates at all does so within seconds. Nothing was issued, so the next order costs little. */
const BEFORE_ISSUE_MS: Readonly<Record<Obstacle, number>> = { authority: HOUR_MS, own: HOUR_MS, silence: DAY_MS };
/** Nothing was asked of the authority yet: others can use the place. A worker that has just started is in sync by then. */
const PLANNED_MS: Readonly<Record<Obstacle, number>> = { ...BEFORE_ISSUE_MS, own: 2 * MINUTE_MS };
/** What was asked for may still be issued, and the next order may be issued a second certificate. */
const ISSUE_MS: Readonly<Record<Obstacle, number>> = { authority: DAY_MS, own: 7 * DAY_MS, silence: 7 * DAY_MS };

interface Age {
  readonly state: IssuanceOrder['state'];
  readonly triedAt: number;
  /** When the authority first said what the order is, without a failure since; null: it did not. */
  answeredAt: number | null;
}

export class OrderAges {
  /** In ms. */
  readonly #elapsed: () => number;
  readonly #ages = new Map<number, Age>();

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** A step of the order begins. */
  begin({ id, state }: IssuanceOrder): void {
    if (this.#ages.get(id)?.state === state) return;
    this.#ages.set(id, { state, triedAt: this.#elapsed(), answeredAt: null });
  }

  /** The answer of the authority, of what it has of the order. */
  async read<T>(order: IssuanceOrder, answer: Promise<T>): Promise<T> {
    try {
      const read = await answer;
      this.answered(order);
      return read;
    } catch (error) {
      const age = this.#ages.get(order.id);
      const isAnswer = error instanceof AcmeRefusal || (error instanceof AcmeUnreachable && error.ofOrder);
      // After it was out of reach for days, what it says then counts, not the time.
      if (age !== undefined && !isAnswer) age.answeredAt = null;
      throw error;
    }
  }

  answered({ id }: IssuanceOrder): void {
    const age = this.#ages.get(id);
    if (age !== undefined) age.answeredAt ??= this.#elapsed();
  }

  waitedMs({ id }: IssuanceOrder): number {
    const age = this.#ages.get(id);
    return age === undefined ? 0 : this.#elapsed() - (age.answeredAt ?? age.triedAt);
  }

  /** Whether the order has to end. */
  isOver({ id, state }: IssuanceOrder, obstacle: Obstacle): boolean {
    const age = this.#ages.get(id);
    if (age === undefined) return false;
    const since = obstacle === 'authority' ? age.answeredAt : age.triedAt;
    return since !== null && this.#elapsed() - since > mostMsOf(state)[obstacle];
  }

  forget(id: number): void {
    this.#ages.delete(id);
  }
}

/** For how long an order of this state waits for each. */
export function mostMsOf(state: IssuanceOrder['state']): Readonly<Record<Obstacle, number>> {
  if (state === 'planned') return PLANNED_MS;
  return state === 'finalizing' || state === 'issued' ? ISSUE_MS : BEFORE_ISSUE_MS;
}
