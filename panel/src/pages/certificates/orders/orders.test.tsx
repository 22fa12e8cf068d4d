import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { LiveEvents } from '../../../live/live.tsx';
import { FakeService, problem } from '../../../test/fake-service.ts';
import { renderInApp } from '../../../test/render.tsx';
import { Orders } from './orders.tsx';

const directory = 'https://ca.example/directory';
const past = '2020-01-01T00:00:00.000Z';
const issued = {
  id: 'c-aaaaaaaaaa',
  names: ['shop.example', 'www.shop.example'],
  profile: null,
  directory,
  not_after: '2099-02-18T12:00:00.000Z',
  due_at: '2099-01-18T12:00:00.000Z',
  due_by: 'ari',
  failures: 0,
  problem: null as object | null,
  attempts: [] as object[],
};
const refused = {
  ...issued,
  id: 'c-bbbbbbbbbb',
  names: ['mail.example'],
  not_after: null,
  due_at: '2099-01-19T12:00:00.000Z',
  due_by: 'retry',
  failures: 1,
  problem: {
    class: 'needs attention',
    type: 'caa',
    detail: 'CAA record for mail.example prevents issuance',
    subproblems: [{ name: 'mail.example', type: 'caa', detail: 'only other.example may issue' }],
    advice: 'Add the authority to the record, then renew.',
    at: past,
  },
};
const status = { directory, account: 'https://ca.example/account/7', pauses: [] as object[], total: 2, failing: 1 };

async function open(next: readonly object[], { scope = 'admin', changes = {} } = {}): Promise<FakeService> {
  const service = new FakeService();
  const info = { token: 'pms_1', name: 'ann', scopes: [scope], source: null, client_address: null };
  service.on('POST /api/session', () => ({ body: info }));
  service.on('GET /api/acme', () => ({ body: { ...status, next, ...changes } }));
  await renderInApp(
    <LiveEvents>
      <Orders enabled search="" />
    </LiveEvents>,
  );
  await screen.findByText(/New orders go to/);
  return service;
}

const row = (name: RegExp) => within(screen.getByRole('row', { name }));
const button = (name: string) => screen.getByRole('button', { name });

it('shows the authority, its account, and why each certificate is due when', async () => {
  await open([issued, refused]);
  screen.getByText(
    `New orders go to ${directory}. Account: https://ca.example/account/7. 2 certificates, 1 with a problem.`,
  );
  row(/shop\.example/).getByText('Issued');
  row(/shop\.example/).getByText(/, as the authority suggests$/);
  row(/mail\.example/).getByText(/, after a failed order$/);
});

it('shows a failure in the words of the authority, with what to do', async () => {
  await open([refused]);
  const failed = row(/mail\.example/);
  failed.getByText('Needs attention');
  failed.getByText('CAA record for mail.example prevents issuance');
  failed.getByText('mail.example: only other.example may issue');
  failed.getByText('Add the authority to the record, then renew.');
});

it('names a pause, and an authority that is not the one of new orders', async () => {
  const { problem: why } = refused;
  const limited = { ...why, detail: 'too many new orders' };
  const pauses = [{ directory, scope: 'orders', until: '2099-01-01T00:00:00.000Z', problem: limited }];
  const older = { ...issued, directory: 'https://old.example/dir', profile: 'shortlived' };
  await open([older], { changes: { pauses } });
  screen.getByText(/^No new orders to .* before .*: too many new orders$/);
  row(/shop\.example/).getByText('Profile shortlived. Issued by https://old.example/dir');
});

it('follows the steps of an order, and shows the last ones on request', async () => {
  const due = { ...issued, not_after: null, due_at: past, due_by: 'request' };
  const service = await open([due]);
  const attempt = { directory, began_at: past, ended_at: null, problem: null };
  let state = 'told';
  service.on(`GET /api/acme/certificates/${issued.id}`, () => ({
    body: { ...due, attempts: [{ ...attempt, state }] },
  }));
  await screen.findByText('The authority validates the names', {}, { timeout: 5_000 });
  row(/shop\.example/).getByText('Now, as requested');
  state = 'finalizing';
  await screen.findByText('The names are valid; the certificate is requested', {}, { timeout: 5_000 });
  fireEvent.click(button('Show the last orders of shop.example and 1 more'));
  await screen.findByText(/: The names are valid; the certificate is requested$/);
});

