import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { BlockedIp } from '../../../api/types.ts';
import { FakeService, problem } from '../../../test/fake-service.ts';
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

interface Opened {
  readonly service: FakeService;
  /** Each time: the entries that stay selected. */
  readonly kept: readonly BlockedIp[][];
  /** As they are in the service. */
  readonly stored: Map<string, BlockedIp>;
}

async function open(rejected: readonly { readonly value: string }[] = []): Promise<Opened> {
  const service = new FakeService();
  const stored = new Map(entries.map((one) => [one.ip_address, one]));
  for (const { ip_address: ip } of entries)
    service.on(`GET /api/blocked-ips/${ip}`, () => {
      const body = stored.get(ip);
      return body === undefined ? problem(404, 1100, 'not blocked') : { body };
    });
  const listed = rejected.map(({ value }) => ({ value, list: 'add', index: 0, why: 'it is trusted' }));
  service.on(batch, () => ({
    body: {
      ...{ added: 0, updated: 1, removed: 0, unchanged: 0, rejected_total: listed.length, rejected: listed },
      ...{
        runtime_map_updated: true,
        runtime_map_failures: [],
        runtime_map_failures_total: 0,
        reload_scheduled: false,
      },
    },
  }));
  const kept: BlockedIp[][] = [];
  const onDone = (stay: readonly BlockedIp[]) => void kept.push([...stay]);
  await renderInApp(<EditManyDialog entries={entries} onDone={onDone} onClose={() => undefined} />);
  return { service, kept, stored };
}
const type = (text: string) => fireEvent.change(screen.getByLabelText('Reason'), { target: { value: text } });
const click = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }));

it('changes nothing that was not entered, and sends one request', async () => {
  const { service, kept } = await open();
  const save = await screen.findByRole('button', { name: 'Save changes' });
  expect(save.hasAttribute('disabled')).toBe(true);
  expect(screen.queryByText(/blocked by other sources only/)).toBeNull();
  type('port scan');
  await click('Change 1 entry');
  await screen.findByText('1 entry changed');
  expect(service.bodies(batch)).toEqual([
    { add: [{ ip_address: '192.0.2.2', reason: 'port scan', duration_seconds: 1 }] },
  ]);
  expect(kept).toEqual([[]]);
});

it('replaces reasons only on request, and says what a claim of one’s own means', async () => {
  const { service } = await open();
  type('port scan');
  const replace = await screen.findByLabelText('Replace the reasons of 2 entries');
  // What stays as it is gets no claim.
  expect(screen.queryByText(/blocked by other sources only/)).toBeNull();
  fireEvent.click(replace);
  await screen.findByText(/1 address is blocked by other sources only/);
  await click('Change 3 entries');
  await waitFor(() => expect(service.bodies(batch)).toHaveLength(1));
  const [{ add }] = service.bodies(batch) as [{ add: { ip_address: string }[] }];
  expect(add.map(({ ip_address: ip }) => ip)).toEqual(entries.map(({ ip_address: ip }) => ip));
});

it('sends nothing if entries were changed or unblocked meanwhile, and then edits what they are', async () => {
  const { service, stored } = await open();
  type('port scan');
  fireEvent.click(await screen.findByLabelText('Replace the reasons of 2 entries'));
  stored.set('192.0.2.1', entry('192.0.2.1', { reason: 'port scan' }));
  stored.delete('192.0.2.2');
  await click('Change 3 entries');
  await screen.findByText(/1 entry was changed and 1 entry was unblocked meanwhile/);
  expect(service.bodies(batch)).toEqual([]);
  await click('Change 1 entry');
  await waitFor(() => expect(service.bodies(batch)).toHaveLength(1));
  expect(service.bodies(batch)).toEqual([
    { add: [{ ip_address: '192.0.2.3', reason: 'port scan', expires_at: null }] },
  ]);
});

it('leaves rejected entries selected', async () => {
  const { kept } = await open([{ value: '192.0.2.2' }]);
  type('port scan');
  await click('Change 1 entry');
  await screen.findByText(/1 rejected, such as 192.0.2.2: it is trusted. They stay selected./);
  expect(kept).toEqual([[entries[1]]]);
});
