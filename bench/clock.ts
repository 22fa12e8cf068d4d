/** A start's end is noticed this many ms late at most. */
export const startPollMs = 20;

export function time(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