it('shows when the next order is due as soon as the list knows it', async () => {
  const due = { ...issued, not_after: null, due_at: past, due_by: 'request' };
  const service = await open([due]);
  let isAsked = false;
  service.on(`GET /api/acme/certificates/${due.id}`, () => {
    isAsked = true;
    return { body: due };
  });
  row(/shop\.example/).getByText('Now, as requested');
  await waitFor(() => expect(isAsked).toBe(true));
  service.on('GET /api/acme', () => ({ body: { ...status, next: [issued] } }));
  await row(/shop\.example/).findByText(/, as the authority suggests$/);
});

it('orders a certificate by its names, and shows what is rejected at the field', async () => {
  const service = await open([]);
  fireEvent.click(button('Order certificate'));
  const dialog = within(await screen.findByRole('dialog'));
  const submit = () => fireEvent.click(dialog.getByRole('button', { name: 'Order certificate' }));
  const description = 'a host name has letters, digits, hyphens and dots';
  service.on('POST /api/acme/certificates', () => {
    const { status: code = 400, body } = problem(400, 100, `names[1]: ${description}`);
    return { status: code, body: { ...(body as object), errors: [{ name: 'names[1]', description }] } };
  });
  fireEvent.change(dialog.getByLabelText(/^Names/), { target: { value: 'a.example, b_example' } });
  submit();
  await dialog.findByText('A host name has letters, digits, hyphens and dots.');
  service.on('POST /api/acme/certificates', () => ({ status: 202, body: { ...issued, names: ['a.example'] } }));
  fireEvent.change(dialog.getByLabelText(/^Names/), { target: { value: 'a.example' } });
  submit();
  await screen.findByText('Certificate for a.example ordered');
  expect(service.bodies('POST /api/acme/certificates')).toEqual([
    { names: ['a.example', 'b_example'] },
    { names: ['a.example'] },
  ]);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('renews a certificate, and stops its renewal after a question', async () => {
  const service = await open([issued]);
  const path = `/api/acme/certificates/${issued.id}`;
  service.on(`POST ${path}/renew`, () => ({ status: 202, body: issued }));
  fireEvent.click(button('Renew shop.example and 1 more'));
  await screen.findByText('Order of shop.example and 1 more is due');
  service.on(`DELETE ${path}`, () => ({ body: { id: issued.id } }));
  fireEvent.click(button('Stop renewal of shop.example and 1 more'));
  const dialog = within(await screen.findByRole('dialog'));
  dialog.getByText(/served until it expires or you remove it/);
  fireEvent.click(dialog.getByRole('button', { name: 'Stop renewal' }));
  await screen.findByText('Renewal of shop.example and 1 more stopped');
  expect(service.bodies(`DELETE ${path}`)).toHaveLength(1);
});

it('offers a read-only key no changes', async () => {
  await open([issued, refused], { scope: 'read' });
  for (const name of [/^Order/, /^Renew/, /^Stop/]) expect(screen.queryByRole('button', { name })).toBeNull();
  row(/mail\.example/).getByText('Needs attention');
});

it('says why the service orders nothing', async () => {
  const service = new FakeService();
  const detail = 'the service orders no certificates: set PROXY_MANAGER_ACME_TERMS_AGREED=true';
  service.on('GET /api/acme', () => problem(409, 6058, detail));
  await renderInApp(
    <LiveEvents>
      <Orders enabled search="" />
    </LiveEvents>,
  );
  await screen.findByText('The service orders no certificates: set PROXY_MANAGER_ACME_TERMS_AGREED=true.');
  expect(screen.queryByRole('button')).toBeNull();
});
