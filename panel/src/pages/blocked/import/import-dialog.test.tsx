import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { FakeService, problem } from '../../../test/fake-service.ts';
import { renderInApp } from '../../../test/render.tsx';
import { ImportDialog } from './import-dialog.tsx';

const counts = { added: 2, updated: 0, removed: 0, unchanged: 0, rejected: [], rejected_total: 0 };
let service: FakeService;
let failing: boolean;
beforeEach(() => {
  failing = false;
  service = new FakeService();
  service.on('POST /api/blocked-ips/batch', ({ query }) =>
    failing && query.get('dry_run') === null
      ? problem(503, 6003, 'the disk is full')
      : { body: { ...counts, runtime_map_updated: true } },
  );
});

const onClose = vi.fn();
const click = async (name: string): Promise<void> => {
  const button = await screen.findByRole('button', { name });
  await waitFor(() => expect(button.hasAttribute('disabled')).toBe(false));
  fireEvent.click(button);
};
const imported = () =>
  service.calls
    .filter(({ call, query }) => call.endsWith('/batch') && query.get('dry_run') === null)
    .map(({ body }) => body);

async function preview(list: string): Promise<void> {
  await renderInApp(<ImportDialog onClose={onClose} />);
  fireEvent.change(screen.getByLabelText('Or paste a list'), { target: { value: list } });
  await click('Preview list');
}

it('previews a list with its invalid lines, and changes nothing yet', async () => {
  await preview('192.0.2.1\n192.0.2.300\n192.0.2.2\n192.0.2.1\n');
  await screen.findByText('1 invalid line will be skipped');
  expect((await screen.findByRole('table', { name: 'Invalid lines' })).textContent).toContain('192.0.2.300');
  expect(screen.getByText(/to import/).textContent).toBe('2 entries to import, 1 duplicate');
  await screen.findByText('2 new entries.');
  expect(imported()).toEqual([]);
});

it('imports the list with the defaults of the dialog, and reports the result', async () => {
  await preview('192.0.2.1\n192.0.2.2\n');
  fireEvent.change(await screen.findByLabelText('Default reason'), { target: { value: 'feed' } });
  fireEvent.click(screen.getByLabelText('1 day'));
  await click('Import 2 entries');
  await screen.findByText('Done. 2 of 2 entries: 2 newly blocked, 0 unchanged');
  const entry = { reason: 'feed', duration_seconds: 86_400 };
  expect(imported()).toEqual([
    {
      add: [
        { ip_address: '192.0.2.1', ...entry },
        { ip_address: '192.0.2.2', ...entry },
      ],
    },
  ]);
});

it('stops at a failure, and resumes after it', async () => {
  failing = true;
  await preview('192.0.2.1\n192.0.2.2\n');
  await click('Import 2 entries');
  await screen.findByText('Import stopped');
  await screen.findByText('The disk is full.');
  failing = false;
  await click('Resume import');
  await screen.findByText('Done. 2 of 2 entries: 2 newly blocked, 0 unchanged');
});

it('replaces lines with host bits by their networks, and asks for confirmation again', async () => {
  await preview('203.0.113.50\n10.1.2.3/8\n');
  const confirmation = (await screen.findByLabelText('Import anyway')) as HTMLInputElement;
  fireEvent.click(confirmation);
  await click('Use 10.0.0.0/8 for line 2');
  await screen.findByText('10.0.0.0/8 contains 16,777,216 addresses.');
  await waitFor(() => expect((screen.getByLabelText('Import anyway') as HTMLInputElement).checked).toBe(false));
  expect((screen.getByRole('button', { name: 'Import 2 entries' }) as HTMLButtonElement).disabled).toBe(true);
});

it('keeps the pasted text and the defaults when going back', async () => {
  await preview('192.0.2.1\n');
  fireEvent.change(await screen.findByLabelText('Default reason'), { target: { value: 'feed' } });
  await click('Back');
  expect((screen.getByLabelText('Or paste a list') as HTMLTextAreaElement).value).toBe('192.0.2.1\n');
  await click('Preview list');
  expect(((await screen.findByLabelText('Default reason')) as HTMLInputElement).value).toBe('feed');
});

it('names the CDNs to which entries belong, before and after the import', async () => {
  const known_cdns = [{ cdn: 'cloudflare', entries: 2, example: '104.16.0.1' }];
  service.on('POST /api/blocked-ips/batch', () => ({ body: { ...counts, known_cdns, runtime_map_updated: true } }));
  await preview('104.16.0.1\n104.16.0.2\n');
  const belong = '2 entries belong to Cloudflare, such as 104.16.0.1: if your sites are behind this CDN,';
  await screen.findByText(`${belong} remove them from the list and add the CDN as an upstream.`);
  await click('Import 2 entries');
  await screen.findByText(`${belong} unblock them and add the CDN as an upstream.`);
});

const trust = (ip_address: string, expires_at: string | null) =>
  service.on('GET /api/trusted-ips', () => ({ body: { items: [{ ip_address, note: null, expires_at }], total: 1 } }));

it('says on the button that trusted addresses stay allowed, and asks for nothing more', async () => {
  trust('192.0.2.1', null);
  await preview('192.0.2.1\n192.0.2.2\n');
  await screen.findByText('192.0.2.1 is trusted, so this block would have no effect.');
  expect(screen.queryByRole('checkbox', { name: 'Import anyway' })).toBeNull();
  await click('Import anyway: trusted addresses stay allowed');
  await screen.findByText('Done. 2 of 2 entries: 2 newly blocked, 0 unchanged');
});

it('asks for a confirmation if the import ends temporary trust', async () => {
  trust('192.0.2.1', '2030-01-01T00:00:00.000Z');
  await preview('192.0.2.1\n192.0.2.2\n');
  await screen.findByText('192.0.2.1 has temporary trust. This block ends it.');
  expect((screen.getByRole('button', { name: 'Import 2 entries' }) as HTMLButtonElement).disabled).toBe(true);
  fireEvent.click(screen.getByLabelText('Import anyway'));
  await click('Import 2 entries');
  await screen.findByText('Done. 2 of 2 entries: 2 newly blocked, 0 unchanged');
});

it('waits until it is known which addresses are trusted', async () => {
  service.on('GET /api/trusted-ips', () => new Promise(() => undefined));
  await preview('192.0.2.1\n192.0.2.2\n');
  await screen.findByText('2 new entries.');
  expect((screen.getByRole('button', { name: 'Import 2 entries' }) as HTMLButtonElement).disabled).toBe(true);
});
