import { fireEvent, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { BlockedIp } from '../../api/types.ts';
import { FakeService } from '../../test/fake-service.ts';
import { renderInApp } from '../../test/render.tsx';
import { useRemoval } from './removal.ts';

const counts = { added: 0, updated: 0, removed: 0, unchanged: 0, rejected_total: 0, rejected: [] };

/** The wide network comes after the thousand rejections that an answer lists. */
const entries = Array.from({ length: 1_500 }, (_, n): BlockedIp => {
  const ip_address = n < 1_499 ? `192.0.${n >> 8}.${n & 255}` : '10.0.0.0/8';
  return { ip_address, reason: null, blocked_by: 'ops', blocked_at: '2026-11-21T20:00:00Z', expires_at: null };
});

function Removal() {
  const remove = useRemoval();
  return (
    <button type="button" onClick={() => void remove(entries)}>
      Unblock all
    </button>
  );
}

it.each([
  [['admin'], 'true'],
  [['block'], null],
])('restores a removed wide network as a key with %j may, wherever it is in the list', async (scopes, allowed) => {
  const service = new FakeService();
  service.on('POST /api/session', () => ({ body: { token: 'pms_1', name: 'ann', scopes, client_address: null } }));
  service.on('POST /api/blocked-ips/batch', ({ body }) => {
    const removal = (body as { readonly remove?: unknown }).remove !== undefined;
    const answer = removal ? { removed: entries.length } : { added: entries.length };
    return { body: { ...counts, ...answer, runtime_map_updated: true } };
  });
  await renderInApp(<Removal />);
  fireEvent.click(screen.getByRole('button', { name: 'Unblock all' }));
  await screen.findByText('1,500 entries unblocked');
  fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
  await screen.findByText('1,500 addresses blocked again');
  const batches = service.calls.filter(({ call }) => call.endsWith('/batch'));
  expect(batches.map(({ query }) => query.get('allow_wide'))).toEqual([null, allowed]);
  expect(batches[1]?.body).toMatchObject({ add: { length: entries.length } });
});
