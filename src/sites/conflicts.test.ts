import { expect, it } from 'vitest';
import type { Site } from '../domain/site.ts';
import { codes } from '../errors/catalogue.ts';
import { refuseConflicts } from './conflicts.ts';

const servers = [{ address: '192.0.2.1', port: 80 }];
const shop: Site = { domain: 'shop.example', servers, names: ['www.shop.example', '*.shop.example'] };

it.each<[string, Site, string, string]>([
  ['the domain', { domain: 'shop.example', servers }, 'domain', 'shop.example'],
  ['a further name as its domain', { domain: 'www.shop.example', servers }, 'domain', 'www.shop.example'],
  [
    'a wildcard',
    { domain: 'a.example', servers, names: ['b.example', '*.shop.example'] },
    'names[1]',
    '*.shop.example',
  ],
  ['a name, although disabled', { domain: 'a.example', servers, names: ['shop.example'] }, 'names[0]', 'shop.example'],
])('refuses %s of another site, and names that site', (_, site, field, name) => {
  for (const owner of [shop, { ...shop, enabled: false }]) {
    expect(() => refuseConflicts(site, [owner])).toThrow(
      expect.objectContaining({
        code: codes.NameOfAnotherSite,
        message: `${name} is a name of the site shop.example; remove it there first`,
        fields: [{ name: field, description: `${name} is a name of the site shop.example` }],
        members: { site: 'shop.example' },
      }),
    );
  }
});

it('accepts an exact name below a wildcard of another site, and the other way round', () => {
  expect(() => refuseConflicts({ domain: 'any.shop.example', servers }, [shop])).not.toThrow();
  const wide: Site = { domain: 'a.example', servers, names: ['*.b.example'] };
  expect(() => refuseConflicts(wide, [{ domain: 'x.b.example', servers }])).not.toThrow();
});

it('refuses a redirect to a site that redirects', () => {
  const redirect = { to: 'https://old.example', status: 301, keep_path: true } as const;
  const old: Site = { domain: 'old.example', servers: [], redirect: { ...redirect, to: 'https://shop.example' } };
  expect(() => refuseConflicts({ domain: 'a.example', servers: [], redirect }, [shop, old])).toThrow(
    expect.objectContaining({ code: codes.InvalidSite, fields: [expect.objectContaining({ name: 'redirect.to' })] }),
  );
});
