import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { LiveEvents } from '../../live/live.tsx';
import { FakeService } from '../../test/fake-service.ts';
import { renderInApp } from '../../test/render.tsx';
import SitesPage from './page.tsx';

const domain = 'shop.example';
const server = { address: '10.0.0.1', port: 80 };
const traffic = { site: domain, requests: 1_284_902, denied: 20_480, server_errors: 31, response_ms: 42 };
/** happy-dom has no layout. */
class AlwaysVisible implements Pick<IntersectionObserver, 'observe' | 'disconnect'> {
  readonly #seen: (entries: readonly Partial<IntersectionObserverEntry>[]) => void;

  constructor(seen: (entries: readonly Partial<IntersectionObserverEntry>[]) => void) {
    this.#seen = seen;
  }

  observe(target: Element): void {
    this.#seen([{ target, isIntersecting: true }]);
  }

  disconnect(): void {
    // Nothing is watched.
  }
}

let service: FakeService;
let status: string;

beforeEach(() => {
  vi.stubGlobal('IntersectionObserver', AlwaysVisible);
  status = 'UP';
  service = new FakeService();
  service.on('GET /health', () => ({ body: { status: 'ok', reasons: [], attached: null } }));
  const site = { domain, servers: [server], names: [], canonical: null, enabled: true, redirect: null };
  service.on('GET /api/sites', () => ({ body: { items: [site] } }));
  service.on(`GET /api/sites/${domain}/servers`, () => ({
    body: { items: [{ ...server, status, check: null, resolved_address: null }] },
  }));
  service.on('GET /api/insight/sites', () => ({
    body: { items: [traffic], sampled: { one_in: 16 }, complete: true, gaps: [] },
  }));
});

const open = async () => {
  await renderInApp(
    <LiveEvents>
      <SitesPage />
    </LiveEvents>,
  );
  return within(await screen.findByRole('region', { name: domain }));
};

it('shows what the clients of a site got, and its servers on request', async () => {
  const card = await open();
  const figures = await card.findByLabelText(`Traffic of ${domain}`);
  expect(figures.textContent).toContain('Requests, 24 h1,284,902');
  expect(figures.textContent).toContain('Response time, 24 h42 ms');
  await card.findByText('Server up');
  expect(card.queryByRole('table')).toBeNull();
  fireEvent.click(card.getByRole('button', { name: '1 server', expanded: false }));
  card.getByRole('table', { name: `Servers of ${domain}` });
  fireEvent.click(card.getByRole('button', { name: '1 server', expanded: true }));
  expect(card.queryByRole('table')).toBeNull();
});

it('shows the servers of a site that has none up', async () => {
  status = 'DOWN';
  const card = await open();
  await card.findByRole('table', { name: `Servers of ${domain}` });
  card.getByText('No server up: visitors get 503');
});
