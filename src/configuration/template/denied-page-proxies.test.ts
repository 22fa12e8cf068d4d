import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../testkit/conditions.ts';
import { RenderedProxy } from '../../../testkit/configuration/rendered-proxy.ts';
import { Syslog } from '../../../testkit/haproxy/syslog.ts';
import { describeOnProductProxies } from '../../../testkit/proxies.ts';
import { parseReference } from '../../domain/reference.ts';
import { singleHeaderModes } from '../../domain/upstream-modes.ts';
import { currentDeniedPage, deniedPageLimit } from './denied-page.ts';

/** Names its client in X-Real-IP. */
const upstream = '127.0.0.1';
const maps = {
  blockedMap: '127.0.0.2 1\n::1 1\n198.51.100.7 1\n2001:db8::7 1\n',
  upstreamsMap: `${upstream} ${singleHeaderModes['x-real-ip']}\n`,
};

describeOnProductProxies('the built-in page for denied clients', ({ bin }) => {
  let syslog: Syslog;
  let proxy: RenderedProxy;
  const referenceIn = (reply: string): string => />([0-9A-F-]+)</.exec(reply)?.[1] ?? '';

  beforeAll(async () => {
    syslog = await Syslog.listen();
    proxy = await RenderedProxy.start({ bin, maps, input: { accessLog: syslog.address } });
  });
  afterAll(async () => {
    await proxy?.stop();
    syslog?.close();
  });

  test.each([
    ['127.0.0.2', [], '127.0.0.2'],
    ['::1', [], '::1'],
    [upstream, ['X-Real-IP: 198.51.100.7'], '198.51.100.7'],
    [upstream, ['X-Real-IP: 2001:db8::7'], '2001:db8::7'],
  ])('from %s with %j has a reference of %s, as the log has', async (from, headers, client) => {
    const before = Math.floor(Date.now() / 1_000);
    const reply = await proxy.get(`/of-${client}`, { from, headers });
    expect(reply).toMatch(/^HTTP\/1\.1 403 /);
    const reference = parseReference(referenceIn(reply));
    if (!reference.ok) throw new Error(reference.why);
    expect(reference.value.client.text).toBe(client);
    expect(reference.value.at.getTime() / 1_000).toBeGreaterThanOrEqual(before);
    expect(reference.value.at.getTime()).toBeLessThanOrEqual(Date.now());
    const line = await eventually('it is logged', () => syslog.lines.find((one) => one.includes(`/of-${client} `)));
    expect(line).toContain(`client=${client} peer=${from} `);
    expect(line).toContain(` ref=${referenceIn(reply)} `);
  });

  test('is HTML that no cache stores, and names neither the product nor its API', async () => {
    const reply = await proxy.get('/', { from: '127.0.0.2' });
    expect(reply.toLowerCase()).toContain('\r\ncontent-type: text/html; charset=utf-8\r\n');
    expect(reply.toLowerCase()).toContain('\r\ncache-control: no-store\r\n');
    expect(reply).toContain('<h1>Access denied</h1>');
    expect(reply).not.toMatch(/proxy|\/api|blocked_ips/i);
  });

  test('has its own reference for each request of a connection, and no body for HEAD', async () => {
    const [head, get] = ['HEAD / HTTP/1.1\r\nHost: a\r\n\r\n', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'];
    const last = get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    const reply = await proxy.raw(head + get + head + last, { from: '127.0.0.2' });
    const replies = reply.split('HTTP/1.1 ').slice(1);
    expect(replies.map((one) => one.slice(0, 3))).toEqual(['403', '403', '403', '403']);
    const bodies = replies.map((one) => one.slice(one.indexOf('\r\n\r\n') + 4));
    expect(bodies.map((one) => one !== '')).toEqual([false, true, false, true]);
    expect(bodies[1]).toMatch(/<\/html>$/);
    expect(referenceIn(bodies[1]!)).not.toBe(referenceIn(bodies[3]!));
  });
});

describeOnProductProxies("an operator's page for denied clients", ({ bin }) => {
  /** The body that a denied client gets. */
  const sent = async (page: string): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'pm-page-'));
    const path = join(folder, 'page.html');
    await writeFile(path, page);
    const deniedPage = await currentDeniedPage({ path, base: join(folder, 'denied.html'), liveText: async () => null });
    expect(deniedPage.refusal).toBeNull();
    const proxy = await RenderedProxy.start({
      bin,
      maps: { blockedMap: '127.0.0.2 1\n' },
      input: { deniedPage },
    });
    try {
      const reply = await proxy.get('/', { from: '127.0.0.2' });
      expect(reply).toMatch(/^HTTP\/1\.1 403 /);
      return Buffer.from(reply.slice(reply.indexOf('\r\n\r\n') + 4), 'latin1').toString();
    } finally {
      await proxy.stop();
      await rm(folder, { recursive: true });
    }
  };

  test('is sent as it is, with the reference in its place', async () => {
    const page = `<pre>100% of 'x' and "y", \\n \\x41 \${HOME} $HOME %[src] %ci %%\r\n\t  two  blanks   ünï 🚫 # no {comment}</pre>\n`;
    const body = await sent(`${page}{{ reference }}|{{reference}}\n${page}`);
    const [, before, first, second, after] = /^(.*\n)([0-9A-F-]+)\|([0-9A-F-]+)\n(.*)$/s.exec(body) ?? [];
    expect([before, after]).toEqual([page, page]);
    expect(first).toBe(second);
  });

  test('is sent completely if it is as large as allowed', async () => {
    const reference = '{{ reference }}';
    const page = `${reference}${'x'.repeat(deniedPageLimit - 100)}${reference}`;
    const body = await sent(page);
    expect(body).toMatch(/^[0-9A-F-]+x{14900}[0-9A-F-]+$/);
    expect(await sent('%'.repeat(8_000))).toBe('%'.repeat(8_000));
  });

  test('is sent as it is, whatever text it is', async () => {
    const special = [
      '%',
      '%[',
      ']',
      '\\',
      '"',
      "'",
      '$',
      '{',
      '}',
      '#',
      ' ',
      '  ',
      '\n',
      '\r\n',
      '\t',
      '<',
      'é',
      '\u2028',
      '{{',
      '\u007f',
      'x',
    ];
    const pages = fc.sample(fc.array(fc.constantFrom(...special), { minLength: 1, maxLength: 200 }), 4);
    for (const page of pages.map((parts) => `a${parts.join('')}`)) expect(await sent(page)).toBe(page);
  });
});
