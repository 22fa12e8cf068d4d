import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { BlockedIp, Claim } from '../../../api/types.ts';
import { FakeService } from '../../../test/fake-service.ts';
import { renderInApp } from '../../../test/render.tsx';
import { useUnblock } from './use-unblock.tsx';

const ip = '192.0.2.1';
const claim = (source: string, kind: Claim['kind'], reason: string | null = null): Claim => ({
  source,
  kind,
  reason,
  blocked_by: 'ops',
  claimed_at: '2026-11-20T12:00:00.000Z',
  expires_at: null,
});
const entryOf = (claims?: Claim[]): BlockedIp => ({
  ip_address: ip,
  reason: null,
  blocked_by: 'ops',
  blocked_at: '2026-11-20T12:00:00.000Z',
  expires_at: null,
  ...(claims === undefined ? {} : { claims }),
});
const verified = {
  runtime_map_updated: true,
  runtime_map_failures: [],
  runtime_map_failures_total: 0,
  reload_scheduled: false,
};

const noCounts = { added: 0, updated: 0, removed: 0, unchanged: 0, rejected_total: 0, rejected: [] };

function Page({ entries }: { readonly entries: readonly BlockedIp[] }) {
  const { unblock, dialog } = useUnblock();
  return (
    <>
      <button type="button" onClick={() => void unblock(entries)}>
        Unblock
      </button>
      {dialog}
    </>
  );
}

async function open(
  entry: BlockedIp,
  session: object = {},
  entries = [entry],
  covered_by: readonly string[] = [],
  stillBlocked: object = {},
): Promise<FakeService> {
  const service = new FakeService();
  const info = { token: 'pms_1', name: 'ann', scopes: ['admin'], source: null, client_address: null };
  service.on('POST /api/session', () => ({ body: { ...info, ...session } }));
  service.on(`GET /api/blocked-ips/${ip}`, () => ({ body: { ...entry, covered_by, workers: [] } }));
  service.on(`DELETE /api/blocked-ips/${ip}`, ({ query }) => {
    const trusted = {
      ip_address: ip,
      note: null,
      added_at: '2026-11-20T12:00:00Z',
      expires_at: '2026-11-27T12:00:00Z',
    };
    const still = (entry.claims ?? []).filter(({ kind }) => kind === 'list');
    return {
      body: {
        ip_address: ip,
        still_blocked_by: covered_by,
        ...(still.length > 0 ? { still_claimed_by: still } : {}),
        ...(query.has('trust_for') ? { trusted } : {}),
        ...verified,
      },
    };
  });
  service.on('POST /api/blocked-ips', () => ({ status: 201, body: { ...entry, ...verified } }));
  service.on('POST /api/blocked-ips/batch', () => ({
    body: { ...noCounts, dry_run: true, ...stillBlocked, ...verified },
  }));
  await renderInApp(<Page entries={entries} />);
  fireEvent.click(screen.getByRole('button', { name: 'Unblock' }));
  return service;
}
const row = (id: number, request_id: string) => ({ id, operation: 'unblock', ip_address: ip, request_id });
/** Of the batches that change something. */
const batches = ({ calls }: FakeService) =>
  calls.filter(({ call, query }) => call === 'POST /api/blocked-ips/batch' && !query.has('dry_run'));
const button = (name: string) => screen.findByRole('button', { name });
const claimsIn = async (label: string) => {
  const list = await screen.findByRole('list', { name: label });
  return within(list)
    .getAllByRole('listitem')
    .map((item) => item.textContent);
};

