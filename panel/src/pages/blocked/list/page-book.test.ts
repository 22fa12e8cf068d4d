import { describe, expect, test, vi } from 'vitest';
import { type ListPage, type PageAsked, PageBook } from './page-book.ts';

/** A list of `length` numbers behind cursors; remembers what it is asked. */
function served(length: number) {
  const rows = Array.from({ length }, (_, index) => index);
  const asked: PageAsked[] = [];
  const fetch = async (page: PageAsked): Promise<ListPage<number>> => {
    asked.push(page);
    const after = page.cursor === null ? 0 : rows.findIndex((row) => row > Number(page.cursor));
    const from = after < 0 ? rows.length : after + page.offset;
    const items = rows.slice(from, from + page.limit);
    const more = from + page.limit < rows.length;
    return { items, next_cursor: more ? String(items.at(-1)) : null, total: rows.length };
  };
  return { rows, asked, fetch };
}

/** Answers come when the test lets them. */
function held(length: number) {
  const list = served(length);
  const waiting: (() => void)[] = [];
  const signals: AbortSignal[] = [];
  const fetch = async (page: PageAsked, signal: AbortSignal): Promise<ListPage<number>> => {
    const answer = await list.fetch(page);
    signals.push(signal);
    await new Promise<void>((resolve, reject) => {
      waiting.push(resolve);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    return answer;
  };
  return { ...list, fetch, signals, answer: () => waiting.shift()?.() };
}

const shown = (book: PageBook<number>, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, offset) => book.row(from + offset));
const counted = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
const turn = () => new Promise((resolve) => setTimeout(resolve));

test('a far row is asked for at once, and few pages are kept', async () => {
  const { asked, fetch } = served(100_000);
  const book = new PageBook(fetch, 10);
  await book.refresh();
  expect([book.state.total, book.row(0), book.row(9), book.row(10)]).toEqual([100_000, 0, 9, undefined]);
  book.want(99_985, 99_999);
  await book.refresh();
  expect(shown(book, 99_985, 99_999)).toEqual(counted(99_985, 99_999));
  expect(book.row(0)).toBeUndefined();
  book.want(50_000, 50_009);
  await book.refresh();
  expect(book.row(50_005)).toBe(50_005);
  expect(asked.length).toBeLessThan(10);
});

test('pages that are looked at together follow each other, whatever came and went between their reading', async () => {
  const { rows, fetch } = served(500);
  const book = new PageBook(fetch, 10);
  await book.refresh();
  book.want(300, 309);
  await book.refresh();
  rows.splice(0, 3);
  // Up, over the edge of what was read before: the page above comes by its number, which has moved.
  book.want(295, 305);
  await turn();
  const seen = shown(book, 295, 305) as number[];
  expect(seen).toEqual(counted(298, 308));
  rows.splice(100, 0, 99.5);
  book.want(300, 315);
  await turn();
  const more = shown(book, 300, 315) as number[];
  expect(more).toEqual(counted(more[0] as number, (more[0] as number) + 15));
});

test('what is neared is read before it is looked at, after what is looked at', async () => {
  const { asked, fetch } = served(500);
  const book = new PageBook(fetch, 10, 5);
  book.want(302, 307);
  await turn();
  expect(asked[0]).toEqual({ cursor: null, offset: 300, limit: 10 });
  expect(shown(book, 290, 319)).toEqual(counted(290, 319));
  expect(asked.length).toBeLessThan(5);
});

test('a refresh brings what came and takes what went, at the right place, and the end moves with it', async () => {
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
  rows.splice(15);
  book.want(40, 48);
  await book.refresh();
  expect([book.state.total, book.row(40), book.row(20)]).toEqual([15, undefined, undefined]);
});

test('what went from an early page moves every row behind it', async () => {
  const { rows, fetch } = served(500);
  const book = new PageBook(fetch, 10);
  book.want(400, 409);
  await book.refresh();
  expect(book.row(405)).toBe(405);
  rows.splice(0, 6);
  await book.refresh();
  expect(book.row(405)).toBe(411);
});

test('a refresh does not take for new what was being read before it', async () => {
  const list = held(30);
  const book = new PageBook(list.fetch, 10);
  book.want(0, 9);
  await turn();
  list.rows.splice(0, 1);
  const refreshed = book.refresh();
  list.answer();
  await turn();
  list.answer();
  await refreshed;
  expect(book.row(0)).toBe(1);
});

test('an empty list is read once, and told as empty', async () => {
  const { asked, fetch } = served(0);
  const book = new PageBook(fetch, 10);
  await book.refresh();
  expect([book.state.total, asked.length]).toEqual([0, 1]);
});

describe('quick scrolling', () => {
  test('asks for one page at a time: where it was, and where it has come to', async () => {
    const list = held(100_000);
    const book = new PageBook(list.fetch, 10);
    for (let row = 0; row < 90_000; row += 1_000) book.want(row, row + 5);
    await turn();
    expect(list.asked.length).toBe(1);
    list.answer();
    await turn();
    list.answer();
    await turn();
    expect(list.asked.map(({ offset }) => offset)).toEqual([0, 89_000]);
    expect(book.row(89_003)).toBe(89_003);
  });

  test('gives up what takes long and is not looked at any more', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    const list = held(100_000);
    const book = new PageBook(list.fetch, 10);
    book.want(50_000, 50_005);
    await turn();
    clock.mockReturnValue(200);
    book.want(70_000, 70_005);
    await turn();
    expect(list.signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    list.answer();
    list.answer();
    await turn();
    expect([book.state.error, book.row(50_000), book.row(70_001)]).toEqual([null, undefined, 70_001]);
  });
});

test('what fails is told, keeps what is shown, and goes on when it is tried again', async () => {
  const { fetch } = served(30);
  let broken = false;
  const book = new PageBook<number>((asked) => (broken ? Promise.reject(new Error('away')) : fetch(asked)), 10);
  await book.refresh();
  broken = true;
  await book.refresh();
  expect(book.state.error).toEqual(new Error('away'));
  expect(book.row(3)).toBe(3);
  broken = false;
  await book.refresh();
  expect(book.state.error).toBeNull();
});

test('a closed book asks for nothing more, and takes its failure for none', async () => {
  const list = held(30);
  const book = new PageBook(list.fetch, 10);
  book.want(0, 5);
  await turn();
  book.close();
  await turn();
  expect([list.signals[0]?.aborted, book.state.error, list.asked.length]).toEqual([true, null, 1]);
});
