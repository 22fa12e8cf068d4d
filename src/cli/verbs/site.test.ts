import { describe, expect, it } from 'vitest';
import type { SiteRecord } from '../../api/sites.ts';
import type { Options } from '../verb.ts';
import { changeOf, requestOf, setLines } from './site.ts';

describe('a change of a site', () => {
  const stored: SiteRecord = {
    domain: 'a.example',
    servers: [{ address: '10.0.0.5', port: 80, options: { check: true } }],
    names: ['www.a.example', '*.a.example'],
    canonical: 'www.a.example',
    enabled: false,
    redirect: null,
    created_at: '2026-11-21T20:00:00Z',
    updated_at: '2026-11-21T20:00:00Z',
  };
  const { servers, names, canonical } = stored;
  const redirect = { to: 'https://b.example', status: 308, keep_path: false } as const;
  const typed = (given: readonly string[], options: object) =>
    requestOf('a.example', stored, changeOf(given, options as Options));

  it.each<[string, readonly string[], object, object]>([
    [
      'servers',
      ['10.0.0.6:80'],
      {},
      { servers: [{ address: '10.0.0.6', port: 80 }], names, canonical, enabled: false },
    ],
    [
      'names',
      [],
      { names: 'b.example,*.b.example', canonical: 'b.example' },
      { servers, names: ['b.example', '*.b.example'], canonical: 'b.example', enabled: false },
    ],
    ['no names', [], { names: false, canonical: false }, { servers, enabled: false }],
    [
      'a redirect',
      [],
      { redirectTo: redirect.to, redirectStatus: '308', dropPath: true },
      { names, enabled: false, redirect },
    ],
  ])('keeps what is not given: %s', (_, given, options, request) => {
    expect(typed(given, options)).toEqual(request);
  });

  it('ends a redirect when servers are given', () => {
    const redirecting = { ...stored, servers: [], canonical: null, enabled: true, redirect };
    expect(requestOf('a.example', redirecting, changeOf([], { names: 'b.example' }))).toEqual({
      names: ['b.example'],
      redirect,
    });
    expect(requestOf('a.example', redirecting, changeOf(['10.0.0.5:80'], {}))).toEqual({
      servers: [{ address: '10.0.0.5', port: 80 }],
      names,
    });
  });

  it('sends an older service only what it knows', () => {
    expect(requestOf('a.example', null, changeOf(['10.0.0.5:80'], {}))).toEqual({
      servers: [{ address: '10.0.0.5', port: 80 }],
    });
    const old = { domain: 'a.example', servers, created_at: '', updated_at: '' } as unknown as SiteRecord;
    expect(requestOf('a.example', old, { enabled: true })).toEqual({ servers });
  });

  it.each<[readonly string[], object, string]>([
    [[], {}, 'give a server'],
    [[], { dropPath: true }, 'need --redirect-to'],
    [['10.0.0.5:80'], { redirectTo: 'https://b.example' }, 'either servers or --redirect-to'],
    [[], { redirectTo: 'https://b.example', redirectStatus: '303' }, '301, 302, 307 or 308'],
  ])('%j with %j is a usage error', (given, options, why) => {
    expect(() => changeOf(given, options as Options)).toThrow(why);
  });

  it('of a site that does not exist needs a server or a redirect', () => {
    expect(() => requestOf('b.example', null, changeOf([], { names: 'c.example' }))).toThrow(
      'there is no site b.example yet',
    );
  });

  it.each<[object, string[]]>([
    [
      { enabled: true, served: true, ignored: [] },
      [
        'a.example is live: 10.0.0.5:80',
        'further names: www.a.example, *.a.example',
        'its other names are redirected to www.a.example',
      ],
    ],
    [
      { enabled: true, names: [], canonical: null, served: false, ignored: [] },
      ['a.example is stored, but not served: the template does not use the sites'],
    ],
    [
      { names: [], canonical: null, served: false, ignored: [] },
      ['a.example is disabled: requests for its names get 404'],
    ],
    [
      { servers: [], enabled: true, names: [], canonical: null, redirect, served: false, ignored: ['redirect'] },
      [
        'a.example is stored, but not served',
        'the template does not apply redirect; use names_map in the template, as the built-in one does (docs/template.md)',
      ],
    ],
  ])('is reported: %j', (answer, lines) => {
    expect(setLines({ ...stored, ...answer })).toEqual(lines);
  });
});
