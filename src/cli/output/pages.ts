import { harmlessJson } from './harmless.ts';
import type { Output } from './output.ts';

/** The service's largest page. */
const pageSize = 1000;

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

/** At most `limit` items. Stops when the reader of the output is gone. */
export async function* readPages<Item, P extends Page<Item>>(
  output: Pick<Output, 'closed'>,
  limit: number,
  fetchPage: (range: { limit: number; cursor?: string }) => Promise<P>,
): AsyncGenerator<P> {
  let left = limit;
  let cursor: string | null = null;
  do {
    const page: P = await fetchPage({ limit: Math.min(left, pageSize), ...(cursor !== null && { cursor }) });
    yield page;
    left -= page.items.length;
    cursor = page.next_cursor;
  } while (cursor !== null && left > 0 && !output.closed);
}

/** Streams one document: the items of all pages, then the other fields of the last one. */
export async function writePages<P extends Page<unknown>>(output: Output, pages: AsyncIterable<P>): Promise<void> {
  let last: P | null = null;
  let hasItems = false;
  for await (const page of pages) {
    // An error before the first page is a document of its own.
    if (last === null) await output.write('{"items": [');
    const items = page.items.map((item) => harmlessJson(item, 0)).join(',\n  ');
    if (items !== '') await output.write(`${hasItems ? ',' : ''}\n  ${items}`);
    hasItems ||= items !== '';
    last = page;
  }
  if (last === null) return;
  const { items: _, ...rest } = last;
  await output.write(`\n],\n${harmlessJson(rest, 0).slice(1)}\n`);
}
