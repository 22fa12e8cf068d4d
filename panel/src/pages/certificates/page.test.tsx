import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { LiveEvents } from '../../live/live.tsx';
import { FakeService, problem } from '../../test/fake-service.ts';
import { renderInApp } from '../../test/render.tsx';
import { SiteLock } from '../sites/tls/site-lock.tsx';
import CertificatesPage from './page.tsx';

const end = '2099-02-18T12:00:00.000Z';
const certificate = {
  id: 'c-aaaaaaaaaa',
  names: ['shop.example', 'www.shop.example', 'a.example', 'b.example'],
  other_names: [],
  source: 'upload',
  version: 1,
  state: 'active',
  served_until: end,
  not_before: '2026-11-20T12:00:00.000Z',
  not_after: end,
  days_left: 90,
  self_signed: false,
  subject: 'CN=shop.example',
  issuer: 'CN=E8',
  serial: '01',
  key_type: 'P-256',
  key_bits: null,
  sha256: 'ab',
  chain: ['CN=E8'],
  warnings: [],
  problem: null,
  sites: ['shop.example'],
  sites_total: 1,
  files: 'durable',
  workers: [
    { pid: 11, role: 'current', holds: true, reason: null },
    { pid: 10, role: 'draining', holds: false, reason: 'no answer' },
  ],
  runtime_updated: true,
  reload_scheduled: false,
  handshake: 'seen',
  handshake_reason: null,
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
};
const pem = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
const key = '-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n';

function serviceWith(items: readonly object[], scope = 'admin'): FakeService {
  const service = new FakeService();
  const info = { token: 'pms_1', name: 'ann', scopes: [scope], source: null, client_address: null };
  service.on('POST /api/session', () => ({ body: info }));
  service.on('GET /api/acme', () => problem(409, 6058, 'the service orders no certificates'));
  service.on('GET /api/certificates', ({ query }) => {
    const cursor = query.get('cursor');
    const body = { items, total: items.length, next_cursor: null };
    return { body: cursor === null ? body : { ...body, items: [] } };
  });
  return service;
}

async function open(items: readonly object[], scope?: string): Promise<FakeService> {
  const service = serviceWith(items, scope);
  await renderInApp(
    <LiveEvents>
      <CertificatesPage />
    </LiveEvents>,
  );
  await (items.length === 0
    ? screen.findByText('No certificates yet')
    : screen.findByRole('row', { name: /shop\.example/ }));
  return service;
}

const button = (name: string | RegExp) => screen.getByRole('button', { name });
const type = (label: string, text: string) =>
  fireEvent.change(screen.getByRole('textbox', { name: label }), { target: { value: text } });

it('shows names, the date that clients see, and each worker', async () => {
  await open([certificate]);
  const row = within(screen.getByRole('row', { name: /shop\.example/ }));
  row.getByText('Served');
  row.getByText('Worker 11 holds it');
  row.getByText('Draining worker 10 does not hold it: no answer');
  row.getByRole('link', { name: 'shop.example' });
  expect(row.queryByText('b.example')).toBeNull();
  fireEvent.click(row.getByRole('button', { name: /Show all names/ }));
  row.getByText('b.example');
});

it('never shows an earlier version that is still served in green', async () => {
  await open([{ ...certificate, served_until: '2098-01-01T00:00:00.000Z', runtime_updated: false }]);
  const row = screen.getByRole('row', { name: /shop\.example/ });
  within(row).getByText('An earlier version is served');
  within(row).getByText(/This version expires/);
  expect(row.querySelector('[data-tone="good"]')).toBeNull();
});

it('says how to switch TLS on, and offers no upload until then', async () => {
  const service = serviceWith([]);
  const detail = 'HAProxy serves no TLS, because PROXY_MANAGER_HTTPS_BIND is empty: set it, and restart the service';
  service.on('GET /api/certificates', () => problem(409, 6043, detail));
  await renderInApp(
    <LiveEvents>
      <CertificatesPage />
    </LiveEvents>,
  );
  await screen.findByText('TLS is off');
  screen.getByText(`${detail}.`);
  expect(screen.queryByRole('button', { name: 'Upload certificate' })).toBeNull();
});

it('uploads the two texts, and shows what was verified', async () => {
  const service = await open([]);
  service.on('POST /api/certificates', () => ({ status: 201, body: { ...certificate, changed: true } }));
  fireEvent.click(button('Upload certificate'));
  const dialog = within(await screen.findByRole('dialog'));
  type('Certificate', pem);
  type('Private key', key);
  fireEvent.click(dialog.getByRole('button', { name: 'Upload certificate' }));
  await screen.findByText('shop.example and 3 more: uploaded');
  expect(service.bodies('POST /api/certificates')).toEqual([{ certificate: pem, private_key: key }]);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(document.body.innerHTML).not.toContain('PRIVATE KEY');
});

