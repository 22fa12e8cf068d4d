// The master takes ten connections, and ten forgotten ones lock everybody out (haproxy-facts.md). So ours are places:
// few, counted, and one of them kept for what is urgent.
import { type Deadline, millisecondsUntil } from './master-socket-error.ts';

export interface Place {
  /** Gives the place back. Giving it back twice is harmless. */
  release(): void;
}

interface Waiter {
  readonly reserved: boolean;
  grant(place: Place): void;
}

export class Places {
  readonly #total: number;
  #taken = 0;
  #waiting: Waiter[] = [];

  /** `total` places, the last of which only reserved use may take. */
  constructor(total: number) {
    this.#total = total;
  }

  get taken(): number {
    return this.#taken;
  }

  /** A place, or null when none came free before the deadline. First come, first served; reserved use first of all. */
  take(deadline: Deadline, reserved: boolean): Promise<Place | null> {
    if (this.#free(reserved)) return Promise.resolve(this.#occupy());
    return new Promise((resolve) => {
      const waiter: Waiter = {
        reserved,
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

  #free(reserved: boolean): boolean {
    return this.#taken < (reserved ? this.#total : this.#total - 1);
  }

  #occupy(): Place {
    this.#taken += 1;
    let held = true;
    return {
      release: () => {
        if (!held) return;
        held = false;
        this.#taken -= 1;
        this.#serve();
      },
    };
  }

  #serve(): void {
    const next = this.#waiting.find((waiter) => waiter.reserved) ?? this.#waiting[0];
    if (next === undefined || !this.#free(next.reserved)) return;
    this.#waiting = this.#waiting.filter((waiter) => waiter !== next);
    next.grant(this.#occupy());
  }
}
