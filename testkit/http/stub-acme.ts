import type { Services } from '../../src/http/services.ts';

const directory = 'https://acme.example/directory';
const problem = {
  class: 'will retry',
  type: 'dns',
  detail: 'NXDOMAIN',
  subproblems: [{ name: 'a.example', type: 'dns', detail: 'NXDOMAIN' }],
  advice: null,
  at: '2026-11-20T12:00:00.000Z',
} as const;
export const STUB_ACME = {
  id: 'c-aaaaaaaaaa',
  names: ['a.example'],
  challenge: 'http-01',
  profile: null,
  directory,
  not_after: null,
  due_at: '2026-11-20T12:00:00.000Z',
  due_by: 'retry',
  failures: 1,
  problem,
  attempts: [
    { state: 'failed', directory, began_at: '2026-11-20T11:59:00.000Z', ended_at: '2026-11-20T12:00:00.000Z', problem },
  ],
} as const;

export function stubAcme(): Pick<Services, 'acme'> {
  const until = '2026-11-20T13:00:00.000Z';
  const acme: Services['acme'] = {
    status: async () => ({
      ...{ directory, account: null, total: 1, failing: 1, next: [STUB_ACME] },
      pauses: [{ directory, scope: 'orders', until, problem }],
    }),
    request: async () => STUB_ACME,
    get: async () => STUB_ACME,
    renew: async () => STUB_ACME,
    stop: async () => ({ id: STUB_ACME.id }),
  };
  return { acme };
}