it('reads certificate and key from files', async () => {
  const service = await open([]);
  service.on('POST /api/certificates', () => ({ status: 201, body: { ...certificate, changed: true } }));
  fireEvent.click(button('Upload certificate'));
  const dialog = await screen.findByRole('dialog');
  const [file] = dialog.parentElement?.ownerDocument.querySelectorAll('input[type=file]') ?? [];
  fireEvent.change(file!, { target: { files: [new File([pem + key], 'both.pem')] } });
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'Certificate' })).toHaveProperty('value', pem + key));
  fireEvent.click(within(dialog).getByRole('button', { name: 'Upload certificate' }));
  await waitFor(() => expect(service.bodies('POST /api/certificates')).toEqual([{ certificate: pem + key }]));
});

it('shows what the service rejects at its field, and keeps the form', async () => {
  const service = await open([]);
  const description = 'the private key belongs to none of the certificates';
  service.on('POST /api/certificates', () => {
    const { status, body } = problem(422, 110, `private_key: ${description}`);
    return { status: status ?? 422, body: { ...(body as object), errors: [{ name: 'private_key', description }] } };
  });
  fireEvent.click(button('Upload certificate'));
  const dialog = within(await screen.findByRole('dialog'));
  type('Certificate', pem);
  type('Private key', key);
  fireEvent.click(dialog.getByRole('button', { name: 'Upload certificate' }));
  await dialog.findByText('The private key belongs to none of the certificates.');
  expect(dialog.queryByRole('alert')).toBeNull();
  expect(screen.getByRole('textbox', { name: 'Private key' })).toHaveProperty('value', key);
});

it('replaces a certificate, and asks before a site loses it', async () => {
  const service = await open([certificate]);
  const path = `PUT /api/certificates/${certificate.id}`;
  service.on(path, ({ query }) =>
    query.get('force') === 'true'
      ? { body: { ...certificate, version: 2, changed: true } }
      : problem(409, 6044, 'HAProxy serves c-aaaaaaaaaa for the site shop.example'),
  );
  fireEvent.click(button('Replace shop.example and 3 more'));
  const dialog = within(await screen.findByRole('dialog'));
  type('Certificate', pem);
  fireEvent.click(dialog.getByRole('button', { name: 'Replace certificate' }));
  fireEvent.click(await dialog.findByRole('button', { name: 'Replace anyway' }));
  await screen.findByText('shop.example and 3 more: replaced');
});

it('removes a certificate after it named the sites that use it', async () => {
  const service = await open([certificate]);
  const { id, names } = certificate;
  service.on(`DELETE /api/certificates/${id}`, () => ({
    body: {
      id,
      names,
      sites: ['shop.example'],
      sites_total: 1,
      files: 'durable',
      workers: [],
      runtime_updated: true,
      reload_scheduled: false,
      kept_files: [],
    },
  }));
  fireEvent.click(button('Remove shop.example and 3 more'));
  const dialog = within(await screen.findByRole('dialog'));
  dialog.getByText(/1 site uses it: shop\.example/);
  fireEvent.click(dialog.getByRole('button', { name: 'Remove certificate' }));
  await screen.findByText('Certificate of shop.example and 3 more removed');
  expect(service.calls.filter(({ call }) => call.startsWith('DELETE')).map(({ query }) => query.get('force'))).toEqual([
    'true',
  ]);
});

it('verifies a certificate on request', async () => {
  const service = await open([certificate]);
  service.on(`POST /api/certificates/${certificate.id}/verify`, () => ({ body: certificate }));
  fireEvent.click(button('Verify shop.example and 3 more'));
  await screen.findByText('shop.example and 3 more verified');
});

it('offers a read-only key no changes', async () => {
  await open([certificate], 'read');
  for (const name of [/Upload/, /Replace/, /Remove/, /Verify/])
    expect(screen.queryByRole('button', { name })).toBeNull();
});

it('a site shows its certificate, the default one, or nothing without TLS', async () => {
  const service = serviceWith([certificate]);
  const render = (domain: string, enabled = true) =>
    renderInApp(
      <LiveEvents>
        <SiteLock domain={domain} visible enabled={enabled} />
      </LiveEvents>,
    );
  await render('shop.example');
  await screen.findByText(/Certificate served, expires in/);
  await render('other.example');
  await screen.findByText('No certificate of its own');
  const calls = service.calls.length;
  await render('third.example', false);
  await screen.findByRole('link', { name: 'TLS is off' });
  expect(service.calls.slice(calls).map(({ call }) => call)).not.toContain('GET /api/certificates');
});
