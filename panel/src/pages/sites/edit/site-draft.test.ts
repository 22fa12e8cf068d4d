import { describe, expect, it } from 'vitest';
import type { Site } from '../../../api/types.ts';
import {
  canonicalChoices,
  isCompleteSite,
  siteDraftOf,
  siteFaultsOf,
  siteRequestFor,
  siteRequestOf,
} from './site-draft.ts';

const site: Site = {
  domain: 'shop.example',
  servers: [{ address: '10.0.0.1', port: 80, options: { check: true } }],
  names: ['www.shop.example', '*.shop.example'],
  canonical: 'www.shop.example',
  enabled: false,
  redirect: null,
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
};
const redirect = { to: 'https://new.example', status: 308, keep_path: false } as const;
const old: Site = { ...site, domain: 'old.example', servers: [], names: [], canonical: null, enabled: true, redirect };
const { servers, names, canonical } = site;

describe('a site in the form', () => {
  it('is sent unchanged if nothing was edited', () => {
    expect(siteRequestOf(siteDraftOf(site))).toEqual({ servers, names, canonical, enabled: false });
    expect(siteRequestOf(siteDraftOf(old))).toEqual({ redirect });
    expect(siteRequestFor(old)).toEqual({ servers: [], names: [], canonical: null, enabled: true, redirect });
    for (const one of [site, old]) {
      const faults = siteFaultsOf(siteDraftOf(one), one, [site, old]);
      expect(faults).toEqual({});
      expect(isCompleteSite(siteDraftOf(one), faults)).toBe(true);
    }
  });

  it('reads names separated by lines, blanks or commas, in lower case', () => {
    const draft = { ...siteDraftOf(site), names: ' WWW.a.example, b.example\n*.c.example ' };
    expect(siteRequestOf(draft).names).toEqual(['www.a.example', 'b.example', '*.c.example']);
    expect(canonicalChoices(draft)).toEqual(['shop.example', 'www.a.example', 'b.example']);
  });

  it.each([
    ['*.com', 'would cover a whole top-level domain'],
    ['old.example', 'old.example is a name of the site old.example. Remove it there first.'],
    ['shop.example', 'shop.example is listed twice.'],
    ['*.münchen.example', 'Use the xn-- form: *.xn--mnchen-3ya.example.'],
  ])('has an error for the name %s', (text, why) => {
    const draft = { ...siteDraftOf(site), names: text, canonical: '' };
    expect(siteFaultsOf(draft, site, [site, old])).toEqual({ names: expect.stringContaining(why) });
  });

  it.each([
    ['www.shop.example', 'www.shop.example is a name of the site shop.example.'],
    ['shop.example', 'This site already exists.'],
  ])('has an error for the new domain %s', (domain, why) => {
    const draft = { ...siteDraftOf(null), domain };
    expect(siteFaultsOf(draft, null, [site])).toEqual({ domain: expect.stringContaining(why) });
  });

  it('has an error for a canonical name that is no longer one of the names', () => {
    const draft = { ...siteDraftOf(site), names: '*.shop.example' };
    expect(siteFaultsOf(draft, site, [site])).toEqual({ canonical: 'www.shop.example is no longer one of the names.' });
  });

  it.each([
    ['new.example', 'is not a URL'],
    ['https://old.example', 'old.example is a name of this site'],
    ['https://shop.example', 'redirect to www.shop.example instead'],
    ['https://new.example?a', 'append'],
  ])('has an error for the redirect to %s', (to, why) => {
    const draft = { ...siteDraftOf(old), to, keepPath: true };
    expect(siteFaultsOf(draft, old, [site, old])).toEqual({ to: expect.stringContaining(why) });
  });

  it('has an error for two servers that are the same', () => {
    const one = siteDraftOf(site);
    const draft = { ...one, servers: [...one.servers, ...one.servers] };
    expect(siteFaultsOf(draft, site, [site])).toEqual({ servers: expect.stringContaining('is listed twice') });
  });
});
