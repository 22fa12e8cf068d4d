import type { SiteTlsAnswer, SiteTlsRecord } from '../../src/api/site-tls.ts';
import type { Services } from '../../src/http/services.ts';

const record: SiteTlsRecord = {
  domain: 'a.example',
  redirect: 'auto',
  hsts: { max_age: 300, include_subdomains: false, preload: false },
  tls_enabled: true,
  certificate: null,
  names_without_certificate: ['a.example'],
  in_force: false,
  reason: 'there is no certificate for a.example',
};

const answer: SiteTlsAnswer = { ...record, runtime_updated: true, reload_scheduled: false };

export const stubSitesTls: Services['sitesTls'] = {
  get: async () => record,
  put: async () => answer,
  change: async () => answer,
};
