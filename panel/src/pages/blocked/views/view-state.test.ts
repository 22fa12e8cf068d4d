import { expect, test } from 'vitest';
import { isSameView, ownViews, viewQuery, viewSearch } from './view-state.ts';

test('reads a saved search string, whatever wrote it, and leaves out what the list does not have', () => {
  const search = viewSearch('source=drop&sort=blocked_at&colour=red&entry=192.0.2.1');
  expect(search).toMatchObject({ source: 'drop', sort: 'blocked_at', q: '' });
  expect(viewQuery(search)).toBe('source=drop&sort=blocked_at');
});

test('saves what it reads', () => {
  for (const { search } of ownViews) expect(viewSearch(viewQuery(search))).toEqual(search);
});

test('a default that is written is the same view', () => {
  expect(isSameView(viewSearch('sort=address&order=asc'), viewSearch(''))).toBe(true);
  expect(isSameView(viewSearch('expiring=true'), viewSearch('expiring=yes'))).toBe(true);
  expect(isSameView(viewSearch('order=desc'), viewSearch(''))).toBe(false);
});
