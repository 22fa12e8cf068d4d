import { screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { FakeService } from '../../test/fake-service.ts';
import { renderInApp } from '../../test/render.tsx';
import { AttackDrawer } from './attack-drawer.tsx';

// It draws on a canvas, which this DOM does not have.
vi.mock('../../charts/series-chart/chart-body.tsx', () => ({ ChartBody: () => null }));

const attack = {
  ...{ id: 7, started_at: '2026-11-20T10:00:00Z', ended_at: '2026-11-20T10:45:00Z', peak: 5_400, usual: 880 },
  denied: 200_000,
  top_networks: [],
  top_sites: [{ site: 'shop.example', denied: 150_000 }],
  entries: [
    { entry: '192.0.2.0/24', denied: 50_000, source: 'drop' },
    { entry: '198.51.100.7', denied: 250_000, source: null },
  ],
  ...{ from: '2026-11-20T10:00:00Z', step_seconds: 60, values: [340], complete: true, gaps: [] },
};
const source = { kind: 'list', note: null, alone: 1, last_claimed_at: null };

async function show(facts: object): Promise<void> {
  const service = new FakeService();
  service.on('GET /api/insight/attacks/7', () => ({ body: { ...attack, sampled: { one_in: 32 }, ...facts } }));
  service.on('GET /api/sources', () => ({ body: { items: [{ ...source, name: 'drop', claims: 3 }] } }));
  await renderInApp(<AttackDrawer id="7" onClose={() => undefined} />);
}

const widths = (table: HTMLElement): (string | undefined)[] =>
  [...table.querySelectorAll<HTMLElement>('td [aria-hidden="true"] > span')].map((bar) => bar.style.width);

it('shows the entries and the sites as shares of all denied requests of the attack', async () => {
  await show({});
  const entries = await screen.findByRole('table', { name: 'Entries that denied most' });
  // Counted by full hours, so it may be more than the attack had.
  expect(widths(entries)).toEqual(['25%', '100%']);
  within(entries).getByRole('row', { name: '192.0.2.0/24 drop 50,000 25 %' });
  within(entries).getByRole('row', { name: '198.51.100.7 not blocked now 250,000 100 %' });
  expect(widths(screen.getByRole('table', { name: 'Sites' }))).toEqual(['75%']);
});

it('says how the figures of the sites are estimated, as the service does it', async () => {
  await show({});
  await screen.findByText(/HAProxy counts 1 in 32 requests of each site/);
});

it('says what happened, and leads from an attack that is over nowhere', async () => {
  await show({});
  await screen.findByText(/^For 45 min, denied requests rose to 5,400 a minute/);
  expect(screen.queryByRole('link', { name: 'candidates' })).toBeNull();
});

it('leads from an attack that continues to the candidates', async () => {
  await show({ ended_at: null });
  expect((await screen.findByRole('link', { name: 'candidates' })).getAttribute('href')).toBe('/candidates');
});
