import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { silentLog } from '../../testkit/silent-log.ts';
import { StoreFolder } from '../../testkit/store/store-folder.ts';
import { report } from '../api/changes.ts';
import type { Facts, FactType } from '../events/facts.ts';
import { NoticesStore } from '../store/notices-store.ts';
import type { Database } from '../store/open-database.ts';
import type { Log } from '../telemetry/log.ts';
import { Notices } from './notices.ts';

let folder: StoreFolder;
let database: Database;
let now: Date;
let notices: Notices;
beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  now = new Date('2026-11-20T12:00:00.000Z');
  notices = new Notices({ store: new NoticesStore(database), log: silentLog, now: () => now });
});
afterEach(() => folder.remove());

const fact = <Type extends FactType>(type: Type, data: Facts[Type]): void =>
  notices.listener({ type, data } as Parameters<Notices['listener']>[0]);
const anna = { keyName: 'anna' };
const titles = async () => (await notices.list(anna, 1_000, true)).items.map(({ title }) => title);
const ends = async () => (await notices.list(anna, 10, true)).items.map(({ ended_at: end }) => end);
const caller = { keyName: 'anna', requestId: 'r' };
const candidate = (at: number): void =>
  fact('candidate.found', { ip_address: `198.51.100.${at}`, rate: 41.2, error_share: 0.92 });
const attack = { id: 7, rate: 360, usual: 12, top_sites: [{ site: 'shop.example', denied: 300 }] };
const networks = [{ entry: '192.0.2.0/24', denied: 280 }];

it('ends a notice when its cause ends, and opens another one the next time', async () => {
  fact('attack.started', { ...attack, top_networks: networks });
  now = new Date('2026-11-20T12:20:00.000Z');
  fact('attack.ended', { id: 7, denied: 7_000, minutes: 20 });
  fact('attack.started', { ...attack, id: 8, top_networks: [], top_sites: [] });
  const { items, unread } = await notices.list(anna, 10, false);
  expect(items).toEqual([
    {
      ...{ id: 2, type: 'attack.started', level: 'attention', page: '/denied', read: false },
      title: 'Attack: 360 denied requests a minute',
      detail: 'Usual: 12. All of them get 403.',
      ...{ at: '2026-11-20T12:20:00.000Z', ended_at: null },
    },
    {
      ...{ id: 1, type: 'attack.started', level: 'attention', page: '/denied', read: false },
      title: 'Attack: 360 denied requests a minute',
      detail: 'Usual: 12. Most of them at shop.example, from 192.0.2.0/24. All of them get 403.',
      ...{ at: '2026-11-20T12:00:00.000Z', ended_at: '2026-11-20T12:20:00.000Z' },
    },
  ]);
  expect(unread).toBe(2);
});

it('leads from a candidate to the candidates', async () => {
  candidate(1);
  expect((await notices.list(anna, 1, false)).items[0]?.page).toBe('/candidates');
});

it('keeps one notice of a subject, with its last state', async () => {
  fact('health.changed', { status: 'degraded', was: 'ok', reasons: ['worker 7: no answer'] });
  fact('health.changed', { status: 'degraded', was: 'degraded', reasons: ['database: disk full'] });
  expect((await notices.list(anna, 10, false)).items).toMatchObject([
    { id: 1, level: 'attention', detail: 'database: disk full', ended_at: null },
  ]);
  // After a restart of the service too, which first reports how it is.
  fact('health.changed', { status: 'ok', was: null, reasons: [] });
  fact('health.changed', { status: 'degraded', was: 'ok', reasons: [] });
  expect((await notices.list(anna, 10, false)).items).toMatchObject([
    { id: 2, ended_at: null },
    { id: 1, ended_at: now.toISOString() },
  ]);
});

it('opens another notice when a cause that was read becomes worse, and ends both', async () => {
  fact('health.changed', { status: 'degraded', was: 'ok', reasons: [] });
  await notices.read(anna, 1);
  fact('health.changed', { status: 'down', was: 'degraded', reasons: [] });
  fact('health.changed', { status: 'down', was: 'down', reasons: ['no worker'] });
  expect((await notices.list(anna, 10, false)).items).toMatchObject([
    { id: 2, level: 'failure', detail: 'no worker', read: false },
    { id: 1, level: 'attention', read: true },
  ]);
  fact('health.changed', { status: 'ok', was: 'down', reasons: [] });
  expect(await ends()).toEqual([now.toISOString(), now.toISOString()]);
});

