import { act, screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { createQueries } from '../../../app/queries.ts';
import { FakeService, problem } from '../../../test/fake-service.ts';
import { renderInApp } from '../../../test/render.tsx';
import { pauseMs } from './view-counts.ts';
import { ViewTabs } from './view-tabs.tsx';

const tab = (name: string) => screen.findByRole('button', { name });

it('counts each view that the service counts without reading every entry, one after the other', async () => {
  const service = new FakeService();
  const saved = (name: string, query: string) => ({ name, query, page: '/blocked' });
  service.on('GET /api/views', () => ({
    body: {
      items: [
        saved('ssh', 'source=fail2ban'),
        saved('wide', 'wider_than=20&sort=hits'),
        saved('old', 'q=port'),
        saved('Newest', 'source=fail2ban'),
      ],
    },
  }));
  service.on('GET /api/insight', () => ({ body: { never_matched: { days: 90, count: 341_077 } } }));
  let [running, most] = [0, 0];
  service.on('GET /api/blocked-ips', async ({ query }) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running -= 1;
    // Such as where denied requests are not counted.
    if (query.has('hit_within')) return problem(409, 7010, 'off');
    const total = query.has('expiring') ? 342 : query.has('wider_than') ? 207 : query.has('source') ? 12 : 379_126;
    return { body: { items: [], total, next_cursor: null } };
  });
  await renderInApp(<ViewTabs total={379_130} />);
  // The last one to be counted: `wide` has the figure of an earlier one.
  await waitFor(async () => expect((await tab('ssh')).textContent).toBe('ssh12'));
  const texts = screen.getAllByRole('button').map(({ textContent, title }) => [textContent, title]);
  expect(texts).toEqual([
    ['Knocking', ''],
    // The view that is shown has the figure of its list.
    ['All379k', '379,130 entries'],
    // All entries again: another count would say nothing.
    ['Newest', ''],
    ['Expiring342', '342 entries'],
    ['Never matched, 90 d341k', '341,077 entries'],
    ['Wider than /20207', '207 entries'],
    ['ssh12', '12 entries'],
    ['wide207', '207 entries'],
    ['old', ''],
    // It has the name of another view, and a figure of its own.
    ['Newest12', '12 entries'],
  ]);
  expect(most).toBe(1);
  const asked = service.calls.filter(({ call }) => call === 'GET /api/blocked-ips').map(({ query }) => `${query}`);
  expect(asked).toEqual([
    'limit=1&hit_within=24h',
    'limit=1',
    // In this order, the service has the ends of blocks in memory.
    'limit=1&expiring=true&sort=expires_at',
    'limit=1&wider_than=20',
    'limit=1&source=fail2ban',
  ]);
});

it('keeps a figure while the service is busy, and drops that of a view that it no longer counts', async () => {
  const service = new FakeService();
  service.on('GET /api/views', () => ({ body: { items: [] } }));
  let answer = (query: URLSearchParams) =>
    ({ body: { items: [], total: query.has('wider_than') ? 207 : 12 } }) as object;
  service.on('GET /api/blocked-ips', ({ query }) => answer(query) as { body: object });
  const queries = createQueries();
  await renderInApp(<ViewTabs total={379_130} />, { queries });
  await waitFor(async () => expect((await tab('Wider than /20')).textContent).toBe('Wider than /20207'));
  answer = (query) => (query.has('hit_within') ? problem(409, 7010, 'off') : problem(429, 4290, 'busy'));
  await act(() => queries.refetchQueries());
  await waitFor(async () => expect((await tab('Knocking')).textContent).toBe('Knocking'));
  expect((await tab('Expiring')).textContent).toBe('Expiring12');
  expect((await tab('Wider than /20')).textContent).toBe('Wider than /20207');
});

it('asks for the entries that never matched only once, whatever the views', async () => {
  const service = new FakeService();
  const saved = (days: number) => ({ name: `never ${days}`, query: `not_hit_for=${days}d`, page: '/blocked' });
  service.on('GET /api/views', () => ({ body: { items: [saved(30), saved(60)] } }));
  service.on('GET /api/insight', () => ({ body: { never_matched: { days: 90, count: 7 } } }));
  service.on('GET /api/blocked-ips', () => ({ body: { items: [], total: 1 } }));
  await renderInApp(<ViewTabs total={379_130} />);
  await waitFor(async () => expect((await tab('Never matched, 90 d')).textContent).toBe('Never matched, 90 d7'));
  await waitFor(async () => expect((await tab('Wider than /20')).textContent).toBe('Wider than /201'));
  expect(service.calls.filter(({ call }) => call === 'GET /api/insight')).toHaveLength(1);
  expect((await tab('never 30')).textContent).toBe('never 30');
});

it('counts expensive views more rarely: all of them take at most a twentieth of the time', () => {
  expect(pauseMs(undefined, 100)).toBe(60_000);
  expect(pauseMs({ tookMs: 5 }, 100)).toBe(60_000);
  expect(pauseMs({ tookMs: 200 }, 100)).toBe(400_000);
});

it('gives counts as long as they take', async () => {
  const deadlines = vi.spyOn(AbortSignal, 'timeout');
  const service = new FakeService();
  service.on('GET /api/views', () => ({ body: { items: [] } }));
  service.on('GET /api/blocked-ips', () => ({ body: { items: [], total: 1 } }));
  service.on('GET /api/insight', () => ({ body: { never_matched: { days: 90, count: 7 } } }));
  await renderInApp(<ViewTabs total={379_130} />);
  deadlines.mockClear();
  await waitFor(async () => expect((await tab('Wider than /20')).textContent).toBe('Wider than /201'));
  const timed = deadlines.mock.calls.length;
  deadlines.mockRestore();
  // That of the list of views.
  expect(timed).toBeLessThanOrEqual(1);
});

it('counts nothing before the list is loaded', async () => {
  const service = new FakeService();
  service.on('GET /api/views', () => ({ body: { items: [] } }));
  await renderInApp(<ViewTabs total={null} />);
  await tab('All');
  expect(service.calls.map(({ call }) => call)).not.toContain('GET /api/blocked-ips');
});
