import { fireEvent, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { FakeService } from '../../../test/fake-service.ts';
import { renderInApp } from '../../../test/render.tsx';
import { UnblockSelectedDialog } from './unblock-selected-dialog.tsx';

const report = {
  runtime_map_updated: true,
  runtime_map_failures: [],
  runtime_map_failures_total: 0,
  reload_scheduled: false,
};
const unblocked = { added: 0, updated: 0, removed: 12, unchanged: 0, rejected_total: 0, rejected: [] };

async function open(answer: object): Promise<FakeService> {
  const service = new FakeService();
  service.on('DELETE /api/blocked-ips', () => ({ body: { ...unblocked, ...report, ...answer } }));
  const props = { selected: { family: 'ipv4' as const }, words: 'IPv4', onDone: () => undefined };
  await renderInApp(<UnblockSelectedDialog {...props} onClose={() => undefined} />);
  return service;
}

it('says what was removed, and that a network may still block it', async () => {
  const service = await open({});
  const button = await screen.findByRole('button', { name: 'Unblock 12 entries' });
  expect(screen.getByRole('dialog').textContent).toContain('An address inside another blocked network stays blocked.');
  fireEvent.click(button);
  await screen.findByText(/^Removed from every worker\. An address inside another blocked network stays blocked\. /);
  const [asked, sent] = service.calls.filter(({ call }) => call === 'DELETE /api/blocked-ips');
  expect([asked?.query.get('dry_run'), sent?.query.get('expect')]).toEqual(['true', '12']);
});

it('does not say that workers removed what other sources keep blocked', async () => {
  await open({ removed: 0, still_claimed_total: 3 });
  fireEvent.click(await screen.findByRole('button', { name: 'Unblock 0 entries' }));
  await screen.findByText(/^3 addresses stay blocked by other sources\. An administrator/);
});
