// The whole set as text, one address a line, as it comes from the database: never in memory as a whole.
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

/**
 * A stream of the list. Fastify sends the headers with the first page, so that a database that cannot be read is still
 * an error answer; a later failure breaks the connection, and the client sees that the list is not whole.
 */
export function textListStream(pages: AsyncIterable<readonly string[]>, turns: PageTurns): Readable {
  return Readable.from(lines(pages, turns), { objectMode: false, encoding: 'utf8' });
}

async function* lines(pages: AsyncIterable<readonly string[]>, turns: PageTurns): AsyncGenerator<string> {
  await turns.next();
  for await (const page of pages) {
    if (page.length > 0) yield `${page.join('\n')}\n`;
    await turns.next();
  }
}

/**
 * One page of all lists at a time, and a turn of the event loop after each: a page is some 10 ms of database work, and
 * thirty lists that are read at once must not be one long slice in which no block is even heard of.
 */
export class PageTurns {
  #last: Promise<void> = Promise.resolve();

  next(): Promise<void> {
    const mine = this.#last;
    this.#last = mine.then(() => setImmediate());
    return mine;
  }
}
