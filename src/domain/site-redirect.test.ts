import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Site } from './site.ts';
import { hostOfTarget, parseRedirectTarget, redirectFault } from './site-redirect.ts';

describe('the target of a redirect', () => {
  it.each([
    ['HTTPS://Www.Example.com', 'https://www.example.com', 'www.example.com'],
    ['http://www.example.com:8080/Base/', 'http://www.example.com:8080/Base/', 'www.example.com'],
    ['https://192.0.2.1/', 'https://192.0.2.1/', '192.0.2.1'],
    ['https://[2001:db8::1]:443/x', 'https://[2001:db8::1]:443/x', '[2001:db8::1]'],
    ["https://www.example.com/a%20b;c='d',e", "https://www.example.com/a%20b;c='d',e", 'www.example.com'],
  ])('may be %s', (text, to, host) => {
    expect(parseRedirectTarget(text, true)).toEqual({ ok: true, value: to });
    expect(hostOfTarget(to)).toBe(host);
  });

  it('may have a query and a fragment if the path is not appended', () => {
    const text = 'https://www.example.com/x?a=1#b';
    expect(parseRedirectTarget(text, false)).toEqual({ ok: true, value: text });
    expect(parseRedirectTarget(text, true)).toMatchObject({ ok: false, why: expect.stringContaining('keep_path') });
    expect(hostOfTarget('https://www.example.com?x')).toBe('www.example.com');
  });

  it.each([
    ['', 'is not a URL'],
    ['www.example.com', 'is not a URL'],
    ['//www.example.com', 'is not a URL'],
    ['ftp://www.example.com', 'is not a URL'],
    ['javascript:alert(1)', 'is not a URL'],
    ['https://', 'is empty'],
    ['https:///x', 'is empty'],
    ['https://a b.example', 'cannot contain'],
    ['https://a.example/x\ny', 'cannot contain'],
    ['https://a.example/|', 'cannot contain'],
    ['https://a.example/%2', 'cannot contain'],
    ['https://a.example/%[src]', 'cannot contain'],
    ['https://bücher.example', 'xn--'],
    ['https://user:password@a.example', 'user name'],
    ['https://a.example:0', 'port must be'],
    ['https://a.example:', 'port must be'],
    ['https://a.example:65536', 'port must be'],
    ['https://a_b.example', 'only letters'],
    ['https://[::1', 'not an IPv6 address'],
    ['https://[192.0.2.1]', 'not an IPv6 address'],
    [`https://a.example/${'x'.repeat(2_000)}`, 'longer than 2000'],
  ])('may not be %j', (text, why) => {
    expect(parseRedirectTarget(text, true)).toMatchObject({ ok: false, why: expect.stringContaining(why) });
  });

  it('never contains a blank, a control character or the separator of the map', () => {
    const hostile = fc.string({ unit: fc.constantFrom(...'a0.:/?#[]@% |\n\r\t"\'\\{}$`\u0000é'), maxLength: 12 });
    fc.assert(
      fc.property(hostile, fc.boolean(), (text, keepPath) => {
        const to = parseRedirectTarget(`https://a.example/${text}`, keepPath);
        if (to.ok) expect(to.value).toMatch(/^https:\/\/a\.example\/[!-{}~]*$/);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('a redirect to a redirect', () => {
  const servers = [{ address: '192.0.2.1', port: 80 }];
  const served: Site = { domain: 'shop.example', servers, names: ['www.shop.example'], canonical: 'www.shop.example' };
  const redirecting = (domain: string, to: string, more: Partial<Site> = {}): Site => ({
    domain,
    servers: [],
    redirect: { to, status: 301, keep_path: true },
    ...more,
  });

  it.each<[string, Site, readonly Site[]]>([
    ['to a site that is served', redirecting('a.example', 'https://www.shop.example'), [served]],
    ['to a host that is no site', redirecting('a.example', 'https://other.example'), [served]],
    [
      'to a site whose wildcard redirects, but which has an exact name',
      redirecting('a.example', 'https://x.b.example'),
      [
        redirecting('b.example', 'https://other.example', { names: ['*.b.example'] }),
        { domain: 'x.b.example', servers },
      ],
    ],
    [
      'of another site to the canonical name of this one',
      served,
      [redirecting('a.example', 'https://www.shop.example/x')],
    ],
  ])('is not one %s', (_, site, others) => {
    expect(redirectFault(site, others)).toBeUndefined();
  });

  it.each<[string, Site, readonly Site[], string, string]>([
    [
      'to itself',
      redirecting('a.example', 'https://a.example/x'),
      [],
      'redirect.to',
      'a.example is a name of this site',
    ],
    [
      'to itself with another port, which HAProxy ignores',
      redirecting('a.example', 'https://a.example:8443'),
      [],
      'redirect.to',
      'a.example is a name of this site',
    ],
    [
      'to itself by a wildcard',
      redirecting('a.example', 'https://x.a.example', { names: ['*.a.example'] }),
      [],
      'redirect.to',
      'x.a.example is a name of this site',
    ],
    [
      'in a chain',
      redirecting('a.example', 'https://b.example'),
      [redirecting('b.example', 'https://c.example')],
      'redirect.to',
      'site b.example, which redirects it again: redirect to https://c.example instead',
    ],
    [
      'in a chain through a disabled site',
      redirecting('a.example', 'https://b.example'),
      [redirecting('b.example', 'https://c.example', { enabled: false })],
      'redirect.to',
      'site b.example, which redirects it again',
    ],
    [
      'to a name that is not canonical',
      redirecting('a.example', 'https://shop.example'),
      [served],
      'redirect.to',
      'redirect to www.shop.example instead',
    ],
    [
      'as the target of another site',
      redirecting('b.example', 'https://c.example'),
      [redirecting('a.example', 'https://b.example')],
      'redirect',
      'the site a.example redirects to b.example',
    ],
    [
      'by a canonical name as the target of another site',
      served,
      [redirecting('a.example', 'https://shop.example')],
      'canonical',
      'the site a.example redirects to shop.example',
    ],
  ])('is refused %s', (_, site, others, field, why) => {
    expect(redirectFault(site, others)).toEqual({ field, why: expect.stringContaining(why) });
  });
});