it('opens another notice of a candidate that is found again after a day', async () => {
  candidate(1);
  now = new Date('2026-11-21T11:00:00.000Z');
  candidate(1);
  expect((await notices.list(anna, 10, false)).unread).toBe(1);
  now = new Date('2026-11-21T12:00:00.000Z');
  candidate(1);
  expect((await notices.list(anna, 10, false)).items.map(({ at }) => at)).toEqual([
    '2026-11-21T12:00:00.000Z',
    '2026-11-20T12:00:00.000Z',
  ]);
});

it('ends the notices of a certificate and of its order once it is renewed, or removed', async () => {
  const of = { id: 'c-1', names: ['shop.example'], not_after: '2026-12-01T00:00:00.000Z' };
  const directory = 'https://acme.example/directory';
  const failure = {
    class: 'will retry',
    type: 'dns',
    detail: 'no such name',
    failures: 3,
    due_at: '2026-11-20T13:00:00.000Z',
  };
  const paused = { directory, scope: 'requests', until: '2026-11-20T13:00:00.000Z', type: 'unreachable', detail: '' };
  const fail = (): void => {
    fact('certificate.expired', { ...of, sites: [] });
    fact('certificate.failing', { ...of, ...failure, directory });
  };
  fail();
  fact('acme.paused', paused);
  expect(await ends()).toEqual([null, null, null]);
  fact('certificate.issued', { ...of, directory });
  const at = now.toISOString();
  expect(await ends()).toEqual([at, at, at]);
  fail();
  const removed = { names: of.names, runtime_updated: true } as const;
  fact('operation.done', { operation: 'remove_certificate', caller, subject: { certificate: 'c-1' }, ...removed });
  expect(await ends()).toEqual([at, at, at, at, at]);
});

it('ends what is said of a candidate that is ignored, and of a source that is removed', async () => {
  candidate(1);
  fact('source.useless', { source: 'drop', entries: 3, days: 30 });
  fact('operation.done', { operation: 'ignore_candidate', caller, subject: { ip_address: '198.51.100.1' } });
  expect(await ends()).toEqual([null, now.toISOString()]);
  fact('operation.done', { operation: 'remove_source', caller, subject: { source: 'drop', removed: 3 }, report });
  expect(await ends()).toEqual([now.toISOString(), now.toISOString()]);
});

it('ends what is said of a configuration that does not count', async () => {
  fact('counting.incomplete', { missing: ['pm_denied', 'pm_clients'] });
  fact('counting.incomplete', { missing: ['pm_clients'] });
  expect((await notices.list(anna, 10, false)).items).toMatchObject([
    { id: 1, level: 'attention', page: '/configuration', detail: expect.stringContaining('lacks pm_clients. Reload') },
  ]);
  fact('counting.complete', {});
  expect(await ends()).toEqual([now.toISOString()]);
});

it('names keys and webhooks to administrators only, and ends what is said of them with its cause', async () => {
  const expires_at = '2026-11-23T12:00:00.000Z';
  const failing = { id: 'chat', why: 'the receiver answered 503', failing_since: '2026-11-20T11:58:00.000Z' };
  fact('key.expiring', { name: 'script', expires_at, days_left: 1 });
  fact('webhook.failing', { ...failing, dropped: 0 });
  fact('webhook.failing', { ...failing, dropped: 1_200 });
  const { items } = await notices.list(anna, 10, true);
  expect(items).toMatchObject([
    { level: 'failure', title: 'A webhook lost events', page: '/webhooks' },
    { level: 'attention', title: 'Events do not reach a webhook' },
    { level: 'attention', title: 'A key expires in 1 day', detail: 'script', page: '/keys' },
  ]);
  expect(items[0]?.detail).toBe(
    'chat: the receiver answered 503, since 2026-11-20T11:58:00.000Z. 1,200 events were dropped.',
  );
  expect((await notices.list(anna, 10, false)).items.map(({ detail }) => detail)).toEqual([null, null, null]);
  fact('key.expired', { name: 'script', expires_at });
  expect((await titles())[0]).toBe('A key has expired');
  fact('operation.done', { operation: 'revoke_key', caller, subject: { name: 'script' } });
  fact('webhook.recovered', { id: 'chat' });
  fact('webhook.failing', { ...failing, dropped: 0 });
  fact('operation.done', { operation: 'set_webhook', caller, subject: { webhook: 'chat' }, enabled: true });
  const at = now.toISOString();
  expect(await ends()).toEqual([at, at, at, at, at]);
});