it('says which claims it drops and who keeps the address blocked, and restores them by the audit log', async () => {
  const claims = [claim('drop', 'list'), claim('manual', 'manual', 'abuse'), claim('fail2ban:sshd', 'agent')];
  const service = await open(entryOf(claims));
  expect(await claimsIn('Dropped claims')).toEqual([
    'manualPermanentabuse · by ops',
    'fail2ban:sshdAgentPermanentby ops',
  ]);
  expect(await claimsIn('Claims that stay')).toEqual(['dropListPermanentby ops']);
  await screen.findByText('It stays blocked by drop. To allow it, trust it.');
  fireEvent.click(await button('Drop claims'));
  await screen.findByText(`${ip} is still blocked`);
  await screen.findByText('Still claimed by drop.');
  const restored = ['manual', 'fail2ban:sshd'].map((source) => ({
    ip_address: ip,
    source,
    action: 'restore',
    expires_at: null,
  }));
  service.on('GET /api/audit', () => ({ body: { items: [row(813, 'REQ0'), row(812, 'REQ1')], next_cursor: null } }));
  service.on('POST /api/audit/812/undo', () => ({ body: { ...noCounts, first: restored, ...verified } }));
  fireEvent.click(await button('Undo'));
  await screen.findByText(`Claims of manual, fail2ban:sshd to ${ip} restored`);
  const [audit] = service.calls.filter(({ call }) => call === 'GET /api/audit');
  expect([audit?.query.get('operation'), audit?.query.get('ip_address')]).toEqual(['unblock', ip]);
});

it('restores each claim to its source if the audit log does not have the unblock', async () => {
  const service = await open(entryOf([claim('manual', 'manual', 'abuse'), claim('fail2ban:sshd', 'agent')]));
  service.on('GET /api/audit', () => ({ body: { items: [row(813, 'REQ0')], next_cursor: null } }));
  fireEvent.click(await button('Unblock address'));
  fireEvent.click(await button('Undo'));
  await screen.findByText(`Claim of fail2ban:sshd to ${ip} restored`);
  const blocks = service.calls.filter(({ call }) => call === 'POST /api/blocked-ips');
  expect(blocks.map(({ query }) => query.get('source'))).toEqual([null, 'fail2ban:sshd']);
});

it('restores the dropped claims after an unblock with trust, which a block ends', async () => {
  const service = await open(entryOf([claim('drop', 'list'), claim('fail2ban', 'agent')]));
  fireEvent.click(await screen.findByLabelText('7 days'));
  fireEvent.click(await button('Trust for 7 days'));
  fireEvent.click(await button('Undo'));
  await screen.findByText(`Claim of fail2ban to ${ip} restored`);
  expect(service.calls.some(({ call }) => call.startsWith('GET /api/audit'))).toBe(false);
});

it('trusts the address for a time, also if only a list claims it', async () => {
  const service = await open(entryOf([claim('drop', 'list')]));
  await screen.findByText('You cannot drop a claim. It stays blocked by drop. To allow it, trust it.');
  expect((await button('Drop claims')).hasAttribute('disabled')).toBe(true);
  fireEvent.click(await screen.findByLabelText('7 days'));
  await screen.findByText('Allowed for 7 days, unless you or an agent block it again.');
  fireEvent.click(await button('Trust for 7 days'));
  await screen.findByText(/192\.0\.2\.1 is trusted until/);
  const [call] = service.calls.filter(({ call: one }) => one.startsWith('DELETE'));
  expect(call?.query.get('trust_for')).toBe('7d');
});

it('says that a blocked network keeps the address blocked', async () => {
  const claims = [claim('drop', 'list'), claim('fail2ban', 'agent')];
  const first = await open(entryOf(claims), {}, undefined, ['192.0.2.0/24']);
  await screen.findByText('It stays blocked by drop, 192.0.2.0/24. To allow it, trust it.');
  fireEvent.click(await screen.findByLabelText('7 days'));
  await screen.findByText('Allowed for 7 days, unless you or an agent block it again.');
  expect(first.calls.some(({ call }) => call.startsWith('DELETE'))).toBe(false);
  cleanup();
  await open(entryOf(claims.slice(1)), {}, undefined, ['192.0.2.0/24']);
  await screen.findByText('It stays blocked by 192.0.2.0/24. To allow it, trust it.');
  fireEvent.click(await button('Drop claims'));
  await screen.findByText('Entry removed. Still blocked by 192.0.2.0/24.');
});

