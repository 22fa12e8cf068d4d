import { act, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { LiveEvents } from '../live/live.tsx';
import { FakeService, problem } from '../test/fake-service.ts';
import { renderInApp } from '../test/render.tsx';
import { PageLinks } from './page-links.tsx';
import { createQueries } from './queries.ts';

const known = (attached: object | null) => ({
  body: { status: 'ok', reasons: [], attached, runtime_map: { expected: 12 }, trusted_map: { entries: 2 } },
});
const items = (count: number) => ({ body: { items: Array.from({ length: count }, () => ({})) } });
const counts = () =>
  screen
    .getAllByRole('link')
    .map((link) => `${link.textContent} (${link.getAttribute('aria-description')})`)
    .filter((text) => !text.includes('null'));

async function open(service: FakeService): Promise<ReturnType<typeof createQueries>> {
  service.on('GET /api/insight/candidates', () => items(3));
  service.on('GET /api/sources', () => items(5));
  service.on('GET /api/sites', () => items(4));
  service.on('GET /api/events', () => new Promise(() => undefined));
  const queries = createQueries();
  await renderInApp(
    <LiveEvents>
      <PageLinks onOpen={() => undefined} />
    </LiveEvents>,
    { queries },
  );
  return queries;
}

it('counts what the pages list, each by one request, and drops a count that is not known any more', async () => {
  const service = new FakeService();
  service.on('GET /health', () => known(null));
  const queries = await open(service);
  const all = [
    'Candidates3 (3 candidates)',
    'Blocked addresses12 (12 entries)',
    'Trusted addresses2 (2 entries)',
    'Sources5 (5 sources)',
    'Sites4 (4 sites)',
  ];
  await waitFor(() => expect(counts()).toEqual(all));
  expect(service.calls.filter(({ call }) => call === 'GET /api/sources')).toHaveLength(1);
  service.on('GET /api/insight/candidates', () => problem(409, 7010, 'off'));
  await act(() => queries.refetchQueries({ queryKey: ['insight'] }));
  await waitFor(() => expect(counts()).toEqual(all.slice(1)));
});

it('asks for no sites next to a HAProxy of its operator', async () => {
  const service = new FakeService();
  service.on('GET /health', () => known({}));
  await open(service);
  await waitFor(() => expect(counts()).toHaveLength(4));
  expect(service.bodies('GET /api/sites')).toEqual([]);
});

const mail = { name: 'mail', place: '/h.cfg:9', mode: 'tcp', has_rule: false, answered_before: null, open: false };
const reason = 'front end mail (/h.cfg:9) has no rule for the blocked map, so blocked addresses are served there';
const describedBy = (name: string) => screen.getByRole('link', { name }).getAttribute('aria-description');
const show = async (attached: object | null) => {
  const service = new FakeService();
  const reasons = attached === null ? [] : [reason];
  const { body } = known(attached);
  service.on('GET /health', () => ({ body: { ...body, status: 'degraded', reasons } }));
  await open(service);
  // Then it is known whether the service is attached.
  await waitFor(() => expect(describedBy('Blocked addresses')).toBe('12 entries'));
  return (name: string) => screen.queryByRole('link', { name });
};

it('leads to the sites', async () => {
  const link = await show(null);
  expect(link('Sites')).not.toBeNull();
});

it('leads an attached service to the front ends without a rule, and not to sites', async () => {
  const link = await show({ front_ends: [mail] });
  expect(link('Sites')).toBeNull();
  expect(describedBy('Configuration')).toBe('1 front end without a rule');
});
