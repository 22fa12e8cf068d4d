import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDomain, parsePort, parseServerAddress, parseServerOptions } from './site.ts';

const label63 = 'a'.repeat(63);

describe('parseDomain', () => {
  it.each([
    ['example.com', 'example.com'],
    ['EXAMPLE.Com', 'example.com'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['intranet', 'intranet'],
    ['1.example', '1.example'],
    [`${label63}.example`, `${label63}.example`],
    [`${label63}.${label63}.${label63}.${'a'.repeat(61)}`, `${label63}.${label63}.${label63}.${'a'.repeat(61)}`],
  ])('accepts the domain %s', (text, domain) => {
    expect(parseDomain(text)).toEqual({ ok: true, value: domain });
  });

  it.each([
    ['', 'is empty'],
    ['*.example.com', 'is a wildcard'],
    ['example.com.', 'ends in a dot'],
    ['LocalHost', 'welcome page'],
    ['192.0.2.1', 'welcome page'],
    ['[2001:db8::1]', 'welcome page'],
    ['2001:db8::1', 'welcome page'],
    ['192.0.2', 'ends in a number'],
    ['a.0x7f', 'ends in a number'],
    ['example.com:80', 'has a port'],
    ['https://example.com', 'is a URL'],
    ['bücher.example', 'xn--'],
    ['\u212Aelvin.example', 'xn--'],
    ['a..b', 'empty part'],
    ['.a', 'empty part'],
    ['-a.example', 'only letters'],
    ['a-.example', 'only letters'],
    ['a_b.example', 'only letters'],
    ['a b.example', 'only letters'],
    ['a.example\nx', 'not printable ASCII'],
    [`${label63}a.example`, 'longer than 63'],
    [`${label63}.${label63}.${label63}.${'a'.repeat(62)}`, 'longer than 253'],
  ])('refuses the domain %j', (text, why) => {
    expect(parseDomain(text)).toMatchObject({ ok: false, why: expect.stringContaining(why) });
  });
});

describe('parseServerAddress', () => {
  it.each([
    ['App.Internal', 'app.internal'],
    ['localhost', 'localhost'],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:DB8:0::1', '2001:db8::1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
  ])('accepts the server address %s as %s', (text, address) => {
    expect(parseServerAddress(text)).toEqual({ ok: true, value: address });
  });

  it.each([
    ['192.0.2.0/24', 'is a network'],
    ['192.0.2.1:80', 'a field of its own'],
    ['fe80::1%eth0', 'neither a host name nor an IP address'],
    ['010.0.0.1', 'ends in a number'],
    ['1.2.3', 'ends in a number'],
    ['app internal', 'only letters'],
    ['', 'is empty'],
  ])('refuses the server address %j', (text, why) => {
    expect(parseServerAddress(text)).toMatchObject({ ok: false, why: expect.stringContaining(why) });
  });
});

it('accepts no text that could break out of its position in a configuration', () => {
  const hostile = fc.string({ unit: fc.constantFrom(...'aA0.-_ \n\r\t#"\'\\;{}%$`\u0000é:/'), maxLength: 12 });
  fc.assert(
    fc.property(hostile, (text) => {
      for (const parse of [parseDomain(text), parseServerAddress(text)]) {
        if (parse.ok) expect(parse.value).toMatch(/^[a-z0-9.:-]+$/);
        else expect(parse.why).toMatch(/^[ -~]+$/);
      }
    }),
    { numRuns: 3000 },
  );
});

it.each([1, 80, 65_535])('accepts the port %i', (port) => {
  expect(parsePort(port)).toEqual({ ok: true, value: port });
});

it.each([0, -1, 65_536, 80.5, Number.NaN, '80', null, undefined])('refuses the port %j', (port) => {
  expect(parsePort(port)).toMatchObject({ ok: false, why: 'the port must be a whole number from 1 to 65535' });
});

describe('parseServerOptions', () => {
  it('a server is health-checked by default', () => {
    expect(parseServerOptions(undefined)).toEqual({ ok: true, value: { check: true } });
    expect(parseServerOptions({})).toEqual({ ok: true, value: { check: true } });
    expect(parseServerOptions({ check: false })).toEqual({ ok: true, value: { check: false } });
  });

  it('accepts all known server options', () => {
    const options = { weight: 0, backup: true, max_connections: 1_000_000, check: false, ssl: 'insecure' };
    expect(parseServerOptions(options)).toEqual({ ok: true, value: options });
  });

  it.each([
    [null, 'must be an object'],
    [[], 'must be an object'],
    ['check', 'must be an object'],
    [{ weight: 257 }, 'weight must be a whole number from 0 to 256'],
    [{ weight: 1.5 }, 'weight must be'],
    [{ weight: '1' }, 'weight must be'],
    [{ max_connections: 0 }, 'max_connections must be'],
    [{ backup: 'yes' }, 'backup must be true or false'],
    [{ ssl: true }, 'ssl must be "none", "verify" or "insecure"'],
    [{ 'check inter 1s': true }, '"check inter 1s" is unknown; the options are weight, backup'],
    [JSON.parse('{"__proto__": {"weight": 1}}'), '__proto__ is unknown'],
    [{ toString: true }, 'toString is unknown'],
  ])('refuses the server options %j', (options, why) => {
    expect(parseServerOptions(options)).toMatchObject({ ok: false, why: expect.stringContaining(why) });
  });
});
