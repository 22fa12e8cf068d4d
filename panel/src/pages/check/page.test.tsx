import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { CheckAnswer } from '../../api/types.ts';
import { FakeService, problem } from '../../test/fake-service.ts';
import { renderInApp } from '../../test/render.tsx';
import CheckPage from './page.tsx';

const ip = '192.0.2.7';
const network = '192.0.2.0/24';
const allowed = { verdict: 'allowed', by: null, reason: null, expires_at: null, enforced: true, workers: [] } as const;
let service: FakeService;
beforeEach(() => {
  service = new FakeService();
});

async function check(address: string, answer: Partial<CheckAnswer>, scope = 'admin'): Promise<void> {
  const info = { token: 'pms_1', name: 'ann', scopes: [scope], source: null, client_address: null };
  service.on('POST /api/session', () => ({ body: info }));
  service.on(`GET /api/check/${address}`, () => ({ body: { ...allowed, ip_address: address, ...answer } }));
  service.on(`GET /api/blocked-ips/${address}`, () => problem(404, 6001, 'not blocked'));
  await renderInApp(<CheckPage />);
  fireEvent.change(await screen.findByLabelText('Address', { selector: 'input' }), { target: { value: address } });
  await screen.findByLabelText('Result');
}

const buttons = () =>
  screen
    .queryAllByRole('button')
    .map(({ textContent }) => textContent)
    .filter((text) => /^(Block|Unblock|Trust)/.test(text ?? ''));

it('offers to block or trust what is allowed, and names a network as one', async () => {
  await check(network, {});
  expect(buttons()).toEqual(['Block network', 'Trust network']);
});

it('leads to the entry that blocks, with its reason and expiry', async () => {
  await check(ip, { verdict: 'blocked', by: network, reason: 'scanner', expires_at: null });
  expect(screen.getByRole('link', { name: network }).getAttribute('href')).toBe('/blocked?entry=192.0.2.0%2F24');
  expect(screen.getByText(/Covered by the entry/).textContent).toBe(
    `Covered by the entry ${network}. Permanent. Reason: scanner`,
  );
  expect(buttons()).toEqual([`Unblock ${network}`, 'Trust address']);
});

it('leads to the trust that overrules a block', async () => {
  await check(ip, { verdict: 'trusted', by: ip, reason: 'monitoring' });
  expect(screen.getByRole('link', { name: ip }).getAttribute('href')).toBe(`/trusted?q=${ip}`);
  expect(buttons()).toEqual(['Block address']);
});

it('offers each key what it may do', async () => {
  await check(ip, { verdict: 'blocked', by: network }, 'block');
  expect(buttons()).toEqual([`Unblock ${network}`]);
  screen.getByText(/an administrator can trust it/);
});

it('shows a key that only reads the verdict and no button', async () => {
  await check(ip, { verdict: 'blocked', by: network }, 'read');
  expect(buttons()).toEqual([]);
});

it('trusts the address that was checked', async () => {
  await check(ip, { verdict: 'blocked', by: network });
  service.on(`PUT /api/trusted-ips/${ip}`, () => ({
    body: { ip_address: ip, note: null, expires_at: null, runtime_map_updated: true, runtime_map_failures: [] },
  }));
  fireEvent.click(screen.getByRole('button', { name: 'Trust address' }));
  const dialog = await screen.findByRole('dialog', { name: 'Trust an address' });
  fireEvent.submit(dialog.querySelector('form') as HTMLFormElement);
  await waitFor(() => expect(service.bodies(`PUT /api/trusted-ips/${ip}`)).toEqual([{ note: null, expires_at: null }]));
});
