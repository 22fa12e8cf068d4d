import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { allBlocked } from '../../../api/blocked-ips.ts';
import type { ListedIp } from '../../../api/types.ts';
import { FakeService } from '../../../test/fake-service.ts';
import { renderInApp } from '../../../test/render.tsx';
import { EntryList } from './entry-list.tsx';
import { PageCache, type PageRequest } from './page-cache.ts';

const total = 1_000;
const address = (row: number): string => `10.0.${row >> 8}.${row & 255}`;
const hits = { last_24h: 12_345, last_30d: null, total: 20_000, first_hit: null, last_hit: null };
const entry = (row: number): ListedIp => ({
  ip_address: address(row),
  reason: row === 1 ? 'port scan' : null,
  blocked_by: 'ops',
  blocked_at: '2026-11-01T00:00:00Z',
  expires_at: null,
  hits: [hits, { ...hits, last_24h: null, spark: [4, 5] }, { ...hits, last_24h: 0, total: 0 }][row] ?? null,
});
const requests: PageRequest[] = [];
let service: FakeService;
const sort = { by: 'address', descending: false, onSort: vi.fn() } as const;
const handlers = {
  onSelect: vi.fn(),
  onOpen: vi.fn(),
  onUnblock: vi.fn(),
  onUnblockSelected: vi.fn(),
  onEdit: vi.fn(),
};