it('offers no trust to a key without that right, and drops only what its source claims', async () => {
  await open(entryOf([claim('manual', 'manual'), claim('fail2ban', 'agent')]), {
    scopes: ['block'],
    source: 'fail2ban',
  });
  expect(await claimsIn('Dropped claims')).toHaveLength(1);
  await screen.findByText('It stays blocked by manual. An administrator can trust it for a time.');
  expect(screen.queryByLabelText('7 days')).toBeNull();
});

it('asks nothing about an entry that only operators claim', async () => {
  const service = await open(entryOf());
  await screen.findByText(`${ip} is no longer blocked`);
  expect(screen.queryByRole('dialog')).toBeNull();
  await waitFor(() => expect(service.calls.some(({ call }) => call.startsWith('DELETE'))).toBe(true));
});

it('says for several entries how many claims it drops, and how many addresses stay blocked', async () => {
  const other = { ...entryOf(), ip_address: '192.0.2.2' };
  const claimed = entryOf([claim('drop', 'list'), claim('fail2ban', 'agent')]);
  const service = await open(claimed, {}, [claimed, other]);
  const counts = { added: 0, updated: 0, removed: 1, unchanged: 0, rejected_total: 0, rejected: [] };
  service.on('POST /api/blocked-ips/batch', () => ({
    body: { ...counts, still_claimed_total: 1, not_blocked: [], ...verified },
  }));
  await screen.findByText('2 claims are dropped, of fail2ban, manual.');
  await screen.findByText('1 address stays blocked by drop.');
  fireEvent.click(await button('Drop claims'));
  await screen.findByText('1 of 2 entries unblocked');
  await screen.findByText(/^Still blocked by other sources: 192\.0\.2\.1\./);
  expect(batches(service).map(({ body }) => body)).toEqual([{ remove: [ip, '192.0.2.2'] }]);
  fireEvent.click(await button('Undo'));
  await screen.findByText('2 addresses blocked again');
  const restored = batches(service).slice(1);
  expect(restored.map(({ query, body }) => [query.get('source'), body])).toMatchObject([
    ['fail2ban', { add: [{ ip_address: ip }] }],
    [null, { add: [{ ip_address: '192.0.2.2' }] }],
  ]);
});

it('says which blocked networks keep some of several entries blocked', async () => {
  const other = { ...entryOf(), ip_address: '192.0.2.2' };
  const covered = { still_blocked: [{ ip_address: ip, by: '192.0.2.0/24' }], still_blocked_total: 1 };
  const service = await open(
    entryOf([claim('fail2ban', 'agent')]),
    {},
    [entryOf([claim('fail2ban', 'agent')]), other],
    [],
    covered,
  );
  await screen.findByText(`${ip} stays blocked by 192.0.2.0/24.`);
  const [preview] = service.calls.filter(({ call }) => call.endsWith('/batch'));
  expect(preview).toMatchObject({ body: { remove: [ip, '192.0.2.2'] } });
  expect(preview?.query.get('dry_run')).toBe('true');
  expect(batches(service)).toEqual([]);
});

it('restores removed entries by the claims of each source', async () => {
  const banned = entryOf([claim('fail2ban', 'agent'), claim('manual', 'manual', 'abuse')]);
  const other = { ...entryOf(), ip_address: '192.0.2.2' };
  const service = await open(banned, {}, [banned, other]);
  const counts = { added: 0, updated: 0, removed: 2, unchanged: 0, rejected_total: 0, rejected: [] };
  service.on('POST /api/blocked-ips/batch', () => ({ body: { ...counts, not_blocked: [], ...verified } }));
  fireEvent.click(await button('Drop claims'));
  fireEvent.click(await button('Undo'));
  await screen.findByText('2 addresses blocked again');
  const sent = batches(service)
    .slice(1)
    .map(({ query, body }) => [
      query.get('source'),
      (body as { add: { ip_address: string; reason: string | null }[] }).add.map((one) => [one.ip_address, one.reason]),
    ]);
  expect(sent).toEqual([
    ['fail2ban', [[ip, null]]],
    [
      null,
      [
        [ip, 'abuse'],
        ['192.0.2.2', null],
      ],
    ],
  ]);
});
