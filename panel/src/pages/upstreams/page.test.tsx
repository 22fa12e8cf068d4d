import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { LiveEvents } from '../../live/live.tsx';
import { FakeService, problem } from '../../test/fake-service.ts';
import { renderInApp } from '../../test/render.tsx';
import UpstreamsPage from './page.tsx';

const at = '2026-11-20T12:00:00.000Z';
const lb = {
  name: 'lb',
  preset: null,
  networks: ['10.0.3.0/24', '10.0.4.0/24', '10.0.5.0/24', '10.0.6.0/24'],
  addresses: '1024',
  header: 'x-forwarded-for',
  chain: false,
  proxy_protocol: false,
  on_invalid: 'reject',
  note: null,
  created_at: at,
  updated_at: at,
  networks_at: at,
  unnamed_requests: 1_234,
  last_unnamed_at: at,
  blocked_inside: ['10.0.3.7'],
  blocked_inside_total: 1,
};
const report = {
  runtime_map_updated: true,
  runtime_map_failures: [],
  runtime_map_failures_total: 0,
  reload_scheduled: false,
};

async function open(items: readonly object[], members: object = {}, scope = 'admin'): Promise<FakeService> {
  const service = new FakeService();
  const info = { token: 'pms_1', name: 'ann', scopes: [scope], source: null, client_address: null };
  service.on('POST /api/session', () => ({ body: info }));
  service.on('GET /health', () => ({ body: { status: 'ok', reasons: [], attached: null } }));
  service.on('GET /api/upstreams', () => ({
    body: { items, total: items.length, in_force: true, reason: null, ...members },
  }));
  await renderInApp(
    <LiveEvents>
      <UpstreamsPage />
    </LiveEvents>,
  );
  await (items.length === 0 ? screen.findByText('No upstreams yet') : screen.findByText('lb'));
  return service;
}

const button = (name: string) => screen.getByRole('button', { name });
const type = (label: string, text: string) =>
  fireEvent.change(screen.getByRole('textbox', { name: label }), { target: { value: text } });

it('shows why upstreams are not in force, and never in green', async () => {
  await open([lb], { in_force: false, reason: 'current worker 7: upstreams map: 10.0.3.0/24 is missing' });
  await screen.findByText('Current worker 7: upstreams map: 10.0.3.0/24 is missing.');
  screen.getByText(/The service repairs workers every 30 s/);
  const row = screen.getByRole('row', { name: /lb/ });
  within(row).getByText('Not in force');
  expect(row.querySelector('[data-tone="good"]')).toBeNull();
});

it('shows how many requests named no client', async () => {
  await open([lb, { ...lb, name: 'other', unnamed_requests: 0, last_unnamed_at: null }]);
  within(screen.getByRole('row', { name: /^lb/ })).getByText(/^1,234 requests named no client and were not checked/);
  screen.getByText(/^Requests that name no client:/);
  expect(within(screen.getByRole('row', { name: /^other/ })).queryByText(/named no client/)).toBeNull();
});

it('shows the first networks, all on request, and the blocked entries inside', async () => {
  await open([lb]);
  const row = screen.getByRole('row', { name: /lb/ });
  expect(within(row).queryByText('10.0.6.0/24')).toBeNull();
  fireEvent.click(button('Show all networks of lb'));
  await within(row).findByText('10.0.6.0/24');
  within(row).getByText(/^1 blocked entry inside/);
  within(row).getByRole('link', { name: '10.0.3.7' });
});

it('offers a read-only key no changes, but the checked address', async () => {
  const service = await open([lb], {}, 'read');
  for (const name of [/Add/, /Edit/, /Remove/]) expect(screen.queryByRole('button', { name })).toBeNull();
  service.on('POST /api/client-address', () => ({
    body: {
      client: '203.0.113.7',
      steps: [
        { address: '10.0.3.7', header: null, upstream: 'lb' },
        { address: '203.0.113.7', header: 'x-forwarded-for', upstream: null },
      ],
      upstream: 'lb',
      verdict: 'blocked',
      by: '203.0.113.0/24',
      status: 403,
      upstreams_in_force: true,
      upstreams_reason: null,
    },
  }));
  type('Address that connects', '10.0.3.7');
  type('Headers', 'X-Forwarded-For: 203.0.113.7');
  fireEvent.click(button('Show checked address'));
  await screen.findByText('HAProxy checks 203.0.113.7: blocked by 203.0.113.0/24, so it answers 403.');
  screen.getByText('X-Forwarded-For names 203.0.113.7.');
  expect(service.bodies('POST /api/client-address')).toEqual([
    { peer: '10.0.3.7', headers: [{ name: 'X-Forwarded-For', value: '203.0.113.7' }] },
  ]);
});

