import { describe, expect, it } from 'vitest';
import type { SiteRecord } from '../../api/site-records.ts';
import type { Options } from '../verb.ts';
import { changeOf, setLines } from './site.ts';

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
  const redirect = { to: 'https://b.example', status: 308, keep_path: false } as const;

  it.each<[string, readonly string[], object, object]>([
    [
      'servers, which end a redirect',
      ['10.0.0.6:80'],
      {},
      { servers: [{ address: '10.0.0.6', port: 80 }], redirect: null },
    ],
    [
      'names',
      [],
      { names: 'b.example,*.b.example', canonical: 'b.example' },
      { names: ['b.example', '*.b.example'], canonical: 'b.example' },
    ],
    ['no names', [], { names: false, canonical: false }, { names: [], canonical: null }],
    [
      'a redirect, which ends servers and the canonical name',
      [],
      { redirectTo: redirect.to, redirectStatus: '308', dropPath: true },
      { servers: [], canonical: null, redirect },
    ],
  ])('sends only what is given: %s', (_, given, options, request) => {
    expect(changeOf(given, options as Options)).toEqual(request);
  });

  it.each<[readonly string[], object, string]>([
    [[], {}, 'give a server'],
    [[], { dropPath: true }, 'need --redirect-to'],
    [['10.0.0.5:80'], { redirectTo: 'https://b.example' }, 'either servers or --redirect-to'],
    [[], { redirectTo: 'https://b.example', redirectStatus: '303' }, '301, 302, 307 or 308'],
  ])('%j with %j is a usage error', (given, options, why) => {
    expect(() => changeOf(given, options as Options)).toThrow(why);
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
