import { describe, expect, it } from 'vitest';
import { handshakeTarget } from './handshake-target.ts';

const list = '/etc/proxy/tls/certificates.list';
const tls = `ssl crt /etc/proxy/tls/default.pem crt-list ${list} alpn h2,http/1.1`;
const ask = (bind: string, upstream: string | null = null) =>
  handshakeTarget({
    text: `frontend http\n    bind :80\n${bind}\n`,
    file: '/etc/proxy/proxy.cfg',
    list,
    speaksProxyProtocol: async (address) => address === upstream,
  });

describe('a handshake with HAProxy', () => {
  it.each([
    [`bind :443 ${tls}`, ['127.0.0.1 443'], []],
    [`bind :443,[::]:443 ${tls}`, ['127.0.0.1 443', '::1 443'], []],
    [`bind [::]:8443 ${tls}`, ['::1 8443'], []],
    [`bind 192.0.2.7:443 ${tls}\n    bind :80`, ['192.0.2.7 443'], []],
    [
      `bind :444 accept-proxy ${tls}\n    bind :443 ${tls}`,
      ['127.0.0.1 443'],
      ['HAProxy expects PROXY protocol at :444'],
    ],
    [
      `bind :443,/run/https.sock ${tls}`,
      ['127.0.0.1 443'],
      ['the address /run/https.sock cannot be reached by TCP from here'],
    ],
  ])('of the line "%s" is made with %j', async (bind, at, untried) => {
    const target = await ask(`    ${bind}`);
    expect(target).toMatchObject({ possible: true, untried });
    expect(target.possible && target.addresses.map(({ host, port }) => `${host} ${port}`)).toEqual(at);
  });

  it('is made with some ports of a range', async () => {
    const target = await ask(`    bind :2000-2011 ${tls}`);
    expect(target).toMatchObject({ possible: true, untried: ['4 more addresses were not tried'] });
    expect(target.possible && target.addresses).toHaveLength(8);
  });

  it.each([
    ['', null, 'no bind line of /etc/proxy/proxy.cfg uses the list /etc/proxy/tls/certificates.list'],
    ['bind :443 ssl crt /etc/own.pem', null, 'no bind line of /etc/proxy/proxy.cfg uses the list'],
    [`bind :443 accept-proxy ${tls}`, null, 'HAProxy expects PROXY protocol at :443'],
    [`bind /run/https.sock ${tls}`, null, 'the address /run/https.sock cannot be reached by TCP from here'],
    [`bind :443 ${tls}`, '127.0.0.1', 'HAProxy expects PROXY protocol of 127.0.0.1, which is an upstream'],
  ])('of the line "%s" is not possible', async (bind, upstream, why) => {
    expect(await ask(`    ${bind}`, upstream)).toEqual({ possible: false, why: expect.stringContaining(why) });
  });
});
