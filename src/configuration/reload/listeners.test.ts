import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { sampleHttps, sampleInput } from '../../../testkit/configuration/template-samples.ts';
import { Template } from '../template/template.ts';
import { type BindAddress, bindAddresses, namesAddresses, tryBind } from './listeners.ts';

const brief = (text: string) => bindAddresses(text).map(({ host, port }) => `${host} ${port}`);

test.each([
  ['bind :80', ['0.0.0.0 80']],
  ['bind *:80 # all', ['0.0.0.0 80']],
  ['bind 127.0.0.1:8080', ['127.0.0.1 8080']],
  ['bind :::80', [':: 80']],
  ['bind [::]:80 v4v6', [':: 80']],
  ['bind [::1]:80,ipv4@:81,ipv6@:82', ['::1 80', '0.0.0.0 81', ':: 82']],
  ['bind :8000-8002 ssl crt /x.pem', ['0.0.0.0 8000', '0.0.0.0 8001', '0.0.0.0 8002']],
  ['bind localhost:80', ['localhost 80']],
  ['bind :80\nbind :80', ['0.0.0.0 80']],
  ['bind /run/x.sock', []],
  ['bind unix@/run/x.sock', []],
  ['bind abns@x', []],
  ['bind fd@3', []],
  ['bind quic4@:443 ssl crt /x.pem', []],
  ['bind "$HERE:80"', []],
  ['# bind :80', []],
  ['server s1 127.0.0.1:80', []],
])('%j binds %j', (text, expected) => {
  expect(brief(`frontend f\n${text}\n`)).toEqual(expected);
});

test('a range of ports is expanded only up to a limit', () => {
  expect(bindAddresses('frontend f\n bind :1-65535')).toHaveLength(64);
});

test('an address in use is refused; a free one is accepted, and stays free', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  const at = (host: string, port: number): BindAddress => ({ host, port, text: `${host}:${port}`, ipv6Only: false });
  const taken = at('127.0.0.1', port);
  const free = at('127.0.0.2', port);
  const wildcard = at('0.0.0.0', port);
  const elsewhere = at('192.0.2.1', port);
  try {
    const refused = await tryBind([taken, free, free, wildcard, elsewhere]);
    expect(refused).toEqual([
      { address: taken, code: 'EADDRINUSE' },
      { address: wildcard, code: 'EADDRINUSE' },
      { address: elsewhere, code: 'EADDRNOTAVAIL' },
    ]);
  } finally {
    other.close();
  }
  expect(await tryBind([taken, wildcard])).toEqual([]);
});

test.each([
  [['127.0.0.1:8443', '[::1]:8443']],
  // These get v6only.
  [[':8443', '[::]:8443']],
  [['any:8443']],
])('the built-in template names the addresses %j, for TLS alone', async (bind) => {
  const { text } = await Template.builtIn().render({ ...sampleInput, https: { ...sampleHttps, bind } });
  expect(namesAddresses(text, bind, { tls: true })).toBe(true);
  expect(namesAddresses(text, bind, { tls: false })).toBe(false);
  expect(namesAddresses(text, [...bind, ':8444'], { tls: true })).toBe(false);
  expect(namesAddresses(text, sampleInput.httpBind, { tls: false })).toBe(true);
});
