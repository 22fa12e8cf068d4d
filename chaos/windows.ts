// When faults were active, and what they excuse.
import type { Excuses } from './fault.ts';
import { clock } from './story.ts';

interface Window {
  excuses: Excuses;
  readonly from: number;
  until: number;
}

interface OpenWindow {
  /** For its complete duration. */
  alsoExcuse(more: Excuses): void;
  /** Call when the fault is over. */
  close(): void;
}

/** A request may fail a moment after the fault is over. */
const afterglowMs = 250;

/** Over only when the service has repaired them, which the end of the round proves. */
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

  /** At any moment between the two. */
  excuse(how: keyof Excuses, from: number, to: number): boolean {
    const lasts = lasting.includes(how);
    return this.#windows.some(
      (window) => window.excuses[how] === true && window.from <= to && (lasts || from <= window.until),
    );
  }

  struckBefore(moment: number): boolean {
    return this.#windows.some((window) => window.from <= moment);
  }
}
