// The whole set as text, one address a line, as it comes from the database: never in memory as a whole.

import { Readable } from 'node:stream';
import type { SliceQueue } from '../concurrency/slices.ts';

/**
 * A stream of the list. Fastify sends the headers with the first page, so that a database that cannot be read is still
 * an error answer; a later failure breaks the connection, and the client sees that the list is not whole.
 */
export function textListStream(pages: AsyncIterable<readonly string[]>, slices: SliceQueue): Readable {
  return Readable.from(lines(pages, slices), { objectMode: false, encoding: 'utf8' });
}

async function* lines(pages: AsyncIterable<readonly string[]>, slices: SliceQueue): AsyncGenerator<string> {
  await slices.next();
  for await (const page of pages) {
    if (page.length > 0) yield `${page.join('\n')}\n`;
    await slices.next();
  }
}
