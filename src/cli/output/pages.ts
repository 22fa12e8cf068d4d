// Pages of the API as one document in the form of one page, made while it is written.
import { harmlessJson } from './harmless.ts';
import type { Output } from './output.ts';

/**
 * @param restOf what stands beside `items` in the last page, such as `next_cursor`
 */
export async function writePages<Page extends { readonly items: readonly unknown[] }>(
  output: Output,
  pages: AsyncIterable<Page>,
  restOf: (last: Page) => Readonly<Record<string, unknown>>,
): Promise<void> {
  let last: Page | null = null;
  let begun = false;
  for await (const page of pages) {
    // Only once there is an answer: an error is a document of its own.
    if (last === null) await output.write('{"items": [');
    const items = page.items.map((item) => harmlessJson(item, 0)).join(',\n  ');
    if (items !== '') await output.write(`${begun ? ',' : ''}\n  ${items}`);
    begun ||= items !== '';
    last = page;
  }
  if (last === null) return;
  await output.write(`\n],\n${harmlessJson(restOf(last), 0).slice(1)}\n`);
}