it('remembers after a restart which sites are down', async () => {
  for (const domain of ['shop.example', 'blog.example']) fact('site.down', { domain });
  fact('site.up', { domain: 'shop.example' });
  expect((await notices.list(anna, 1, false)).items).toMatchObject([
    { title: 'blog.example is down', level: 'failure' },
  ]);
  notices = new Notices({ store: new NoticesStore(database), log: silentLog, now: () => now });
  expect(await notices.openOf('site.down')).toEqual(['blog.example']);
});

it('shows HAProxy’s messages about a configuration to administrators only', async () => {
  fact('reload.failed', { id: 'r1', status: 'failed', error: 'unknown keyword “bnd”' });
  expect((await notices.list(anna, 1, true)).items[0]?.detail).toBe('unknown keyword “bnd”');
  expect((await notices.list(anna, 1, false)).items[0]?.detail).toBeNull();
});

it('remembers by the name of the key what was read, and never goes back', async () => {
  for (const at of [1, 2, 3]) candidate(at);
  expect(await notices.read(anna, 2)).toEqual({ up_to: 2, unread: 1 });
  expect(await notices.read(anna, 1)).toEqual({ up_to: 2, unread: 1 });
  expect((await notices.list(anna, 10, false)).items.map(({ read }) => read)).toEqual([false, true, true]);
  expect((await notices.list({ keyName: 'ops' }, 10, false)).unread).toBe(3);
  await expect(notices.read(anna, 4)).rejects.toMatchObject({
    code: 7017,
    detail: expect.stringContaining('up_to is 4, and the newest notice is 3'),
  });
});

it('keeps the notice of a site that is down, however many others follow', async () => {
  for (const domain of ['shop.example', 'blog.example']) fact('site.down', { domain });
  fact('site.up', { domain: 'blog.example' });
  await notices.flush();
  for (let at = 0; at < 1_000; at += 1) candidate(at);
  expect(await notices.openOf('site.down')).toEqual(['shop.example']);
  expect(await titles()).not.toContain('blog.example is down');
});

it('keeps the newest thousand notices, and the read state of a thousand keys', async () => {
  for (let at = 0; at < 1_003; at += 1) {
    fact('candidate.found', { ip_address: `2001:db8::${at}`, rate: 1, error_share: 1 });
    if (at === 500) await notices.flush();
  }
  const { items, unread } = await notices.list(anna, 1_000, false);
  expect([items.length, unread, items.at(-1)?.id]).toEqual([1_000, 1_000, 4]);
  const rows = Array.from({ length: 1_000 }, (_, at) => ({
    key_name: `key-${at}`,
    up_to: 1,
    at: new Date(now.getTime() - at).toISOString(),
  }));
  for (let from = 0; from < rows.length; from += 200)
    await database.write
      .insertInto('notice_reads')
      .values(rows.slice(from, from + 200))
      .execute();
  now = new Date(now.getTime() + 1_000);
  await notices.read(anna, 1_003);
  const known = await database.read.selectFrom('notice_reads').select('key_name').execute();
  const names = new Set(known.map(({ key_name: name }) => name));
  expect([names.size, names.has('anna'), names.has('key-998'), names.has('key-999')]).toEqual([
    1_000,
    true,
    true,
    false,
  ]);
});

it('stores a notice after the database refused it', async () => {
  await database.write.schema.alterTable('notices').renameTo('away').execute();
  candidate(1);
  await notices.flush();
  await database.write.schema.alterTable('away').renameTo('notices').execute();
  candidate(2);
  expect(await titles()).toEqual(['Candidate: 198.51.100.2 is not blocked', 'Candidate: 198.51.100.1 is not blocked']);
  await notices.stop();
});

it('logs which notices were lost while the database rejected them', async () => {
  const lost: unknown[] = [];
  const log: Log = { ...silentLog, error: (message, fields) => lost.push([message, fields]) };
  const store = new NoticesStore(database);
  notices = new Notices({ store, log, now: () => now });
  vi.spyOn(store, 'apply').mockImplementationOnce(async () => {
    for (let at = 1_000; at < 1_003; at += 1) candidate(at);
    throw new Error('disk full');
  });
  for (let at = 0; at < 1_000; at += 1) candidate(at);
  expect(await titles()).toHaveLength(1_000);
  const subjects = ['candidate 198.51.100.0', 'candidate 198.51.100.1', 'candidate 198.51.100.2'];
  expect(lost).toEqual([['Notices were lost: the database rejected notices for too long', { lost: 3, subjects }]]);
  await notices.stop();
});

it('makes no notice of what an operator did', async () => {
  fact('operation.done', {
    operation: 'remove_site',
    caller,
    subject: { domain: 'shop.example' },
  });
  expect(await titles()).toEqual([]);
});
