// The master accepts ten connections, and ten abandoned ones lock out every client (docs/haproxy-notes.md). So this
// service uses few slots, counts them, and reserves one for a reload.
import { type Deadline, millisecondsUntil } from './master-socket-error.ts';

export interface Slot {
  /** Idempotent. */
  release(): void;
}

/** In the order in which waiting callers are served. */
export type Purpose = 'reload' | 'change' | 'own' | 'reader';

const order: readonly Purpose[] = ['reload', 'change', 'own', 'reader'];

interface Waiter {
  readonly purpose: Purpose;
  grant(slot: Slot): void;
}

export class SlotPool {
  readonly #total: number;
  #taken = 0;
  #takenByOthers = 0;
  #waiting: Waiter[] = [];

  /** Only a reload may take one of the `total` slots. From 3.1 on it holds it until its worker serves. */
  constructor(total: number) {
    this.#total = total;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Null when no slot became free before the deadline. First come, first served within one purpose. */
  take(deadline: Deadline, purpose: Purpose): Promise<Slot | null> {
    if (this.#isFree(purpose)) return Promise.resolve(this.#occupy(purpose));
    return new Promise((resolve) => {
      const waiter: Waiter = {
        purpose,
        grant: (slot) => {
          clearTimeout(timer);
          resolve(slot);
        },
      };
      const giveUp = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        resolve(null);
      };
      const timer = setTimeout(giveUp, millisecondsUntil(deadline));
      this.#waiting.push(waiter);
    });
  }

  #isFree(purpose: Purpose): boolean {
    return this.#taken < this.#total && (purpose === 'reload' || this.#takenByOthers < this.#total - 1);
  }

  #occupy(purpose: Purpose): Slot {
    const other = purpose === 'reload' ? 0 : 1;
    this.#taken += 1;
    this.#takenByOthers += other;
    let held = true;
    return {
      release: () => {
        if (!held) return;
        held = false;
        this.#taken -= 1;
        this.#takenByOthers -= other;
        this.#serve();
      },
    };
  }

  #serve(): void {
    const [next] = order.flatMap((purpose) => this.#waiting.find((waiter) => waiter.purpose === purpose) ?? []);
    if (next === undefined || !this.#isFree(next.purpose)) return;
    this.#waiting = this.#waiting.filter((waiter) => waiter !== next);
    next.grant(this.#occupy(next.purpose));
  }
}
