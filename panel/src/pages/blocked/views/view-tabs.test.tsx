import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { FakeService, problem } from '../../../test/fake-service.ts';
import { renderInApp } from '../../../test/render.tsx';
import { ViewTabs } from './view-tabs.tsx';

const tab = (name: string) => screen.findByRole('button', { name });

it('counts each view that the service counts without reading every entry, one after the other', async () => {
  const service = new FakeService();
  const saved = (name: string, query: string) => ({ name, query, page: '/blocked' });
  service.on('GET /api/views', () => ({
    body: {
      items: [saved('ssh', 'source=fail2ban'), saved('wide', 'wider_than=20&sort=hits'), saved('old', 'q=port')],
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
  await waitFor(async () => expect((await tab('wide')).textContent).toBe('wide207'));
  const texts = screen.getAllByRole('button').map(({ textContent, title }) => [textContent, title]);
  expect(texts).toEqual([
    ['Knocking', ''],
    // The view that is shown has the figure of its list.
    ['All379k', '379,130 entries'],
    ['Newest379k', '379,126 entries'],
    ['Expiring342', '342 entries'],
    ['Never matched, 90 d341k', '341,077 entries'],
    ['Wider than /20207', '207 entries'],
    ['ssh12', '12 entries'],
    ['wide207', '207 entries'],
    ['old', ''],
  ]);
  expect(most).toBe(1);
  const asked = service.calls.filter(({ call }) => call === 'GET /api/blocked-ips').map(({ query }) => `${query}`);
  expect(asked).toEqual([
    'limit=1&hit_within=24h',
    'limit=1',
    'limit=1&expiring=true',
    'limit=1&wider_than=20',
    'limit=1&source=fail2ban',
  ]);
});

it('counts nothing before the list is loaded', async () => {
  const service = new FakeService();
  service.on('GET /api/views', () => ({ body: { items: [] } }));
  await renderInApp(<ViewTabs total={null} />);
  await tab('All');
  expect(service.calls.map(({ call }) => call)).not.toContain('GET /api/blocked-ips');
});
