import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { FakeService } from '../../../test/fake-service.ts';
import { renderInApp } from '../../../test/render.tsx';
import { EntryPanel } from './entry-panel.tsx';

const ip = '192.0.2.0/24';
const time = '2026-11-20T10:00:00Z';
const claim = { reason: 'port scan', blocked_by: 'ops', claimed_at: time, expires_at: null };
const entry = {
  ...{ ip_address: ip, reason: 'port scan', blocked_by: 'ops', blocked_at: time, expires_at: null },
  claims: [{ ...claim, source: 'drop', kind: 'list' }],
  covered_by: [],
  workers: [
    { pid: 7, draining: false, holds: true },
    { pid: 5, draining: true, holds: null },
  ],
};
const hit = { entry: ip, source: 'drop', hits: 3, total: 9, first_hit: time, last_hit: time, spark: [1, 2] };

async function show(facts: object = {}): Promise<void> {
  const service = new FakeService();
  service.on(`GET /api/blocked-ips/${ip}`, () => ({ body: { ...entry, ...facts } }));
  service.on('GET /api/blocked-ips', () => ({ body: { items: [], total: 1, next_cursor: null } }));
  service.on('GET /api/audit', () => ({ body: { items: [], next_cursor: null } }));
  const items = [{ ...hit, ip_address: '192.0.2.7' }];
  service.on('GET /api/insight/knocking', () => ({
    body: { items, total: 1, next_cursor: null, complete: false, gaps: [] },
  }));
  const ignored = (): void => undefined;
  await renderInApp(<EntryPanel ip={ip} onClose={ignored} onEdit={ignored} onUnblock={ignored} />);
  await screen.findByRole('list', { name: 'Clients inside' });
  await screen.findByText('Blocked on worker 7');
}

it('says first whether the entry is enforced, and last what happened to it', async () => {
  await show();
  const dialog = screen.getByRole('dialog', { name: ip });
  const sections = within(dialog).getAllByRole('region');
  expect(sections.map((section) => section.getAttribute('aria-label'))).toEqual([
    'Enforcement',
    'Denied requests',
    'Clients inside',
    'Around it',
    'History',
  ]);
  const [enforcement] = sections as [HTMLElement];
  within(enforcement).getByText('Not checked on worker 5 (draining)');
  const terms = [...enforcement.querySelectorAll('dt')].map(({ textContent }) => textContent);
  expect(terms).toEqual(['Since', 'Expires', 'Blocked by', 'Source']);
  within(enforcement).getByText('drop (list)');
});

it('lists the claims only where there are several', async () => {
  await show({ claims: [...entry.claims, { ...claim, source: 'manual', kind: 'manual' }] });
  expect(within(screen.getByRole('list', { name: 'Claims' })).getAllByRole('listitem')).toHaveLength(2);
  expect(screen.queryByText('drop (list)')).toBeNull();
});

it('says below the clients that a part of the time was not watched', async () => {
  await show();
  const note = screen.getByText('A part of the last 24 h is known only as a sum, or not at all.');
  const clients = screen.getByRole('list', { name: 'Clients inside' });
  expect(clients.compareDocumentPosition(note) & Node.DOCUMENT_POSITION_FOLLOWING).not.toBe(0);
});
