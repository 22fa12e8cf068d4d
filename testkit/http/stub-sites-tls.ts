import type { SiteTlsRecord } from '../../src/api/site-tls.ts';
import type { Services } from '../../src/http/services.ts';

const record: SiteTlsRecord = {
  domain: 'a.example',
  redirect: 'auto',
  hsts: { max_age: 300, include_subdomains: false, preload: false },
  certificate: null,
  in_force: false,
  reason: 'there is no certificate for a.example',
};

export const stubSitesTls: Services['sitesTls'] = {
  get: async () => record,
  put: async () => ({ ...record, runtime_updated: true, reload_scheduled: false }),
};
