import { expect, it } from 'vitest';
import { servedSites } from './served-sites.ts';

const site = (domain: string, ...names: string[]) => ({ domain, names: [domain, ...names] });
const owners = (all: Record<string, string>) => async (names: readonly string[]) =>
  new Map(Object.entries(all).filter(([name]) => names.includes(name)));

it('a certificate is served for sites with one of its names, and those below its wildcards', async () => {
  const certificates = [
    { id: 'c-a', names: ['a.example', '*.b.example'] },
    { id: 'c-c', names: ['c.example'] },
    { id: 'c-none', names: ['none.example'] },
  ];
  const sites = [
    site('a.example'),
    site('shop.b.example'),
    site('deep.shop.b.example'),
    site('b.example'),
    site('c.example', 'd.example', 'x.b.example'),
    site('*.b.example'),
  ];
  const served = await servedSites(certificates, sites, owners({}));
  expect(Object.fromEntries(served)).toEqual({
    'c-a': ['a.example', 'shop.b.example', 'c.example', '*.b.example'],
    'c-c': ['c.example'],
  });
});

it('a wildcard is not served for a name of another certificate', async () => {
  const wildcard = { id: 'c-w', names: ['*.example'] };
  const exact = { id: 'c-e', names: ['a.example'] };
  const sites = [site('a.example'), site('b.example')];
  const ownersOf = owners({ 'a.example': 'c-e', '*.example': 'c-w' });
  expect(Object.fromEntries(await servedSites([wildcard], sites, ownersOf))).toEqual({ 'c-w': ['b.example'] });
  expect(Object.fromEntries(await servedSites([wildcard, exact], sites, ownersOf))).toEqual({
    'c-w': ['b.example'],
    'c-e': ['a.example'],
  });
});
