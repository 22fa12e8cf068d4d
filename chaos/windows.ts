// When which fault was at work, and what it excuses at that time.
import type { Excuses } from './fault.ts';
import { clock } from './story.ts';

interface Window {
  excuses: Excuses;
  readonly from: number;
  until: number;
}

export interface OpenWindow {
  /** For all of its time. */
  alsoExcuse(more: Excuses): void;
  /** To be called when the fault is over. */
  close(): void;
}

/** What a fault did to a request may show a moment after the fault is over. */
const afterglowMs = 250;

/** These are over only when the service has repaired what was done, which the end of the round shows. */
const lasting: readonly (keyof Excuses)[] = ['enforcement', 'clock'];

export class Windows {
  readonly #windows: Window[] = [];

  open(excuses: Excuses): OpenWindow {
    const window: Window = { excuses, from: clock(), until: Number.POSITIVE_INFINITY };
    this.#windows.push(window);
    return {
      alsoExcuse: (more) => {
        window.excuses = { ...window.excuses, ...more };
      },
      close: () => {
        window.until = clock() + afterglowMs;
      },
    };
  }

  /** Whether anything between the two moments is excused in this way. */
  excuse(how: keyof Excuses, from: number, to: number): boolean {
    const lasts = lasting.includes(how);
    return this.#windows.some(
      (window) => window.excuses[how] === true && window.from <= to && (lasts || from <= window.until),
    );
  }

  /** Whether any fault struck before that moment. */
  struckBefore(moment: number): boolean {
    return this.#windows.some((window) => window.from <= moment);
  }
}
