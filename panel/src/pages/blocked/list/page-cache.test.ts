import { describe, expect, test, vi } from 'vitest';
import { type ListPage, PageCache, type PageRequest } from './page-cache.ts';

function served(length: number) {
  const rows = Array.from({ length }, (_, index) => index);
  const requests: PageRequest[] = [];
  const fetch = async (page: PageRequest): Promise<ListPage<number>> => {
    requests.push(page);
    const after = page.cursor === null ? 0 : rows.findIndex((row) => row > Number(page.cursor));
    const from = after < 0 ? rows.length : after + page.offset;
    const items = rows.slice(from, from + page.limit);
    const more = from + page.limit < rows.length;
    return { items, next_cursor: more ? String(items.at(-1)) : null, total: rows.length };
  };
  return { rows, requests, fetch };
}

function delayed(length: number) {
  const list = served(length);
  const waiting: (() => void)[] = [];
  const signals: AbortSignal[] = [];
  const fetch = async (page: PageRequest, signal: AbortSignal): Promise<ListPage<number>> => {
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

const shown = (cache: PageCache<number>, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, offset) => cache.row(from + offset));
const counted = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
const tick = () => new Promise((resolve) => setTimeout(resolve));

test('loads a far row with one request, and keeps few pages', async () => {
  const { requests, fetch } = served(100_000);
  const cache = new PageCache(fetch, 10);
  await cache.refresh();
  expect([cache.state.total, cache.row(0), cache.row(9), cache.row(10)]).toEqual([100_000, 0, 9, undefined]);
  cache.show(99_985, 99_999);
  await cache.refresh();
  expect(shown(cache, 99_985, 99_999)).toEqual(counted(99_985, 99_999));
  expect(cache.row(0)).toBeUndefined();
  cache.show(50_000, 50_009);
  await cache.refresh();
  expect(cache.row(50_005)).toBe(50_005);
  expect(requests.length).toBeLessThan(10);
});

test('shows consecutive rows although entries change between two requests', async () => {
  const { rows, fetch } = served(500);
  const cache = new PageCache(fetch, 10);
  await cache.refresh();
  cache.show(300, 309);
  await cache.refresh();
  rows.splice(0, 3);
  // Up, past the first loaded page: the page above is requested by offset, which has changed.
  cache.show(295, 305);
  await tick();
  const seen = shown(cache, 295, 305) as number[];
  expect(seen).toEqual(counted(298, 308));
  rows.splice(100, 0, 99.5);
  cache.show(300, 315);
  await tick();
  const more = shown(cache, 300, 315) as number[];
  expect(more).toEqual(counted(more[0] as number, (more[0] as number) + 15));
});

test('loads rows in advance, after the visible ones', async () => {
  const { requests, fetch } = served(500);
  const cache = new PageCache(fetch, 10, 5);
  cache.show(302, 307);
  await tick();
  expect(requests[0]).toEqual({ cursor: null, offset: 300, limit: 10 });
  expect(shown(cache, 290, 319)).toEqual(counted(290, 319));
  expect(requests.length).toBeLessThan(5);
});

test('adds and removes rows at their positions with a refresh, and moves the end', async () => {
  const { rows, fetch } = served(25);
  const cache = new PageCache(fetch, 10);
  cache.show(0, 24);
  await cache.refresh();
  expect(cache.row(24)).toBe(24);
  rows.splice(0, 6);
  await cache.refresh();
  expect([cache.state.total, cache.row(0), cache.row(18), cache.row(19)]).toEqual([19, 6, 24, undefined]);
  rows.push(...Array.from({ length: 30 }, (_, index) => 100 + index));
  cache.show(0, 48);
  await cache.refresh();
  expect([cache.state.total, cache.row(48)]).toEqual([49, 129]);
  rows.splice(15);
  cache.show(40, 48);
  await cache.refresh();
  expect([cache.state.total, cache.row(40), cache.row(20)]).toEqual([15, undefined, undefined]);
});

test('moves all rows after a removed one', async () => {
  const { rows, fetch } = served(500);
  const cache = new PageCache(fetch, 10);
  cache.show(400, 409);
  await cache.refresh();
  expect(cache.row(405)).toBe(405);
  rows.splice(0, 6);
  await cache.refresh();
  expect(cache.row(405)).toBe(411);
});

test('repeats a request that was running when the refresh was requested', async () => {
  const list = delayed(30);
  const cache = new PageCache(list.fetch, 10);
  cache.show(0, 9);
  await tick();
  list.rows.splice(0, 1);
  const refreshed = cache.refresh();
  list.answer();
  await tick();
  list.answer();
  await refreshed;
  expect(cache.row(0)).toBe(1);
});

test('loads an empty list once', async () => {
  const { requests, fetch } = served(0);
  const cache = new PageCache(fetch, 10);
  await cache.refresh();
  expect([cache.state.total, requests.length]).toEqual([0, 1]);
});

describe('during fast scrolling', () => {
  test('loads one page at a time: the first and the last position', async () => {
    const list = delayed(100_000);
    const cache = new PageCache(list.fetch, 10);
    for (let row = 0; row < 90_000; row += 1_000) cache.show(row, row + 5);
    await tick();
    expect(list.requests.length).toBe(1);
    list.answer();
    await tick();
    list.answer();
    await tick();
    expect(list.requests.map(({ offset }) => offset)).toEqual([0, 89_000]);
    expect(cache.row(89_003)).toBe(89_003);
  });

  test('aborts a slow request of a page that is no longer visible', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    const list = delayed(100_000);
    const cache = new PageCache(list.fetch, 10);
    cache.show(50_000, 50_005);
    await tick();
    clock.mockReturnValue(200);
    cache.show(70_000, 70_005);
    await tick();
    expect(list.signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    list.answer();
    list.answer();
    await tick();
    expect([cache.state.error, cache.row(50_000), cache.row(70_001)]).toEqual([null, undefined, 70_001]);
  });
});

test('reports a failure, keeps its rows, and recovers with a retry', async () => {
  const { fetch } = served(30);
  let broken = false;
  const cache = new PageCache<number>((requests) => (broken ? Promise.reject(new Error('away')) : fetch(requests)), 10);
  await cache.refresh();
  broken = true;
  await cache.refresh();
  expect(cache.state.error).toEqual(new Error('away'));
  expect(cache.row(3)).toBe(3);
  broken = false;
  await cache.refresh();
  expect(cache.state.error).toBeNull();
});

test('sends no request after it is closed, and reports no error', async () => {
  const list = delayed(30);
  const cache = new PageCache(list.fetch, 10);
  cache.show(0, 5);
  await tick();
  cache.close();
  await tick();
  expect([list.signals[0]?.aborted, cache.state.error, list.requests.length]).toEqual([true, null, 1]);
});
