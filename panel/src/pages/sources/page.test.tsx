import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { FakeService } from '../../test/fake-service.ts';
import { renderInApp } from '../../test/render.tsx';
import SourcesPage from './page.tsx';

const source = (name: string, claims: number, last: string | null) => ({
  ...{ name, kind: 'list', note: null, release_at: null, created_at: '2026-11-01T12:00:00.000Z' },
  ...{ claims, alone: claims, last_claimed_at: last },
});
const effect = (name: string) => ({
  ...{ source: name, kind: 'list', entries: 8_412, only_here: 8_412, matched_30d: 2_103, denied: 1, share: 0.5 },
  last_match: null,
});
const cellsOf = (name: string): string[] => {
  const row = screen.getByText(name).closest('tr') as HTMLElement;
  return within(row)
    .getAllByRole('cell')
    .map(({ textContent }) => textContent ?? '');
};

it('shows the sources before it is known what each does, with gaps instead of 0', async () => {
  const service = new FakeService();
  const info = { token: 'pms_1', name: 'ann', scopes: ['read'], source: null, client_address: '203.0.113.50' };
  service.on('POST /api/session', () => ({ body: info }));
  service.on('GET /api/sources', () => ({
    body: { items: [source('drop', 8_412, '2026-11-20T12:00:00.000Z'), source('new', 0, null)] },
  }));
  const counted = Promise.withResolvers<void>();
  service.on('GET /api/insight/sources', async () => {
    await counted.promise;
    return { body: { items: [effect('drop')], complete: true, gaps: [] } };
  });
  service.on('GET /api/insight', () => ({ body: { never_matched: { days: 90, count: null, watched_days: 12 } } }));
  await renderInApp(<SourcesPage />);
  await screen.findByText('drop');
  expect(cellsOf('drop').slice(1, 6)).toEqual(['List', '8,412', '8,412', '–', '–']);
  expect(cellsOf('new').slice(1, 7)).toEqual(['List', '0', '0', '–', '–', '–']);
  counted.resolve();
  await waitFor(() => expect(cellsOf('drop').slice(4, 6)).toEqual(['2,103 (25\u00a0%)', '50\u00a0%']));
});

it.each([
  [29, null],
  [30, '/blocked?source=drop&not_hit_for=30d'],
])('links to the entries that never matched after 30 watched days, not after %i', async (watched_days, link) => {
  const service = new FakeService();
  const items = [source('drop', 8_412, null)];
  service.on('GET /api/sources', () => ({ body: { items } }));
  service.on('GET /api/insight/sources', () => ({ body: { items: [effect('drop')], complete: true, gaps: [] } }));
  service.on('GET /api/insight', () => ({ body: { never_matched: { days: 90, count: null, watched_days } } }));
  await renderInApp(<SourcesPage />);
  await screen.findByText(/50 % of them belong to no source/);
  const found = () => screen.queryByRole('link', { name: 'Never matched, 30\u00a0d: entries of drop' });
  await waitFor(() => expect(found()?.getAttribute('href') ?? null).toBe(link));
  const why =
    /can be listed after 30 watched days without larger gaps, on \d+ \w+ \d{4} at the earliest. 29 days have passed/;
  await waitFor(() => expect(screen.queryByText(why) === null).toBe(link !== null));
});
