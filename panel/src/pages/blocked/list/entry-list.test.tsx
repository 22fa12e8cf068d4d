import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { BlockedIp } from '../../../api/types.ts';
import { FakeService } from '../../../test/fake-service.ts';
import { renderInApp } from '../../../test/render.tsx';
import { EntryList } from './entry-list.tsx';
import { PageCache, type PageRequest } from './page-cache.ts';

const total = 1_000;
const address = (row: number): string => `10.0.${row >> 8}.${row & 255}`;
const entry = (row: number): BlockedIp => ({
  ip_address: address(row),
  reason: row === 1 ? 'port scan' : null,
  blocked_by: 'ops',
  blocked_at: '2026-11-01T00:00:00Z',
  expires_at: null,
});
const requests: PageRequest[] = [];
const sort = { by: 'address', descending: false, onSort: vi.fn() } as const;
const handlers = { onSelect: vi.fn(), onOpen: vi.fn(), onRemove: vi.fn(), onRemoveSelected: vi.fn() };

async function show(selected: readonly string[] | 'all' = [], found = ''): Promise<HTMLElement> {
  new FakeService();
  const cache = new PageCache(async (request) => {
    requests.push(request);
    const from = request.cursor === null ? request.offset : Number(request.cursor);
    const items = Array.from({ length: Math.min(request.limit, total - from) }, (_, at) => entry(from + at));
    return { items, next_cursor: from + request.limit < total ? String(from + request.limit) : null, total };
  }, 50);
  await cache.refresh();
  const props = { cache, found, opened: address(3), sort, ...handlers };
  await renderInApp(<EntryList {...props} selected={selected === 'all' ? selected : new Set(selected)} />);
  return screen.findByRole('grid');
}

beforeEach(() => {
  requests.length = 0;
  vi.clearAllMocks();
});

it('renders only the visible rows of a long list', async () => {
  const grid = await show();
  expect(grid.getAttribute('aria-rowcount')).toBe('1001');
  expect(screen.getAllByRole('row').length).toBeLessThan(30);
  screen.getByText(address(0));
  expect(requests).toHaveLength(1);
});

it('jumps to the last row with End, and loads its page alone', async () => {
  const grid = await show();
  fireEvent.keyDown(grid, { key: 'End' });
  await screen.findByText(address(999));
  expect(requests.slice(1).map(({ offset }) => offset)).toEqual([950]);
});

it('opens, selects and removes the active row by keyboard', async () => {
  const grid = await show();
  fireEvent.keyDown(grid, { key: 'ArrowDown' });
  fireEvent.keyDown(grid, { key: 'Enter' });
  fireEvent.keyDown(grid, { key: ' ' });
  fireEvent.keyDown(grid, { key: 'Delete' });
  expect(handlers.onOpen).toHaveBeenCalledWith(entry(1));
  expect(handlers.onSelect).toHaveBeenCalledWith(entry(1), null);
  expect(handlers.onRemove).toHaveBeenCalledWith(entry(1));
});

it('moves, selects and removes by letters too', async () => {
  const grid = await show();
  for (const key of ['j', 'j', 'k', 'x', 'u']) fireEvent.keyDown(grid, { key });
  expect(handlers.onSelect).toHaveBeenCalledWith(entry(1), null);
  expect(handlers.onRemove).toHaveBeenCalledWith(entry(1));
});

it('selects a range with Shift, and removes all selected rows with Delete on one of them', async () => {
  const grid = await show([address(2)]);
  fireEvent.keyDown(grid, { key: ' ' });
  fireEvent.keyDown(grid, { key: 'ArrowDown' });
  fireEvent.keyDown(grid, { key: 'ArrowDown' });
  fireEvent.keyDown(grid, { key: ' ', shiftKey: true });
  expect(handlers.onSelect).toHaveBeenLastCalledWith(entry(2), [entry(0), entry(1), entry(2)]);
  fireEvent.keyDown(grid, { key: 'Delete' });
  expect(handlers.onRemoveSelected).toHaveBeenCalledOnce();
  expect(handlers.onRemove).not.toHaveBeenCalled();
});

it('marks the searched text', async () => {
  const grid = await show([], 'SCAN');
  await waitFor(() => expect(grid.querySelector('mark')?.textContent).toBe('scan'));
});

it('sorts by a column with its header, and back with a second press', async () => {
  await show();
  const [address, blocked] = screen.getAllByRole('columnheader').filter((header) => header.hasAttribute('aria-sort'));
  expect([address?.getAttribute('aria-sort'), blocked?.getAttribute('aria-sort')]).toEqual(['ascending', 'none']);
  fireEvent.click(screen.getByRole('button', { name: 'Blocked' }));
  // The newest are of interest first.
  expect(sort.onSort).toHaveBeenLastCalledWith('blocked_at', true);
  fireEvent.click(screen.getByRole('button', { name: 'Address' }));
  expect(sort.onSort).toHaveBeenLastCalledWith('address', true);
  fireEvent.click(screen.getByRole('button', { name: 'Expires' }));
  expect(sort.onSort).toHaveBeenLastCalledWith('expires_at', false);
});

it('leaves the keys of a header to its button', async () => {
  await show();
  fireEvent.keyDown(screen.getByRole('button', { name: 'Expires' }), { key: 'Enter' });
  expect(handlers.onOpen).not.toHaveBeenCalled();
});

it('marks every row as selected where all are, and removes all of them with Delete', async () => {
  const grid = await show('all');
  for (const row of screen.getAllByRole('row').slice(1)) expect(row.getAttribute('aria-selected')).toBe('true');
  fireEvent.keyDown(grid, { key: 'Delete' });
  expect(handlers.onRemoveSelected).toHaveBeenCalledOnce();
  expect(handlers.onRemove).not.toHaveBeenCalled();
});

it('marks the row whose story is open', async () => {
  const grid = await show();
  expect(grid.querySelector('[data-opened="true"] [data-column]')?.textContent).toBe(address(3));
});
