// What HAProxy counts is what its clients got (ADR 0089).

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { echoHost, type Headers, RenderedProxy } from '../../testkit/configuration/rendered-proxy.ts';
import { dealt, describeOnProductProxies, longTests } from '../../testkit/proxies.ts';
import { currentDeniedPage } from '../configuration/template/denied-page.ts';
import { addressEntry } from '../domain/ip.ts';
import { backendName } from '../domain/site-backend.ts';
import { singleHeaderModes } from '../domain/upstream-modes.ts';
import { MasterSocket } from '../haproxy/socket/master-socket.ts';
import { TableReader } from './reader.ts';
import type { WorkerReading } from './readings.ts';

/** Names its client in X-Real-IP. */
const upstream = '127.0.0.1';
// 32.2.0.0 begins with the bytes of 6to4, 0x2002.
const blocked = [
  '127.0.0.2',
  '127.9.0.0/16',
  '::1',
  '32.2.7.0/24',
  '198.51.100.0/24',
  '2001:db8:bad::/48',
  '2002:c633:6400::/40',
];
const trusted = ['127.9.9.9', '198.51.100.77'];
const lines = (entries: readonly string[]) => entries.map((entry) => `${entry} 1\n`).join('');
const maps = {
  blockedMap: lines(blocked),
  trustedMap: lines(trusted),
  upstreamsMap: `${upstream} ${singleHeaderModes['x-real-ip']}\n`,
};
const named = (client: string): Headers => [['x-real-ip', client]];

/** Adds up what each client got. */
class Received {
  readonly denied = new Map<string, number>();
  readonly #wrong: string[] = [];

  add(client: string, replies: readonly { readonly status: number }[], expected = 403): void {
    for (const { status } of replies) if (status !== expected) this.#wrong.push(`${client}: ${status}`);
    if (expected === 403) this.denied.set(client, (this.denied.get(client) ?? 0) + replies.length);
  }

  get wrong(): readonly string[] {
    return this.#wrong.slice(0, 10);
  }
}

async function reading(proxy: RenderedProxy, whole: boolean, mode: 'on' | 'denied' = 'on'): Promise<WorkerReading> {
  const stats = new MasterSocket(proxy.statsSocket);
  const reader = new TableReader({ stats, master: stats, workers: () => [], mode, now: () => new Date() });
  const { workers } = await reader.read({ whole, signal: new AbortController().signal });
  stats.close();
  if (workers[0] === undefined) throw new Error('HAProxy did not answer');
  return workers[0];
}

const deniedIn = ({ denied }: WorkerReading) =>
  new Map(Array.from(denied, ({ address, value }) => [addressEntry(address).text, value]));
const ordered = (counts: ReadonlyMap<string, number>) => [...counts].sort(([one], [other]) => (one < other ? -1 : 1));

