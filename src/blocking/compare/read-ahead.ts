// The next page is read while the last one is worked on. Work that goes in turns asks for its next one at once then,
// and where others share the turns that decides whether it gets several in a row or waits for all of them each time.

/** The pages as they are, one read ahead. What reading throws is thrown in its place. */
export async function* readAhead<Page>(pages: AsyncIterable<Page>): AsyncGenerator<Page, void, undefined> {
  const reader = pages[Symbol.asyncIterator]();
  const read = (): Promise<IteratorResult<Page, unknown>> => {
    const next = reader.next();
    // Whoever gives up before it is needed has an error of his own.
    next.catch(() => undefined);
    return next;
  };
  let next = read();
  try {
    for (;;) {
      const result = await next;
      if (result.done === true) return;
      next = read();
      yield result.value;
    }
  } finally {
    await reader.return?.();
  }
}
