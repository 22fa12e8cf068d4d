// The lines that `attach` prints for upstreams, in a HAProxy with an operator's own configuration.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mapFiles, sampleMaps } from '../../testkit/configuration/address-maps.ts';
import { type Headers, RenderedProxy, receivedBy } from '../../testkit/configuration/rendered-proxy.ts';
import { describeOnEachProxy } from '../../testkit/proxies.ts';
import { frontEndsOf } from '../configuration/rules/front-ends.ts';
import { upstreamPasteLines } from './report.ts';
import { upstreamLines } from './texts.ts';

const folder = '/etc/proxy';
const maps = {
  blockedMap: `${folder}/blocked_ips.map`,
  trustedMap: `${folder}/trusted_ips.map`,
  upstreamsMap: `${folder}/upstreams.map`,
  proxyProtocolMap: `${folder}/proxy_protocol.map`,
};
const ofOwn = (...lines: readonly string[]) => ['frontend own', '    mode http', '    bind :80', ...lines].join('\n');
const frontEndsIn = (text: string) => frontEndsOf([{ path: 'own.cfg', text }], maps);

describe('the lines for upstreams', () => {
  it('leave nothing to add', () => {
    const [frontEnd] = frontEndsIn(ofOwn(...upstreamLines(maps)));
    expect(frontEnd).toMatchObject({ hasRule: true, sparesTrusted: true });
    expect(frontEnd?.upstreamGap ?? null).toBeNull();
    // A second attach must not ask for them again.
    expect(frontEnd?.sourceSetAt ?? null).toBeNull();
  });

  it('are printed if a front end sets the address of the client itself, or on request', () => {
    const plain = frontEndsIn(ofOwn('    default_backend b'));
    const own = frontEndsIn(
      ofOwn(
        '    http-request set-src hdr(x-real-ip)',
        `    http-request deny if { src,map_ip(${maps.blockedMap},0) -m int gt 0 }`,
      ),
    );
    expect(upstreamPasteLines(plain, false, maps)).toEqual([]);
    expect(upstreamPasteLines(plain, true, maps)).toEqual(expect.arrayContaining([...upstreamLines(maps)]));
    expect(upstreamPasteLines(own, false, maps).join('\n')).toContain('Here own (own.cfg:4).');
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
  const own = upstreamLines({
    blockedMap: `${path}/blockedMap`,
    trustedMap: `${path}/trustedMap`,
    upstreamsMap: `${path}/upstreamsMap`,
    proxyProtocolMap: `${path}/proxyProtocolMap`,
  });
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
