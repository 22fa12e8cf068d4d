import { fireEvent, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { FakeService } from '../../test/fake-service.ts';
import { renderInApp } from '../../test/render.tsx';
import { NoEntries } from './no-entries.tsx';

const handlers = { onSearchText: vi.fn(), onClearFilters: vi.fn(), onBlock: vi.fn(), onImport: vi.fn() };
const buttons = (): (string | null)[] => screen.queryAllByRole('button').map(({ textContent }) => textContent);

async function show(scopes: readonly string[], filtered = false): Promise<void> {
  const service = new FakeService();
  service.on('POST /api/session', () => ({ body: { token: 'pms_1', name: 'ann', scopes, client_address: null } }));
  await renderInApp(
    <NoEntries search={{ kind: 'all' }} expiring={false} neverMatched={false} filtered={filtered} {...handlers} />,
  );
}

it('leads from an empty list to a block and to an import', async () => {
  await show(['block']);
  expect(buttons()).toEqual(['Block an address', 'Import a list']);
  fireEvent.click(screen.getByRole('button', { name: 'Block an address' }));
  expect(handlers.onBlock).toHaveBeenCalledOnce();
  fireEvent.click(screen.getByRole('button', { name: 'Import a list' }));
  expect(handlers.onImport).toHaveBeenCalledOnce();
});

it('offers a read key nothing that it may not do', async () => {
  await show(['read']);
  expect(buttons()).toEqual([]);
});

it('offers only to remove the filters where they may hide entries', async () => {
  await show(['admin'], true);
  expect(buttons()).toEqual(['Remove all filters']);
});
