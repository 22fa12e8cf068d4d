import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { BlockedIp } from '../../../api/types.ts';
import { FakeService } from '../../../test/fake-service.ts';
import { renderInApp } from '../../../test/render.tsx';
import { EditManyDialog } from './edit-many-dialog.tsx';

const entry = (ip: string, facts: Partial<BlockedIp>): BlockedIp => ({
  ip_address: ip,
  reason: null,
  blocked_by: 'ops',
  blocked_at: '2026-11-20T12:00:00.000Z',
  expires_at: null,
  ...facts,
});
const claim = { source: 'drop', kind: 'list', reason: 'on the list', blocked_by: 'drop', expires_at: null } as const;
const entries = [
  entry('192.0.2.1', { reason: 'court order' }),
  entry('192.0.2.2', { expires_at: '2099-01-01T00:00:00.000Z' }),
  entry('192.0.2.3', { reason: 'on the list', claims: [{ ...claim, claimed_at: '2026-11-20T12:00:00.000Z' }] }),
];
const batch = 'POST /api/blocked-ips/batch';

async function open(): Promise<FakeService> {
  const service = new FakeService();
  service.on(batch, () => ({
    body: {
      ...{ added: 0, updated: 1, removed: 0, unchanged: 0, rejected_total: 0, rejected: [] },
      ...{
        runtime_map_updated: true,
        runtime_map_failures: [],
        runtime_map_failures_total: 0,
        reload_scheduled: false,
      },
    },
  }));
  await renderInApp(<EditManyDialog entries={entries} onDone={() => undefined} onClose={() => undefined} />);
  return service;
}

it('changes nothing that was not entered, and sends one request', async () => {
  const service = await open();
  const save = await screen.findByRole('button', { name: 'Save changes' });
  expect(save.hasAttribute('disabled')).toBe(true);
  fireEvent.change(screen.getByLabelText('Reason'), { target: { value: 'port scan' } });
  fireEvent.click(await screen.findByRole('button', { name: 'Change 1 entry' }));
  await screen.findByText('1 entry changed');
  expect(service.bodies(batch)).toEqual([
    { add: [{ ip_address: '192.0.2.2', reason: 'port scan', expires_at: '2099-01-01T00:00:00.000Z' }] },
  ]);
});

it('replaces reasons only on request, and says what a claim of one’s own means', async () => {
  const service = await open();
  fireEvent.change(screen.getByLabelText('Reason'), { target: { value: 'port scan' } });
  await screen.findByText(/1 address is blocked by other sources only/);
  fireEvent.click(await screen.findByLabelText('Replace the reasons of 2 entries'));
  fireEvent.click(await screen.findByRole('button', { name: 'Change 3 entries' }));
  await waitFor(() => expect(service.bodies(batch)).toHaveLength(1));
  const [{ add }] = service.bodies(batch) as [{ add: { ip_address: string }[] }];
  expect(add.map(({ ip_address: ip }) => ip)).toEqual(entries.map(({ ip_address: ip }) => ip));
});