it('says next to the checked address where upstreams are not in force', async () => {
  const service = await open([lb]);
  service.on('POST /api/client-address', () => ({
    body: {
      client: '10.0.3.7',
      steps: [{ address: '10.0.3.7', header: null, upstream: 'lb' }],
      upstream: 'lb',
      verdict: 'no_client',
      by: null,
      status: null,
      upstreams_in_force: null,
      upstreams_reason: 'no worker was found',
    },
  }));
  type('Address that connects', '10.0.3.7');
  fireEvent.click(button('Show checked address'));
  await screen.findByText('Not known whether upstreams are in force: no worker was found.');
});

it('shows the service’s rejection of the peer at its field', async () => {
  const service = await open([]);
  service.on('POST /api/client-address', () => {
    const { status, body } = problem(400, 101, 'peer: it is a network');
    return {
      status: status ?? 400,
      body: { ...(body as object), errors: [{ name: 'peer', description: 'it is a network' }] },
    };
  });
  type('Address that connects', '10.0.3.0/24');
  fireEvent.click(button('Show checked address'));
  await screen.findByText('It is a network.');
  expect(screen.queryByRole('alert')).toBeNull();
});

it('adds an upstream, and shows which blocked entries lose their effect', async () => {
  const service = await open([]);
  service.on('PUT /api/upstreams/lb', () => ({ status: 201, body: { ...lb, ...report } }));
  fireEvent.click(button('Add upstream'));
  const dialog = within(await screen.findByRole('dialog'));
  type('Name', 'lb');
  type('Addresses and networks', '10.0.3.0/24');
  fireEvent.click(dialog.getByRole('button', { name: 'Add upstream' }));
  await screen.findByText('1 blocked entry inside no longer denies what lb sends.');
  expect(service.bodies('PUT /api/upstreams/lb')).toMatchObject([
    { networks: ['10.0.3.0/24'], header: 'x-forwarded-for', chain: false },
  ]);
  fireEvent.click(button('Done'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('shows what the service rejects at the field, and keeps the form', async () => {
  const service = await open([]);
  service.on('PUT /api/upstreams/lb', () => {
    const { body } = problem(409, 1002, '10.0.3.0/24 belongs to the upstream other');
    return { status: 409, body: { ...(body as object), taken: [{ network: '10.0.3.0/24', upstream: 'other' }] } };
  });
  fireEvent.click(button('Add upstream'));
  const dialog = within(await screen.findByRole('dialog'));
  type('Name', 'lb');
  type('Addresses and networks', '10.0.3.0/24');
  fireEvent.click(dialog.getByRole('button', { name: 'Add upstream' }));
  await dialog.findByText('10.0.3.0/24 belongs to the upstream other.');
  expect(dialog.queryByRole('alert')).toBeNull();
  type('Addresses and networks', '10.0.4.0/24');
  await waitFor(() => expect(dialog.queryByText('10.0.3.0/24 belongs to the upstream other.')).toBeNull());
});

it('says before the removal of the last upstream that HAProxy reloads, and restores it with Undo', async () => {
  const service = await open([lb]);
  service.on('DELETE /api/upstreams/lb', () => ({ body: { name: 'lb', ...report } }));
  service.on('PUT /api/upstreams/lb', () => ({ status: 201, body: { ...lb, ...report } }));
  fireEvent.click(button('Remove lb'));
  const dialog = within(await screen.findByRole('dialog'));
  dialog.getByText(/a safe reload removes the rules/);
  dialog.getByText(/1 blocked entry inside its networks takes effect again/);
  fireEvent.click(dialog.getByRole('button', { name: 'Remove upstream' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() =>
    expect(service.bodies('PUT /api/upstreams/lb')).toMatchObject([{ networks: lb.networks, header: lb.header }]),
  );
});
