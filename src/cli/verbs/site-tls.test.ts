import { expect, it } from 'vitest';
import type { SiteTlsRecord } from '../../api/site-tls.ts';
import { siteTlsLines } from './site-tls.ts';

const record: SiteTlsRecord = {
  domain: 'shop.example',
  redirect: 'auto',
  hsts: { max_age: 300, include_subdomains: true, preload: false },
  tls_enabled: true,
  certificate: null,
  names_without_certificate: ['shop.example'],
  in_force: false,
  reason: 'there is no certificate for shop.example',
};
const wanted = 'shop.example: redirect auto, HSTS 300 s, with subdomains';

it('says whether redirect and HSTS are in force, and why not, once', () => {
  const { reason } = record;
  expect(siteTlsLines(record)).toEqual([wanted, 'certificate: none', `not in force: ${reason}`]);
  const served = { ...record, certificate: 'c-aaaaaaaaaa', in_force: true, reason: null };
  expect(siteTlsLines(served)).toEqual([wanted, 'certificate: c-aaaaaaaaaa', 'in force']);
  const unwanted = { ...served, redirect: 'off', hsts: null } as const;
  expect(siteTlsLines(unwanted)).toEqual(['shop.example: redirect off, HSTS off', 'certificate: c-aaaaaaaaaa']);
  expect(siteTlsLines({ ...served, names_without_certificate: ['www.shop.example', 'b.example'] })).toEqual([
    wanted,
    'certificate: c-aaaaaaaaaa',
    'other names without a certificate: www.shop.example, b.example',
    'in force',
  ]);
  const off = { ...record, tls_enabled: false, reason: 'TLS is off: PROXY_MANAGER_HTTPS_BIND is empty' };
  expect(siteTlsLines(off)).toEqual([
    wanted,
    expect.stringMatching(/^not in force: TLS is off; set PROXY_MANAGER_HTTPS_BIND/),
  ]);
  expect(siteTlsLines({ ...off, redirect: 'off', hsts: null, in_force: true, reason: null })).toEqual([
    'shop.example: redirect off, HSTS off',
    expect.stringMatching(/^TLS is off; set/),
  ]);
});
