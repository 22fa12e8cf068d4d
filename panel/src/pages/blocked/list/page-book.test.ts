import { expect, test } from 'vitest';
import { type ListPage, PageBook } from './page-book.ts';

/** A list of `length` numbers behind cursors; counts what it is asked. */
function served(length: number) {
  const rows = Array.from({ length }, (_, index) => index);
  const asked: (string | null)[] = [];
  const fetch = async (cursor: string | null, limit: number): Promise<ListPage<number>> => {
    asked.push(cursor);
    const from = cursor === null ? 0 : rows.findIndex((row) => row > Number(cursor));
    const items = from < 0 ? [] : rows.slice(from, from + limit);
    const more = from >= 0 && from + limit < rows.length;
    return { items, next_cursor: more ? String(items.at(-1)) : null, total: rows.length };
  };
  return { rows, asked, fetch };
}

test('a far row is reached by walking there, and few pages are kept', async () => {
  const { asked, fetch } = served(1_000);
  const book = new PageBook(fetch, 10);
  await book.refresh();
  expect([book.state.total, book.row(0), book.row(9), book.row(10)]).toEqual([1_000, 0, 9, undefined]);
  book.want(985, 999);
  await book.refresh();
  expect([book.row(985), book.row(999), book.row(0)]).toEqual([985, 999, undefined]);
  expect(book.state.walkedTo).toBeNull();
  const walked = asked.length;
  book.want(500, 510);
  await book.refresh();
  expect(book.row(505)).toBe(505);
  // Where each page begins is known now: nothing is walked again.
  expect(asked.length - walked).toBeLessThan(5);
});

test('a refresh brings what came and takes what went, and the end moves with it', async () => {
  const { rows, fetch } = served(25);
  const book = new PageBook(fetch, 10);
  book.want(0, 24);
  await book.refresh();
  expect(book.row(24)).toBe(24);
  rows.splice(0, 6);
  await book.refresh();
  expect([book.state.total, book.row(0), book.row(18), book.row(19)]).toEqual([19, 6, 24, undefined]);
  rows.push(...Array.from({ length: 30 }, (_, index) => 100 + index));
  book.want(0, 48);
  await book.refresh();
  expect([book.state.total, book.row(48)]).toEqual([49, 129]);
});

test('an empty list is read once, and told as empty', async () => {
  const { asked, fetch } = served(0);
  const book = new PageBook(fetch, 10);
  await book.refresh();
  expect([book.state.total, asked.length]).toEqual([0, 1]);
});

test('what fails is told, keeps what is shown, and goes on when it is tried again', async () => {
  const { fetch } = served(30);
  let broken = false;
  const book = new PageBook<number>(
    (...asked) => (broken ? Promise.reject(new Error('away')) : fetch(asked[0], asked[1])),
    10,
  );
  await book.refresh();
  broken = true;
  await book.refresh();
  expect(book.state.error).toEqual(new Error('away'));
  expect(book.row(3)).toBe(3);
  broken = false;
  await book.refresh();
  expect(book.state.error).toBeNull();
});

test('what went from an early page moves every row behind it', async () => {
  const { rows, fetch } = served(500);
  const book = new PageBook(fetch, 10);
  book.want(400, 409);
  await book.refresh();
  expect(book.row(405)).toBe(405);
  rows.splice(0, 6);
  book.want(0, 9);
  await book.refresh();
  book.want(400, 409);
  await book.refresh();
  expect(book.row(405)).toBe(411);
});