describeOnProductProxies('counting of denied requests', ({ bin, major }) => {
  const dealtIt = dealt(bin, it);
  let proxy: RenderedProxy;
  beforeEach(async () => {
    proxy = await RenderedProxy.start({ bin, maps, input: { insight: 'on' }, site: { names: ['*.example.com'] } });
  });
  afterEach(() => proxy.stop());

  it('equals, address by address, what the clients got', async () => {
    const got = new Received();
    const three = [[], [], []];
    got.add('127.0.0.2', await proxy.keep(three, { from: '127.0.0.2' }));
    got.add('127.0.0.2', await proxy.exchange(three, { from: '127.0.0.2', mapped: true }));
    got.add('127.0.0.2', await proxy.askHttp2(three, { from: '127.0.0.2' }));
    got.add('127.9.1.2', [await proxy.ask([], { from: '127.9.1.2' }), await proxy.ask([], { from: '127.9.1.2' })]);
    got.add('::1', await proxy.askHttp2([[]], { from: '::1' }));
    for (const client of ['198.51.100.7', '32.2.7.7', '2001:db8:bad::7', '2002:c633:6401::1'])
      got.add(client, await proxy.keep([named(client), named(client)]));
    // A trusted address, other clients, an upstream without a client, and the own 403 of a site.
    got.add('127.9.9.9', await proxy.keep(three, { from: '127.9.9.9' }), 200);
    got.add('198.51.100.77', await proxy.keep([named('198.51.100.77')]), 200);
    got.add('203.0.113.1', await proxy.keep([named('203.0.113.1'), []]), 200);
    const own = await proxy.keep([[['x-answer', '403']]], { from: '127.0.0.5' });
    expect(own.map(({ status }) => status)).toEqual([403]);
    await proxy.keep([[['x-answer', '503']]], { from: '127.0.0.5' });
    expect(got.wrong).toEqual([]);
    const head = await proxy.raw(`HEAD / HTTP/1.0\r\nHost: ${echoHost}\r\n\r\n`, { from: '127.0.0.2' });
    expect(head).toMatch(/^HTTP\/1\.[01] 403 /);
    got.add('127.0.0.2', [{ status: 403 }]);

    const read = await reading(proxy, true);
    expect(ordered(deniedIn(read))).toEqual(ordered(got.denied));
    expect(read.deniedRequests).toBe([...got.denied.values()].reduce((one, other) => one + other));
    const active = await reading(proxy, false);
    expect(ordered(deniedIn(active))).toEqual(ordered(got.denied));
    const seconds = [...read.denied].map(({ at }) => at! - Date.now() / 1_000);
    expect(seconds.filter((since) => since > 1 || since < -30)).toEqual([]);
    expect(new Set([...active.denied].map(({ at }) => at))).toEqual(new Set([null]));
    expect(read).toMatchObject({ current: true, handsOver: major > 2, rejected: new Map() });
    // The 200 and the two of the server.
    expect(read.backends.get(backendName(echoHost))).toMatchObject({ requests: 8, serverErrors: 1 });
    expect([...read.used.keys()]).toEqual(['pm_denied', 'pm_sites', 'pm_rejected', 'pm_clients']);
    expect(read.used.get('pm_denied')).toBe(got.denied.size / 102_400);
  });

  dealtIt('equals what random clients got', async () => {
    const got = new Received();
    const requests = longTests ? 100_000 : 1_000;
    const addresses = fc.sample(
      fc.oneof(
        fc.nat(255).map((last) => `198.51.100.${last}`),
        fc.nat(65_535).map((last) => `2001:db8:bad::${last === 0 ? 'a' : last.toString(16)}:1`),
      ),
      requests,
    );
    const each = 200;
    for (let at = 0; at < requests; at += each) {
      const clients = addresses.slice(at, at + each);
      const asked = clients.map(named);
      const replies = (at / each) % 2 === 0 ? await proxy.exchange(asked) : await proxy.askHttp2(asked);
      expect(replies.length).toBe(clients.length);
      clients.forEach((client, index) => {
        got.add(client, replies.slice(index, index + 1), client === '198.51.100.77' ? 200 : 403);
      });
    }
    expect(got.wrong).toEqual([]);
    expect(ordered(deniedIn(await reading(proxy, true)))).toEqual(ordered(got.denied));
  });

  dealtIt('samples sites by the name of the map, and other clients, IPv6 by /64', async () => {
    const count = 1_600;
    const exact = Array.from({ length: 200 }, (): Headers => [['host', echoHost]]);
    await proxy.exchange(exact, { from: '127.0.0.2' });
    const wildcards = Array.from({ length: count }, (): Headers => [['host', `Shop${echoHost.slice(4)}.:80`]]);
    await proxy.exchange(wildcards, { from: '127.0.0.2' });
    await proxy.exchange(
      Array.from({ length: count }, () => []),
      { from: '127.0.0.5' },
    );
    await proxy.exchange(Array.from({ length: count }, (_, at) => named(`2001:db8::${at.toString(16)}`)));
    for (const client of ['32.2.3.4', '32.20.3.4', '132.2.3.4'])
      await proxy.exchange(Array.from({ length: count }, () => named(client)));
    const unknown = Array.from({ length: 100 }, (_, at): Headers => [['host', `${at}.unknown.example`]]);
    await proxy.exchange(unknown, { from: '127.0.0.2' });
    const read = await reading(proxy, false);
    expect([...read.sites.keys()].sort()).toEqual(['*.example.com', echoHost]);
    expect([...read.clients.keys()].sort()).toEqual(['127.0.0.5', '132.2.3.4', '2001:db8::', '32.2.3.4', '32.20.3.4']);
    // 100 on average; outside of 50 to 160 in one of a million runs.
    for (const sampled of [read.sites.get('*.example.com'), ...[...read.clients.values()].map((one) => one.requests)])
      expect(Math.abs((sampled ?? 0) - 105)).toBeLessThan(55);
  });
});

describeOnProductProxies('a table that can hold no more', ({ bin }) => {
  /** Of one entry: most clients cannot be counted. */
  const tiny = (text: string) => text.replaceAll(/ size \d+k expire/g, ' size 1 expire');

  it.each(['on', 'denied'] as const)('lets no blocked address in, with insight %s', async (insight) => {
    const proxy = await RenderedProxy.start({ bin, maps, input: { insight }, change: tiny });
    try {
      const clients = Array.from({ length: longTests ? 10_000 : 600 }, (_, at) => `2001:db8:bad::${at.toString(16)}:1`);
      const statuses = new Set<number>();
      for (let at = 0; at < clients.length; at += 200) {
        const replies = await proxy.exchange(clients.slice(at, at + 200).map(named));
        expect(replies.length).toBe(clients.slice(at, at + 200).length);
        for (const { status } of replies) statuses.add(status);
      }
      expect([...statuses]).toEqual([403]);
      const read = await reading(proxy, true, insight);
      expect(read.deniedRequests).toBe(clients.length);
      expect(deniedIn(read).size).toBeLessThanOrEqual(1);
      expect(read.clients.size).toBe(0);
    } finally {
      await proxy.stop();
    }
  });
});

describeOnProductProxies("an operator's page that counts", ({ bin }) => {
  it('is sent as it is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pm-page-'));
    const path = join(folder, 'page.html');
    const page = '%[src_inc_gpc0(pm_denied),iif(,)] 100% %ci\n';
    await writeFile(path, page);
    const deniedPage = await currentDeniedPage({ path, base: join(folder, 'denied.html'), liveText: async () => null });
    const proxy = await RenderedProxy.start({ bin, maps, input: { insight: 'on', deniedPage } });
    try {
      const replies = await proxy.keep([[], []], { from: '127.0.0.2' });
      expect(replies).toEqual([
        { status: 403, body: page },
        { status: 403, body: page },
      ]);
      expect(ordered(deniedIn(await reading(proxy, true)))).toEqual([['127.0.0.2', 2]]);
    } finally {
      await proxy.stop();
      await rm(folder, { recursive: true });
    }
  });
});
