import type { Services } from '../../src/http/services.ts';

export const STUB_CERTIFICATE = {
  id: 'c-aaaaaaaaaa',
  names: ['a.example'],
  other_names: [],
  source: 'upload',
  version: 1,
  state: 'active',
  served_until: null,
  not_before: '2026-11-20T12:00:00.000Z',
  not_after: '2027-02-18T12:00:00.000Z',
  days_left: 90,
  self_signed: true,
  subject: 'CN=a.example',
  issuer: 'CN=a.example',
  serial: '01',
  key_type: 'RSA',
  key_bits: 2048,
  sha256: 'ab',
  chain: [],
  warnings: ['it is self-signed'],
  problem: null,
  sites: ['a.example'],
  sites_total: 1,
  files: 'pending',
  workers: [{ pid: 11, role: 'current', holds: false, reason: 'no answer' }],
  runtime_updated: false,
  reload_scheduled: true,
  handshake: null,
  handshake_reason: null,
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
} as const;

const KEPT_FILE = '/etc/proxy/tls/c-aaaaaaaaaa.pem.newer';

export function stubCertificates(): Pick<Services, 'certificates'> {
  const { id, names, sites, sites_total, files, workers, runtime_updated, reload_scheduled } = STUB_CERTIFICATE;
  const report = { files, workers, runtime_updated, reload_scheduled };
  const certificates: Services['certificates'] = {
    list: async () => ({ items: [STUB_CERTIFICATE], total: 1, next_cursor: null }),
    get: async () => STUB_CERTIFICATE,
    add: async () => ({ ...STUB_CERTIFICATE, changed: true }),
    replace: async () => ({ ...STUB_CERTIFICATE, changed: false }),
    remove: async () => ({ id, names, sites, sites_total, ...report, kept_files: [KEPT_FILE] }),
    chain: async () => '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n',
    verify: async () => STUB_CERTIFICATE,
  };
  return { certificates };
}
