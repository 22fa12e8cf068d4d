// Delta debugging: leaves out halves, then quarters, down to single steps, while the round still fails.

interface Shrunk<T> {
  readonly steps: readonly T[];
  readonly tries: number;
  /** No single step can be left out. */
  readonly minimal: boolean;
}

/** @param fails runs these steps; true: they fail like the original @param mostTries maximum of runs */
export async function shrink<T>(
  whole: readonly T[],
  fails: (steps: readonly T[]) => Promise<boolean>,
  mostTries: number,
): Promise<Shrunk<T>> {
  let steps = whole;
  let tries = 0;
  let parts = 2;
  while (steps.length > 0) {
    const size = Math.ceil(steps.length / parts);
    let smaller: readonly T[] | null = null;
    for (let from = 0; from < steps.length && smaller === null; from += size) {
      if (tries >= mostTries) return { steps, tries, minimal: false };
      const rest = [...steps.slice(0, from), ...steps.slice(from + size)];
      tries += 1;
      if (await fails(rest)) smaller = rest;
    }
    if (smaller !== null) {
      steps = smaller;
      parts = Math.max(2, parts - 1);
    } else if (size === 1) return { steps, tries, minimal: true };
    else parts = Math.min(steps.length, parts * 2);
  }
  return { steps, tries, minimal: true };
}
