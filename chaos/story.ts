// The events of a round, and the broken promises.

/** Milliseconds since 1970, monotonic. */
export function clock(): number {
  return performance.timeOrigin + performance.now();
}

export interface Event {
  readonly begun: number;
  readonly ended: number;
  readonly what: string;
  readonly answer: string;
}

export class Story {
  readonly began = clock();
  readonly #events: Event[] = [];
  readonly #wrong: string[] = [];

  record(begun: number, what: string, answer: string): void {
    this.#events.push({ begun, ended: clock(), what, answer });
  }

  addBroken(what: string): void {
    this.#wrong.push(`at ${this.#at(clock())}: ${what}`);
  }

  get wrong(): readonly string[] {
    return this.#wrong;
  }

  lines(): string[] {
    const inOrder = [...this.#events].sort((a, b) => a.begun - b.begun);
    return inOrder.map(({ begun, ended, what, answer }) => {
      const times = `${this.#at(begun)} +${(ended - begun).toFixed(0).padStart(4)} ms`;
      return `${times}  ${what} → ${answer}`;
    });
  }

  #at(moment: number): string {
    return `${((moment - this.began) / 1_000).toFixed(3).padStart(7)} s`;
  }
}
