// The lines that `attach` prints for upstreams, in a HAProxy with an operator's own configuration.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mapFiles, sampleMaps } from '../../testkit/configuration/address-maps.ts';
import { type Headers, RenderedProxy, receivedBy } from '../../testkit/configuration/rendered-proxy.ts';
import { describeOnEachProxy } from '../../testkit/proxies.ts';
import { frontEndsOf } from '../configuration/rules/front-ends.ts';
import { judgesClients } from '../configuration/rules/upstream-use.ts';
import { report, upstreamPasteLines } from './report.ts';
import { upstreamLines } from './texts.ts';

const folder = '/etc/proxy';
const maps = {
  blockedMap: `${folder}/blocked_ips.map`,
  trustedMap: `${folder}/trusted_ips.map`,
  upstreamsMap: `${folder}/upstreams.map`,
  proxyProtocolMap: `${folder}/proxy_protocol.map`,
};
const reported = {
  proxy: { pid: 7, unit: null, arguments: { masterSocket: '/run/m.sock' } },
  version: '3.2.1',
  files: ['own.cfg'],
  socket: { path: '/run/m.sock', usable: true },
};
const ofOwn = (...lines: readonly string[]) => ['frontend own', '    mode http', '    bind :80', ...lines].join('\n');
const factsOf = (text: string) => {
  const texts = [{ path: 'own.cfg', text }];
  return { texts, frontEnds: frontEndsOf(texts, maps) };
};

describe('the lines for upstreams', () => {
  it('leave nothing to add', () => {
    const [frontEnd] = factsOf(ofOwn(...upstreamLines(maps, 1))).frontEnds;
    expect(frontEnd).toMatchObject({ hasRule: true, sparesTrusted: true });
    expect(judgesClients(frontEnd!.upstreamUse, true)).toEqual({ inForce: true, reason: null });
    // A second attach must not ask for them again.
    expect(frontEnd?.sourceSetAt ?? null).toBeNull();
  });

  it('are printed if a front end sets the address of the client itself, or on request', () => {
    const plain = factsOf(ofOwn('    default_backend b'));
    const own = factsOf(
      ofOwn(
        '    http-request set-src hdr(x-real-ip)',
        `    http-request deny if { src,map_ip(${maps.blockedMap},0) -m int gt 0 }`,
      ),
    );
    expect(upstreamPasteLines(plain, false, maps)).toEqual([]);
    expect(upstreamPasteLines(plain, true, maps)).toEqual(expect.arrayContaining([...upstreamLines(maps, 1)]));
    expect(upstreamPasteLines(own, false, maps).join('\n')).toContain('Here own (own.cfg:4).');
  });

  it('use a stick counter that no rule of the operator uses, and count nothing if there is none', () => {
    const printed = (...lines: readonly string[]) =>
      upstreamPasteLines(factsOf(ofOwn(...lines)), true, maps).join('\n');
    const track = (counter: number) => `    http-request track-sc${counter} src table mine`;
    expect(printed()).toContain('http-request track-sc1 src table pm_unnamed');
    expect(printed(track(1))).toContain('http-request track-sc2 src table pm_unnamed');
    expect(printed(track(1))).toContain('No other rule may use the stick counter sc2, as your rules use sc1.');
    expect(printed(track(1), track(2))).toContain('http-request track-sc0 src table pm_unnamed');
    const none = printed(track(0), track(1), track(2));
    expect(none).not.toContain('pm_unnamed');
    expect(none).toContain('They count no requests in which an upstream names no client');
  });

  it('are named in the report of a front end that has some of them', () => {
    const line = (...lines: readonly string[]) =>
      report({ ...reported, ...factsOf(ofOwn(...lines)) } as never, []).at(-1);
    const lines = upstreamLines(maps, 1);
    expect(line(...lines)).toMatch(/has the rule; it judges the clients of upstreams$/);
    expect(line(...lines.filter((one) => !one.includes(' set-src var')))).toMatch(
      /has the rule; frontend own lacks an http-request set-src/,
    );
    expect(line(`    http-request deny if { src,map_ip(${maps.blockedMap},0) -m int gt 0 }`)).toMatch(/has the rule$/);
  });
});

describeOnEachProxy('an own front end with the lines for upstreams', ({ bin }) => {
  let proxy: RenderedProxy;
  beforeAll(async () => {
    proxy = await RenderedProxy.start({ bin, maps: mapFiles(sampleMaps), change: withOwnFrontEnd });
  });
  afterAll(() => proxy.stop());

  const received = async (headers: Headers, from: string) => {
    const reply = await proxy.ask(headers, { from });
    return reply.status === 200 ? receivedBy(reply) : reply.status;
  };
  const xff = (value: string): Headers => [['X-Forwarded-For', value]];

  it('judges the client that an upstream names, and believes no other peer', async () => {
    expect(await received(xff('198.51.100.1'), '127.0.0.1')).toEqual([['x-forwarded-for', '198.51.100.1']]);
    expect(await received(xff('198.51.100.1, 203.0.113.9'), '127.0.0.1')).toBe(403);
    expect(await received(xff('unknown'), '127.0.0.1')).toBe(400);
    expect(await received([], '127.0.0.1')).toEqual([['x-forwarded-for', '127.0.0.1']]);
    expect(await received(xff('198.51.100.1'), '127.0.0.66')).toBe(403);
    expect(await received(xff('198.51.100.1'), '127.0.0.50')).toEqual([['x-forwarded-for', '127.0.0.50']]);
    const named = { from: '127.0.0.9', preface: 'PROXY TCP4 203.0.113.9 192.0.2.1 5555 80\r\n' };
    expect((await proxy.ask([], named)).status).toBe(403);
  });
});

/** In place of the front end of the built-in template, with its maps. */
function withOwnFrontEnd(text: string): string {
  const path = /src,map_ip\((\S+)\/blockedMap,0\)/.exec(text)?.[1] ?? '';
  const own = upstreamLines(
    {
      blockedMap: `${path}/blockedMap`,
      trustedMap: `${path}/trustedMap`,
      upstreamsMap: `${path}/upstreamsMap`,
      proxyProtocolMap: `${path}/proxyProtocolMap`,
    },
    1,
  );
  const section = own.indexOf('');
  return [
    text.slice(0, text.indexOf('frontend http')),
    'frontend own',
    ...(text.match(/^ +bind .*$/gm) ?? []),
    ...own.slice(0, section),
    '    default_backend site_echo.example.com',
    ...own.slice(section),
    text.slice(text.indexOf('\nbackend site_')),
  ].join('\n');
}
