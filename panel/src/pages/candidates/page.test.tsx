import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { FakeService } from '../../test/fake-service.ts';
import { renderInApp } from '../../test/render.tsx';
import CandidatesPage from './page.tsx';

const limits = { rate: 100, error_share: 0.5, error_requests: 500, attack_factor: 5, attack_minimum: 60 };
const candidate = (ip: string, rate: number) => ({
  ip_address: ip,
  rate,
  requests: Math.round(rate * 600),
  error_share: 0.92,
  active_since: '2026-11-20T11:46:10.000Z',
  network: '198.51.100.0/24',
  clients_inside: 2,
  spark: [1, 2, 3],
});
const loud = candidate('198.51.100.7', 41.2);
const verified = {
  runtime_map_updated: true,
  runtime_map_failures: [],
  runtime_map_failures_total: 0,
  reload_scheduled: false,
};

async function open(items: readonly object[], session: object = {}): Promise<FakeService> {
  const service = new FakeService();
  const info = { token: 'pms_1', name: 'ann', scopes: ['admin'], source: null, client_address: '203.0.113.50' };
  service.on('POST /api/session', () => ({ body: { ...info, ...session } }));
  service.on('GET /api/insight/candidates', () => ({
    body: { limits, items, sampled: { one_in: 16 }, complete: true, gaps: [] },
  }));
  for (const ip of ['198.51.100.7', '198.51.100.0/24'])
    service.on(`GET /api/check/${ip}`, () => ({ body: { ip_address: ip, verdict: 'allowed', by: null, workers: [] } }));
  service.on('POST /api/blocked-ips', ({ body }) => ({
    status: 201,
    body: { expires_at: null, reason: null, blocked_by: 'ann', blocked_at: '', ...(body as object), ...verified },
  }));
  await renderInApp(<CandidatesPage />);
  return service;
}
const choose = async () => fireEvent.click(await screen.findByRole('button', { name: '198.51.100.7' }));
const blockButton = (name: string) => screen.findByRole('button', { name });
const checks = async (): Promise<string[]> => {
  const list = await screen.findByText('Before you block');
  return within(list.parentElement as HTMLElement)
    .getAllByRole('definition')
    .map(({ textContent }) => textContent ?? '');
};

it('blocks with one click, once every check has passed and is shown', async () => {
  const service = await open([loud]);
  await choose();
  await waitFor(async () => expect(await checks()).toEqual(['no', 'no', 'no', 'no', 'no']));
  fireEvent.click(await blockButton('Block for 1 day'));
  await screen.findByText('198.51.100.7 is blocked');
  expect(service.bodies('POST /api/blocked-ips')).toEqual([
    { ip_address: '198.51.100.7', reason: '41 requests/s, 92 % errors', blocked_by: 'ann', duration_seconds: 86_400 },
  ]);
});

it('sends nothing before the checks are known', async () => {
  const service = new FakeService();
  service.on('GET /api/insight/candidates', () => ({
    body: { limits, items: [loud], sampled: { one_in: 16 }, complete: true, gaps: [] },
  }));
  service.on('GET /api/check/198.51.100.7', () => new Promise(() => undefined));
  await renderInApp(<CandidatesPage />);
  await choose();
  const button = await blockButton('Block for 1 day');
  expect(button.hasAttribute('disabled')).toBe(true);
  fireEvent.submit(button.closest('form') as HTMLFormElement);
  expect(service.bodies('POST /api/blocked-ips')).toEqual([]);
});

it('asks for a confirmation where a check has a finding, such as the own address inside', async () => {
  const service = await open([loud], { client_address: '198.51.100.50' });
  await choose();
  await waitFor(async () => expect((await checks()).includes('no')).toBe(true));
  fireEvent.click(await screen.findByLabelText('198.51.100.0/24'));
  fireEvent.click(await blockButton('Review and block…'));
  await screen.findByRole('dialog', { name: 'Block an address' });
  expect(service.bodies('POST /api/blocked-ips')).toEqual([]);
});

it('ignores a client for a week, and takes it back', async () => {
  const service = await open([loud]);
  service.on('PUT /api/insight/candidates/198.51.100.7', () => ({
    body: { ip_address: '198.51.100.7', ignored_until: null },
  }));
  await choose();
  fireEvent.click(await blockButton('Ignore for 7 d'));
  fireEvent.click(await blockButton('Undo'));
  await waitFor(() =>
    expect(service.bodies('PUT /api/insight/candidates/198.51.100.7')).toEqual([
      { ignored_for_seconds: 604_800 },
      { ignored_for_seconds: 0 },
    ]),
  );
});

it('shows a key that only reads all of it, and no button that it may not use', async () => {
  await open([loud], { scopes: ['read'] });
  await choose();
  await waitFor(async () => expect(await checks()).toHaveLength(5));
  screen.getByText('41.2');
  screen.getByRole('img', { name: 'Requests of each of the last 3 minutes, oldest first: 1, 2, 3' });
  screen.getByRole('region', { name: 'All requests per minute' });
  for (const name of ['Block 198.51.100.7', 'Block for 1 day', 'Ignore for 7 d', 'Trust for 7 d'])
    expect(screen.queryByRole('button', { name })).toBeNull();
});

it('says which limits no client is above', async () => {
  await open([]);
  await screen.findByText('No candidates');
  screen.getByText('0 clients above 100 requests a second, or with more than 50 % errors, for ten minutes');
});

it('opens no candidate unasked', async () => {
  const service = await open([loud]);
  await screen.findByRole('table', { name: 'Candidates' });
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(service.calls.some(({ call }) => call.startsWith('GET /api/check/'))).toBe(false);
});

it('opens the checks from the button of a row, and blocks nothing before', async () => {
  const service = await open([loud]);
  fireEvent.click(await screen.findByRole('button', { name: 'Block 198.51.100.7' }));
  await waitFor(async () => expect(await checks()).toEqual(['no', 'no', 'no', 'no', 'no']));
  const button = await blockButton('Block for 1 day');
  // So that Enter blocks.
  await waitFor(() => expect(document.activeElement).toBe(button));
  expect(service.bodies('POST /api/blocked-ips')).toEqual([]);
  fireEvent.click(button);
  await screen.findByText('198.51.100.7 is blocked');
});

it('shows the details over the list where there is no room beside it', async () => {
  vi.stubGlobal('matchMedia', () => ({
    matches: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
  await open([loud]);
  await choose();
  const drawer = await screen.findByRole('dialog', { name: '198.51.100.7' });
  within(drawer).getByText('Before you block');
  expect(drawer.getAttribute('aria-modal')).toBe('true');
});

it('shows the limits and the sample that the service has', async () => {
  const other = { ...limits, rate: 7, error_share: 0.95, error_requests: 2_000 };
  const service = new FakeService();
  service.on('GET /api/insight/candidates', () => ({
    body: { limits: other, items: [loud], sampled: { one_in: 64 }, complete: true, gaps: [] },
  }));
  await renderInApp(<CandidatesPage />);
  await screen.findByText('1 client above 7 requests a second, or with more than 95 % errors, for ten minutes');
  screen.getByText(/^Estimated from 1 in 64 requests: ± 16 %/);
  screen.getByText(/^HAProxy counts 1 in 64 requests of each client/);
  screen.getByText('95 %, if there are 2,000');
  // Below the limit of errors: its rate makes it a candidate.
  expect(document.querySelector('[data-row]')?.getAttribute('data-attention')).toBe('false');
});
