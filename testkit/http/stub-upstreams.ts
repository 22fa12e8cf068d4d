import type { RuntimeReport } from '../../src/api/changes.ts';
import type { ReloadAnswer } from '../../src/api/configuration.ts';
import type { Services } from '../../src/http/services.ts';

export function stubUpstreams(parts: {
  readonly at: string;
  readonly reload: ReloadAnswer;
  readonly report: RuntimeReport;
}): Pick<Services, 'upstreams' | 'clientAddresses'> {
  const { at, reload, report } = parts;
  const upstream = {
    name: 'lb',
    preset: null,
    networks: ['10.0.3.0/24'],
    addresses: '256',
    header: 'x-forwarded-for',
    chain: false,
    proxy_protocol: false,
    on_invalid: 'reject',
    note: null,
    created_at: at,
    updated_at: at,
    networks_at: at,
    blocked_inside: [],
    blocked_inside_total: 0,
  } as const;
  const unnamed = { unnamed_requests: 0, last_unnamed_at: null };
  const upstreams: Services['upstreams'] = {
    list: async () => ({ items: [{ ...upstream, ...unnamed }], total: 1, in_force: true, reason: null }),
    get: async () => ({ ...upstream, ...unnamed }),
    put: async () => ({
      created: true,
      counts: { added: 1, updated: 0, removed: 0, unchanged: 0 },
      answer: { ...upstream, reload, ...report },
    }),
    remove: async () => ({ name: upstream.name, reload, ...report }),
  };
  const clientAddresses: Services['clientAddresses'] = {
    explain: async (peer) => ({
      client: peer.text,
      steps: [{ address: peer.text, header: null, upstream: null }],
      upstream: null,
      verdict: 'allowed',
      by: null,
      status: null,
      upstreams_in_force: true,
      upstreams_reason: null,
    }),
  };
  return { upstreams, clientAddresses };
}
