/**
 * For work with the same result for all callers: those that arrive while it runs share the next run, so that no result
 * is older than the call, and at most one run waits.
 */
export function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  const following = async (): Promise<T> => {
    // A failure concerns its own callers only.
    await Promise.allSettled([underWay]);
    next = null;
    const running = work();
    underWay = running;
    return await running;
  };
  return () => {
    next ??= following();
    return next;
  };
}
