import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { BlockedIp, Claim } from '../../../api/types.ts';
import { FakeService, problem } from '../../../test/fake-service.ts';
import { renderInApp } from '../../../test/render.tsx';
import { BlockDialog } from './block-dialog.tsx';

const ip = '198.51.100.7';
const existing: BlockedIp = {
  ip_address: ip,
  reason: 'court order',
  blocked_by: 'legal',
  blocked_at: '2026-11-01T00:00:00Z',
  expires_at: null,
};
const report = {
  runtime_map_updated: true,
  runtime_map_failures: [],
  runtime_map_failures_total: 0,
  reload_scheduled: false,
};

let service: FakeService;
beforeEach(() => {
  service = new FakeService();
  service.on('POST /api/blocked-ips', ({ body }) => ({ status: 201, body: { ...(body as object), ...report } }));
});

const onClose = vi.fn();
const open = () => renderInApp(<BlockDialog entry={null} onClose={onClose} />);
const type = (label: string, text: string): void =>
  void fireEvent.change(screen.getByLabelText(label), { target: { value: text } });
const button = (name: string) => screen.findByRole('button', { name });
const isDisabled = async (name: string) => ((await button(name)) as HTMLButtonElement).disabled;
const sent = () => service.bodies('POST /api/blocked-ips');

it('blocks a new address for a duration, once the lookup has found no entry', async () => {
  await open();
  type('Address or network', ip);
  type('Reason', ' scan ');
  fireEvent.click(screen.getByLabelText('4 hours'));
  // Enter right after the last character: the dialog waits for the lookup.
  fireEvent.submit(screen.getByLabelText('Reason'));
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(sent()).toEqual([{ ip_address: ip, reason: 'scan', blocked_by: 'ann', duration_seconds: 14_400 }]);
  await screen.findByText(`${ip} is blocked`);
  await screen.findByText('Active in every worker.');
});

it('shows an existing entry, and extends it without its reason and author', async () => {
  service.on(`GET /api/blocked-ips/${ip}`, () => ({ body: existing }));
  await open();
  type('Address or network', ip);
  fireEvent.submit(screen.getByLabelText('Reason'));
  expect((await screen.findByTestId('existing')).textContent).toBe('Permanent. Blocked by: legal. Reason: court order');
  expect(sent()).toEqual([]);
  fireEvent.click(screen.getByLabelText('1 hour'));
  fireEvent.click(await button('Extend block'));
  await waitFor(() => expect(sent()).toEqual([{ ip_address: ip, duration_seconds: 3_600 }]));
});

it('replaces an existing entry only on request', async () => {
  service.on(`GET /api/blocked-ips/${ip}`, () => ({ body: existing }));
  await open();
  type('Address or network', ip);
  fireEvent.click(await screen.findByLabelText('Replace'));
  type('Reason', 'port scan');
  fireEvent.click(await button('Replace block'));
  const replaced = { ip_address: ip, reason: 'port scan', blocked_by: 'ann', expires_at: null };
  await waitFor(() => expect(sent()).toEqual([replaced]));
});

it('does not block while the lookup fails, and offers a retry', async () => {
  service.on(`GET /api/blocked-ips/${ip}`, () => problem(503, 6003, 'the database is busy'));
  await open();
  type('Address or network', ip);
  await screen.findByText('Could not check whether the address is already blocked');
  expect(await isDisabled('Block address')).toBe(true);
  service.on(`GET /api/blocked-ips/${ip}`, () => problem(404, 6001, 'not blocked'));
  fireEvent.click(await button('Try again'));
  await waitFor(async () => expect(await isDisabled('Block address')).toBe(false));
});

it('requires a confirmation before blocking the own address', async () => {
  await open();
  type('Address or network', '203.0.113.50');
  await screen.findByText('203.0.113.50 is your own address. You would be blocked from all sites.');
  expect(await isDisabled('Block address')).toBe(true);
  fireEvent.click(screen.getByLabelText('Block anyway'));
  expect(await isDisabled('Block address')).toBe(false);
});

it('shows a rejection of the service in the dialog', async () => {
  service.on('POST /api/blocked-ips', () => problem(422, 6030, 'the network is too wide'));
  await open();
  type('Address or network', '10.0.0.0/16');
  fireEvent.submit(screen.getByLabelText('Reason'));
  await screen.findByText('Could not block the address');
  await screen.findByText('The network is too wide.');
  await screen.findByLabelText('Block this wide network anyway');
});

it('warns that an address belongs to a CDN, unless that is an upstream', async () => {
  const cdn = '173.245.48.7';
  await open();
  type('Address or network', cdn);
  await screen.findByText(/belongs to Cloudflare/);
  expect(await isDisabled('Block address')).toBe(true);
  const other = '173.245.48.8';
  service.on(`GET /api/check/${other}`, () => ({ body: { ip_address: other, verdict: 'allowed', upstream: 'cdn' } }));
  type('Address or network', other);
  await screen.findByText(/belongs to the upstream cdn, which is always served/);
  expect(screen.queryByText(/belongs to Cloudflare/)).toBeNull();
});

it('edits the own claim, not what a list claims for longer', async () => {
  const claim = { claimed_at: existing.blocked_at, blocked_by: 'ann' };
  const claims: Claim[] = [
    { ...claim, source: 'drop', kind: 'list', reason: 'on the list', expires_at: null },
    { ...claim, source: 'manual', kind: 'manual', reason: 'court order', expires_at: '2099-01-01T00:00:00.000Z' },
  ];
  await renderInApp(<BlockDialog entry={{ ...existing, reason: 'on the list', claims }} onClose={onClose} />);
  const field: HTMLInputElement = await screen.findByLabelText('Reason');
  expect(field.value).toBe('court order');
  type('Reason', 'court order 17');
  fireEvent.click(await button('Save changes'));
  const kept = { ip_address: ip, reason: 'court order 17', expires_at: '2099-01-01T00:00:00.000Z' };
  await waitFor(() => expect(sent()).toEqual([kept]));
});
