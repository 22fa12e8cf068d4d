import { screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { ChartBody } from '../../charts/series-chart/chart-body.tsx';
import { FakeService } from '../../test/fake-service.ts';
import { renderInApp } from '../../test/render.tsx';
import { AttackDrawer } from './attack-drawer.tsx';

// It draws on a canvas, which this DOM does not have.
vi.mock('../../charts/series-chart/chart-body.tsx', () => ({
  ChartBody: ({ data: { times, attacks }, hasLegend = true }: Parameters<typeof ChartBody>[0]) => (
    <p>{JSON.stringify({ from: times[0], to: times.at(-1), attacks, hasLegend })}</p>
  ),
}));

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
  within(entries).getByRole('row', { name: '192.0.2.0/24 drop 50,000 25\u00a0%' });
  within(entries).getByRole('row', { name: '198.51.100.7 not blocked now 250,000 100\u00a0%' });
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

it('draws the time around an attack, and shades the attack itself', async () => {
  const [began, ended] = [Date.parse(attack.started_at) / 1_000, Date.parse(attack.ended_at) / 1_000];
  await show({ from: new Date((began - 600) * 1_000).toISOString(), values: new Array(65).fill(340) });
  const shaded = [{ from: began, to: ended, continues: false }];
  // Its legend would show the last minute, which is after the attack.
  const drawn = { from: began - 600, to: ended + 540, attacks: shaded, hasLegend: false };
  await screen.findByText(JSON.stringify(drawn));
});
