import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostNamesOf, namesOf, parseSiteName, SiteNames } from './site-names.ts';

describe('a further name of a site', () => {
  it.each([
    ['WWW.Example.com', 'www.example.com'],
    ['*.Example.com', '*.example.com'],
    ['*.a.b.example', '*.a.b.example'],
    ['*.xn--bcher-kva.example', '*.xn--bcher-kva.example'],
    ['intranet', 'intranet'],
  ])('may be %s', (text, name) => {
    expect(parseSiteName(text)).toEqual({ ok: true, value: name });
  });

  it.each([
    ['*', '* is not valid: a wildcard is *. and a name of two parts or more, such as *.example.com'],
    ['*.com', '*.com would cover a whole top-level domain'],
    ['*.localhost', '*.localhost is not valid'],
    ['a.*.example', 'a wildcard is *. and'],
    ['*.*.example', 'a wildcard is *. and'],
    ['a*.example.com', 'a wildcard is *. and'],
    ['*example.com', 'a wildcard is *. and'],
    ['*.', 'is empty'],
    ['*.example.com.', 'ends in a dot'],
    ['*.bücher.example', 'xn--'],
    ['bücher.example', 'xn--'],
    ['*.192.0.2.1', 'IP address'],
    ['*.example.com:443', 'has a port'],
    ['*.a_b.example', 'only letters'],
    ['localhost', 'welcome page'],
    ['192.0.2.1', 'IP address'],
    ['https://example.com', 'is a URL'],
    [`*.${'a'.repeat(63)}.${'a'.repeat(63)}.${'a'.repeat(63)}.${'a'.repeat(60)}`, 'longer than 253'],
    ['', 'is empty'],
  ])('may not be %j', (text, why) => {
    expect(parseSiteName(text)).toMatchObject({ ok: false, why: expect.stringContaining(why) });
  });

  it('never contains what a map or a configuration could misread', () => {
    const hostile = fc.string({ unit: fc.constantFrom(...'aA0.-_* \n\r\t#"\'\\;{}%$`\u0000é:/|'), maxLength: 12 });
    fc.assert(
      fc.property(hostile, (text) => {
        const name = parseSiteName(text);
        if (name.ok) expect(name.value).toMatch(/^([*][.])?[a-z0-9.-]+$/);
        else expect(name.why).toMatch(/^[ -~]+$/);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('the site that answers for a host', () => {
  const wide = { domain: 'example.com', names: ['*.example.com'] };
  const exact = { domain: 'shop.example.com', names: ['shop.example'] };
  const names = new SiteNames([wide, exact]);

  it.each([
    ['example.com', wide],
    ['any.example.com', wide],
    ['shop.example.com', exact],
    ['shop.example', exact],
    ['a.b.example.com', undefined],
    ['.example.com', undefined],
    ['com', undefined],
  ])('%s', (host, site) => {
    expect(names.siteFor(host)).toBe(site);
  });

  it('is not the owner of a name that only its wildcard covers', () => {
    expect(names.ownerOf('any.example.com')).toBeUndefined();
    expect(names.ownerOf('*.example.com')).toBe(wide);
  });
});

it('lists the domain first, and host names without wildcards', () => {
  const site = { domain: 'b.example', names: ['*.b.example', 'a.example'] };
  expect(namesOf(site)).toEqual(['b.example', '*.b.example', 'a.example']);
  expect(hostNamesOf(site)).toEqual(['b.example', 'a.example']);
  expect(namesOf({ domain: 'b.example' })).toEqual(['b.example']);
});
