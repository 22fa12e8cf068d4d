import { expect, it } from 'vitest';
import type { SiteRecord, SiteRequest } from '../api/site-records.ts';
import { codes } from '../errors/catalogue.ts';
import { readSite, siteChange } from './site-request.ts';

const servers = [{ address: '192.0.2.1', port: 80 }];
const to = 'https://www.example.com';

it('reads a body with servers alone as it always was', () => {
  expect(readSite('A.example', { servers })).toEqual({
    domain: 'a.example',
    servers: [{ address: '192.0.2.1', port: 80, options: { check: true } }],
    names: [],
    canonical: null,
    enabled: true,
    redirect: null,
  });
});

it('reads names, a canonical one in another case, and a disabled site', () => {
  const body = { servers, names: ['WWW.A.example', '*.A.example'], canonical: 'www.a.EXAMPLE', enabled: false };
  expect(readSite('a.example', body)).toMatchObject({
    names: ['www.a.example', '*.a.example'],
    canonical: 'www.a.example',
    enabled: false,
  });
  expect(readSite('a.example', { servers, canonical: 'a.example' })).toMatchObject({ canonical: 'a.example' });
});

it('reads a redirect, permanent and with the path by default', () => {
  const site = { servers: [], redirect: { to, status: 301, keep_path: true } };
  expect(readSite('a.example', { redirect: { to } })).toMatchObject(site);
  expect(readSite('a.example', site as SiteRequest)).toMatchObject(site);
  const exact = { to: 'HTTPS://WWW.example.com?x', status: 302, keep_path: false } as const;
  expect(readSite('a.example', { redirect: exact }).redirect).toEqual({ ...exact, to: 'https://www.example.com?x' });
});

it('changes only what a body names, if it keeps the rest', () => {
  const site = readSite('a.example', { servers, names: ['www.a.example', '*.a.example'], enabled: false });
  const stored = { ...site, created_at: '', updated_at: '' } as SiteRecord;
  const kept = (body: SiteRequest) => siteChange('a.example', body)(stored);
  expect(kept({ canonical: 'www.a.example' })).toEqual({ ...site, canonical: 'www.a.example' });
  expect(kept({ enabled: true })).toEqual({ ...site, enabled: true });
  expect(kept({ names: [] })).toEqual({ ...site, names: [] });
  expect(kept({ servers: [], redirect: { to } })).toMatchObject({ servers: [], redirect: { to }, enabled: false });
  expect(() => kept({ redirect: { to } })).toThrow(expect.objectContaining({ code: codes.InvalidSite }));
  const absent = (body: SiteRequest) => siteChange('a.example', body)(null);
  expect([absent({ enabled: true }), absent({ names: ['b.example'] })]).toEqual([null, null]);
  expect(absent({ servers })).toEqual(readSite('a.example', { servers }));
});

it.each<[string, SiteRequest, number, string, string]>([
  ['nothing', {}, codes.InvalidBody, 'servers', 'required unless the site has a redirect; must be a list of 1 to 100'],
  ['no server', { servers: [] }, codes.InvalidBody, 'servers', 'must be a list of 1 to 100 servers'],
  ['no server, no redirect', { servers: [], redirect: null }, codes.InvalidBody, 'servers', 'required unless'],
  ['a bad wildcard', { servers, names: ['ok.example', '*.com'] }, codes.InvalidSite, 'names[1]', '*.com would cover'],
  [
    'its own domain',
    { servers, names: ['A.example'] },
    codes.InvalidSite,
    'names[0]',
    'a.example is the domain of the',
  ],
  [
    'a duplicate name',
    { servers, names: ['b.example', 'B.example'] },
    codes.InvalidSite,
    'names[1]',
    'duplicates b.exam',
  ],
  [
    'a foreign canonical name',
    { servers, names: ['b.example', '*.b.example'], canonical: 'c.example' },
    codes.InvalidSite,
    'canonical',
    'c.example is neither the domain nor one of the names; give one of a.example, b.example',
  ],
  [
    'a wildcard as canonical name',
    { servers, names: ['*.b.example'], canonical: '*.b.example' },
    codes.InvalidSite,
    'canonical',
    '*.b.example is a wildcard',
  ],
  ['both servers and a redirect', { servers, redirect: { to } }, codes.InvalidSite, 'redirect', 'either servers or a'],
  ['a redirect to no URL', { redirect: { to: 'b.example' } }, codes.InvalidSite, 'redirect.to', 'is not a URL such as'],
  [
    'a redirect with a canonical name',
    { redirect: { to }, canonical: 'a.example' },
    codes.InvalidSite,
    'canonical',
    'send null',
  ],
  ['a bad server', { servers: [{ address: '', port: 80 }] }, codes.InvalidServer, 'servers[0].address', 'is empty'],
])('rejects %s', (_, body, code, field, why) => {
  const fields = [expect.objectContaining({ name: field, description: expect.stringContaining(why) })];
  expect(() => readSite('a.example', body)).toThrow(expect.objectContaining({ code, fields }));
});
