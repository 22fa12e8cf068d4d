// The master takes ten connections, and ten forgotten ones lock everybody out (docs/haproxy-notes.md). So ours are places:
// few, counted, and one of them kept for what is urgent.
import { type Deadline, millisecondsUntil } from './master-socket-error.ts';

export interface Place {
  /** Gives the place back. Giving it back twice is harmless. */
  release(): void;
}

/** In the order in which those who wait are served. One place is kept for a `reload`. */
export type Purpose = 'reload' | 'change' | 'own' | 'reader';

const order: readonly Purpose[] = ['reload', 'change', 'own', 'reader'];

interface Waiter {
  readonly purpose: Purpose;
  grant(place: Place): void;
}

export class Places {
  readonly #total: number;
  #taken = 0;
  #takenByOthers = 0;
  #waiting: Waiter[] = [];

  /** `total` places, one of which only a reload may take. From 3.1 on it holds one until its worker serves. */
  constructor(total: number) {
    this.#total = total;
  }

  get taken(): number {
    return this.#taken;
  }

  /** A place, or null when none came free before the deadline. First come, first served, among those of one purpose. */
  take(deadline: Deadline, purpose: Purpose): Promise<Place | null> {
    if (this.#free(purpose)) return Promise.resolve(this.#occupy(purpose));
    return new Promise((resolve) => {
      const waiter: Waiter = {
        purpose,
        grant: (place) => {
          clearTimeout(timer);
          resolve(place);
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

  #free(purpose: Purpose): boolean {
    return this.#taken < this.#total && (purpose === 'reload' || this.#takenByOthers < this.#total - 1);
  }

  #occupy(purpose: Purpose): Place {
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
    if (next === undefined || !this.#free(next.purpose)) return;
    this.#waiting = this.#waiting.filter((waiter) => waiter !== next);
    next.grant(this.#occupy(next.purpose));
  }
}