async function show(selected: readonly string[] | 'all' = [], found = ''): Promise<HTMLElement> {
  service = new FakeService();
  service.on('GET /api/blocked-ips', () => ({
    body: {
      items: [{ ...entry(0), hits: { ...hits, spark: [1, 0, 2] } }, entry(3)],
      total,
      next_cursor: null,
    },
  }));
  const cache = new PageCache(async (request) => {
    requests.push(request);
    const from = request.cursor === null ? request.offset : Number(request.cursor);
    const items = Array.from({ length: Math.min(request.limit, total - from) }, (_, at) => entry(from + at));
    return { items, next_cursor: from + request.limit < total ? String(from + request.limit) : null, total };
  }, 50);
  await cache.refresh();
  const props = { cache, query: { ...allBlocked, text: found }, opened: address(3), sort, ...handlers };
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

it('opens, selects and unblocks the active row by keyboard', async () => {
  const grid = await show();
  fireEvent.keyDown(grid, { key: 'ArrowDown' });
  fireEvent.keyDown(grid, { key: 'Enter' });
  fireEvent.keyDown(grid, { key: ' ' });
  fireEvent.keyDown(grid, { key: 'Delete' });
  expect(handlers.onOpen).toHaveBeenCalledWith(entry(1));
  expect(handlers.onSelect).toHaveBeenCalledWith(entry(1), null);
  expect(handlers.onUnblock).toHaveBeenCalledWith(entry(1));
});

it('moves, selects, edits and unblocks by letters too', async () => {
  const grid = await show();
  for (const key of ['j', 'j', 'k', 'x', 'e', 'u']) fireEvent.keyDown(grid, { key });
  expect(handlers.onSelect).toHaveBeenCalledWith(entry(1), null);
  expect(handlers.onEdit).toHaveBeenCalledWith(entry(1));
  expect(handlers.onUnblock).toHaveBeenCalledWith(entry(1));
});

it('edits nothing by key while all that the filters select is selected', async () => {
  const grid = await show('all');
  for (const key of ['e', 'u']) fireEvent.keyDown(grid, { key });
  expect(handlers.onUnblockSelected).toHaveBeenCalledOnce();
  expect(handlers.onEdit).not.toHaveBeenCalled();
});

it('selects a range with Shift, and unblocks all selected rows with Delete on one of them', async () => {
  const grid = await show([address(2)]);
  fireEvent.keyDown(grid, { key: ' ' });
  fireEvent.keyDown(grid, { key: 'ArrowDown' });
  fireEvent.keyDown(grid, { key: 'ArrowDown' });
  fireEvent.keyDown(grid, { key: ' ', shiftKey: true });
  expect(handlers.onSelect).toHaveBeenLastCalledWith(entry(2), [entry(0), entry(1), entry(2)]);
  fireEvent.keyDown(grid, { key: 'Delete' });
  expect(handlers.onUnblockSelected).toHaveBeenCalledOnce();
  expect(handlers.onUnblock).not.toHaveBeenCalled();
});

it('marks the searched text', async () => {
  const grid = await show([], 'SCAN');
  await waitFor(() => expect(grid.querySelector('mark')?.textContent).toBe('scan'));
});

it('shows what each entry denied, and why a figure is not known, which is never 0', async () => {
  const grid = await show();
  const cells = (row: number): (string | null)[][] =>
    [...grid.querySelectorAll(`[aria-rowindex="${row + 2}"] > span`)]
      .slice(5, 8)
      .map((cell) => [cell.textContent, cell.getAttribute('title')]);
  expect(cells(0)).toEqual([
    ['12,345', null],
    ['', null],
    ['—', 'No request was counted, but a part of the time was not watched.'],
  ]);
  expect(cells(1)[0]).toEqual([
    '—',
    'Not known: a part of the last 24 h was not watched, or an earlier block of the address has some of them.',
  ]);
  expect([cells(2)[0], cells(2)[2]]).toEqual([
    ['0', null],
    ['Never', 'It denied no request since it was blocked.'],
  ]);
  const notCounted = 'Not known: the service does not count denied requests, or it has just started.';
  expect(cells(3)).toEqual([
    ['—', notCounted],
    ['', null],
    ['—', notCounted],
  ]);
});

it('draws the hours of the visible rows, with one request', async () => {
  const grid = await show();
  await waitFor(() => expect(grid.querySelectorAll('[aria-rowindex="2"] rect')).toHaveLength(3));
  expect(grid.querySelectorAll('[aria-rowindex="5"] rect')).toHaveLength(0);
  expect(service.calls.filter(({ call }) => call === 'GET /api/blocked-ips')).toHaveLength(1);
});

it('draws the hours of a text search, which reads every entry, without another request', async () => {
  const grid = await show([], 'scan');
  await waitFor(() => expect(grid.querySelector('mark')).not.toBeNull());
  expect(grid.querySelectorAll('[aria-rowindex="3"] rect')).toHaveLength(2);
  expect(service.calls.filter(({ call }) => call === 'GET /api/blocked-ips')).toHaveLength(0);
});

it('sorts by a column with its header, and back with a second press', async () => {
  await show();
  const [address, , , blocked] = screen
    .getAllByRole('columnheader')
    .filter((header) => header.hasAttribute('aria-sort'));
  expect([address?.getAttribute('aria-sort'), blocked?.getAttribute('aria-sort')]).toEqual(['ascending', 'none']);
  fireEvent.click(screen.getByRole('button', { name: 'Blocked' }));
  // The newest are of interest first.
  expect(sort.onSort).toHaveBeenLastCalledWith('blocked_at', true);
  fireEvent.click(screen.getByRole('button', { name: 'Address' }));
  expect(sort.onSort).toHaveBeenLastCalledWith('address', true);
  fireEvent.click(screen.getByRole('button', { name: 'Denied, 24 h' }));
  expect(sort.onSort).toHaveBeenLastCalledWith('hits', true);
  fireEvent.click(screen.getByRole('button', { name: 'Expires' }));
  expect(sort.onSort).toHaveBeenLastCalledWith('expires_at', false);
});

it('leaves the keys of a header to its button', async () => {
  await show();
  fireEvent.keyDown(screen.getByRole('button', { name: 'Expires' }), { key: 'Enter' });
  expect(handlers.onOpen).not.toHaveBeenCalled();
});

it('marks every row as selected where all are, and unblocks all of them with Delete', async () => {
  const grid = await show('all');
  for (const row of screen.getAllByRole('row').slice(1)) expect(row.getAttribute('aria-selected')).toBe('true');
  fireEvent.keyDown(grid, { key: 'Delete' });
  expect(handlers.onUnblockSelected).toHaveBeenCalledOnce();
  expect(handlers.onUnblock).not.toHaveBeenCalled();
});

it('marks the row whose story is open', async () => {
  const grid = await show();
  expect(grid.querySelector('[data-opened="true"] [data-column]')?.textContent).toBe(address(3));
});
