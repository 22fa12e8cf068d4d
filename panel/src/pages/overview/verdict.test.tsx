import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { FakeService } from '../../test/fake-service.ts';
import { renderInApp } from '../../test/render.tsx';
import { Verdict } from './verdict.tsx';

const health = {
  status: 'ok',
  reasons: [] as string[],
  database: { status: 'ok' },
  master_socket: { status: 'ok' },
  runtime_map: { expected: 1_234, last_verified_at: null },
  workers: { current: { pid: 7, whole: true }, draining: [] },
  scheduled_reload: null as object | null,
};
let service: FakeService;
const answer = (facts: Partial<typeof health>): void =>
  service.on('GET /health', () => ({ body: { ...health, ...facts } }));
beforeEach(() => {
  service = new FakeService();
  answer({});
});

const region = () => screen.getByRole('region', { name: 'Blocking status' });

it('is good when the service reports that blocking is active', async () => {
  await renderInApp(<Verdict />);
  await screen.findByRole('heading', { name: 'Blocking is active' });
  expect(region().dataset['tone']).toBe('good');
  screen.getByText('1,234 entries in every HAProxy worker');
  screen.getByRole('button', { name: 'Verify entries' });
});

it('lists the reasons of incomplete blocking, and repairs it', async () => {
  answer({ status: 'degraded', reasons: ['worker 7: 3 entries are missing'] });
  service.on('POST /api/blocked-ips/sync', () => ({
    body: { runtime_map_synced: true, total_ips: 1_234, added: 3, removed: 0, reload_scheduled: false },
  }));
  await renderInApp(<Verdict />);
  await screen.findByRole('heading', { name: 'Blocking may be incomplete' });
  screen.getByText('Worker 7: 3 entries are missing.');
  fireEvent.click(screen.getByRole('button', { name: 'Verify and repair entries' }));
  await screen.findByText('Running map in sync');
  await screen.findByText('1,234 entries verified, 3 repaired.');
});

it('offers a reload while one is scheduled', async () => {
  answer({ status: 'degraded', reasons: ['worker 7: no answer'], scheduled_reload: { attempts: 1 } });
  await renderInApp(<Verdict />);
  await screen.findByRole('button', { name: 'Reload HAProxy' });
});

it('says that blocks are enforced when only certificates fail, and leads to them', async () => {
  answer({ status: 'degraded', reasons: ['certificates: c-a of shop.example expired at 2026-11-20T12:00:00.000Z'] });
  await renderInApp(<Verdict />);
  await screen.findByRole('heading', { name: 'Blocking is active, but a certificate needs attention' });
  expect(region().dataset['tone']).toBe('warn');
  await screen.findByRole('link', { name: 'Show certificates' });
  expect(screen.queryByRole('button')).toBeNull();
});

it('says in how many front ends nothing is blocked, and leads to them', async () => {
  const ends = [
    { name: 'shop', has_rule: true, open: false },
    { name: 'mail', has_rule: false, open: false },
  ];
  const reason = 'front end mail (/h.cfg:9) has no rule for the blocked map, so blocked addresses are served there';
  answer({ status: 'degraded', reasons: [reason], attached: { front_ends: ends } } as Partial<typeof health>);
  await renderInApp(<Verdict />);
  await screen.findByRole('heading', { name: 'Not blocked in 1 of 2 front ends' });
  expect(region().dataset['tone']).toBe('bad');
  await screen.findByRole('link', { name: 'Show front ends' });
  // It would change nothing.
  expect(screen.queryByRole('button')).toBeNull();
});

it('says what to check when no button can help', async () => {
  answer({ status: 'down', reasons: ['database: disk full'], database: { status: 'down' } });
  await renderInApp(<Verdict />);
  await screen.findByRole('heading', { name: 'Database down: nothing can be changed' });
  await screen.findByText(
    'This cannot be fixed here. Check the disk of the service: free space and permissions. Meanwhile HAProxy keeps serving sites and denying blocked addresses.',
  );
  expect(screen.queryByRole('button')).toBeNull();
});

it('is unknown as soon as the service stops responding', async () => {
  await renderInApp(<Verdict />);
  await screen.findByRole('heading', { name: 'Blocking is active' });
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')));
  await screen.findByRole('heading', { name: 'Unknown: the service does not respond' });
  await waitFor(() => expect(region().dataset['tone']).toBe('unknown'));
  expect(screen.queryByRole('button')).toBeNull();
});
