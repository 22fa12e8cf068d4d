import type { HttpsInput, RenderInput } from '../../src/configuration/template/render-scope.ts';
import type { Site } from '../../src/domain/site.ts';

export const sampleHttps: HttpsInput = {
  bind: [],
  publicPort: 443,
  defaultCertificate: '/etc/proxy/tls/default.pem',
  list: '/etc/proxy/tls/certificates.list',
  strictSni: false,
  sitesMap: '/etc/proxy/https_sites.map',
  challengesMap: '/etc/proxy/acme_challenges.map',
};

export const sampleInput: RenderInput = {
  blockedMap: '/etc/proxy/blocked_ips.map',
  trustedMap: '/etc/proxy/trusted_ips.map',
  upstreamsMap: '/etc/proxy/upstreams.map',
  proxyProtocolMap: '/etc/proxy/proxy_protocol.map',
  hasUpstreams: false,
  httpBind: [':80', '[::]:80'],
  https: sampleHttps,
  statsSocket: '/var/run/proxy.sock',
  hardStopAfter: '30m',
  sites: [],
  sitesMapBase: '/etc/proxy/sites.map',
  machine: {
    resolvConf: true,
    hosts: new Set(['localhost', 'printer']),
    ipv6: true,
    syslogSocket: true,
    openFiles: 524_288,
  },
};

export const sampleSites: readonly Site[] = [
  {
    domain: 'shop.example.com',
    servers: [
      { address: '192.0.2.10', port: 8080, options: { weight: 0, max_connections: 50 } },
      { address: '2001:db8::10', port: 8080, options: { backup: true, check: false } },
    ],
  },
  {
    domain: 'api.example.com',
    servers: [
      { address: 'app.internal.example', port: 443, options: { ssl: 'verify' } },
      { address: '192.0.2.11', port: 443, options: { ssl: 'verify' } },
      { address: 'printer', port: 8443, options: { ssl: 'insecure', check: false } },
      { address: 'localhost', port: 3000 },
    ],
  },
  { domain: 'empty.example.com', servers: [] },
  {
    domain: 'many.example.com',
    servers: [{ address: '192.0.2.12', port: 80 }],
    names: ['www.many.example.com', '*.many.example.com'],
    canonical: 'www.many.example.com',
  },
  {
    domain: 'off.example.com',
    servers: [{ address: '192.0.2.13', port: 80 }],
    names: ['*.off.example.com'],
    enabled: false,
  },
  {
    domain: 'old.example.com',
    servers: [],
    names: ['*.old.example.com'],
    redirect: { to: 'https://www.many.example.com/', status: 308, keep_path: true },
  },
  {
    domain: 'gone.example.com',
    servers: [],
    redirect: { to: "https://www.many.example.com/?from='old'#%22", status: 302, keep_path: false },
  },
];

export const manySites = (count: number): Site[] =>
  Array.from({ length: count }, (_, index) => ({
    domain: `site-${index}.example.com`,
    servers: [
      { address: '127.0.0.1', port: 1, options: { weight: 10 } },
      { address: `web-${index}.example.invalid`, port: 2, options: { backup: true } },
    ],
  }));
