import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { Site, SiteTls } from '../../../api/types.ts';
import { LiveEvents } from '../../../live/live.tsx';
import { FakeService } from '../../../test/fake-service.ts';
import { renderInApp } from '../../../test/render.tsx';
import { RemoveSiteDialog } from '../remove-site-dialog.tsx';
import { TlsDialog } from './tls-dialog.tsx';

const domain = 'shop.example';
const tls: SiteTls = {
  domain,
  redirect: 'auto',
  hsts: { max_age: 600, include_subdomains: false, preload: false },
  tls_enabled: true,
  certificate: 'c-aaaaaaaaaa',
  names_without_certificate: [],
  in_force: true,
  reason: null,
};
const put = `PUT /api/sites/${domain}/tls`;
let service: FakeService;

beforeEach(() => {
  service = new FakeService();
  service.on(`GET /api/sites/${domain}/tls`, () => ({ body: tls }));
  service.on(put, ({ body }) => ({
    body: { ...tls, ...(body as object), runtime_updated: true, reload_scheduled: false },
  }));
});

const open = async (record = tls) => {
  await renderInApp(
    <LiveEvents>
      <TlsDialog tls={record} onClose={() => undefined} />
    </LiveEvents>,
  );
  return within(await screen.findByRole('dialog'));
};

it('sends only what was changed, so that another client’s change is kept', async () => {
  const dialog = await open();
  const save = dialog.getByRole('button', { name: 'Save TLS settings' });
  expect(save).toHaveProperty('disabled', true);
  fireEvent.change(dialog.getByLabelText('HSTS'), { target: { value: '31536000' } });
  fireEvent.click(dialog.getByLabelText('HSTS for every name below the site'));
  fireEvent.click(dialog.getByLabelText('Allow browsers to preload it'));
  fireEvent.click(save);
  await screen.findByText(`TLS settings of ${domain} saved`);
  expect(service.bodies(put)).toEqual([{ hsts: { max_age: 31_536_000, include_subdomains: true, preload: true } }]);
  expect(service.calls.find(({ call }) => call === put)?.query.get('keep_absent')).toBe('true');
});

it('offers the time that is set, and says that there is no certificate yet', async () => {
  const dialog = await open({ ...tls, certificate: null });
  dialog.getByText(/There is no certificate for shop.example/);
  expect(dialog.getByLabelText('HSTS')).toHaveProperty('value', '600');
  fireEvent.click(dialog.getByLabelText('Redirect plain HTTP to https'));
  fireEvent.change(dialog.getByLabelText('HSTS'), { target: { value: 'off' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Save TLS settings' }));
  await screen.findByText(`TLS settings of ${domain} saved`);
  expect(service.bodies(put)).toEqual([{ redirect: 'off', hsts: null }]);
});

/** Removes it, and undoes that. */
async function removeAndUndo(): Promise<void> {
  const site: Site = {
    domain,
    servers: [{ address: '10.0.0.1', port: 80 }],
    names: [],
    canonical: null,
    enabled: true,
    redirect: null,
    created_at: '',
    updated_at: '',
  };
  const reload = { id: 'r1', status: 'completed', reasons: [], changed: true, backup: null, warnings: [] };
  service.on(`DELETE /api/sites/${domain}`, () => ({ body: { domain, reload } }));
  service.on(`PUT /api/sites/${domain}`, () => ({ body: { ...site, served: true, ignored: [], reload } }));
  await renderInApp(
    <LiveEvents>
      <RemoveSiteDialog site={site} onClose={() => undefined} />
    </LiveEvents>,
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Remove site' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  await screen.findByText(`${domain} restored`);
}

it('restores the TLS settings of a removed site with Undo', async () => {
  await removeAndUndo();
  await expect.poll(() => service.bodies(put)).toEqual([{ redirect: 'auto', hsts: tls.hsts }]);
});

it('removes a site whose TLS settings cannot be read, and Undo says that they are missing', async () => {
  service.on(`GET /api/sites/${domain}/tls`, () => ({
    status: 503,
    body: { code: 6002, detail: 'database is locked' },
  }));
  await removeAndUndo();
  await screen.findByText(`${domain} restored, but not its TLS settings`);
  expect(service.bodies(put)).toEqual([]);
});
