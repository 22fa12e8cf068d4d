// Upstreams of the chaos rounds: two are set once and must survive every fault, two are set and removed all the time.
import type { RealService } from '../testkit/real-service.ts';

const upstreams = [
  { name: 'balancer', networks: ['127.60.0.0/24'], header: 'x-forwarded-for', value: '2' },
  { name: 'cdn', networks: ['127.60.1.0/24', '127.60.2.7'], header: 'x-real-ip', value: '6' },
] as const;

/** Set and removed at runtime: the others are never the first or the last. */
export const edges = ['edge-1', 'edge-2'] as const;
export type Edge = (typeof edges)[number];

const edgeNetworks: Readonly<Record<Edge, string>> = { 'edge-1': '127.62.1.0/24', 'edge-2': '127.62.2.0/24' };

/** All that name their client in X-Forwarded-For. */
export const naming = ['balancer', ...edges] as const;
export type Naming = (typeof naming)[number];

/** @param name one of `naming` */
export function networkOf(name: Naming): string {
  return name === 'balancer' ? upstreams[0].networks[0] : edgeNetworks[name];
}

/** An address of the upstream, which is never blocked. */
export function peerOf(name: Naming): string {
  return networkOf(name).replace('.0/24', '.5');
}

export function edgeBody(name: Edge) {
  return { networks: [edgeNetworks[name]], header: 'x-forwarded-for' };
}

/** Of those that are always set. */
export const lastingNetworks: readonly string[] = upstreams.flatMap(({ networks }) => networks);

/** Their lines of the upstream map. */
export const upstreamEntries: readonly string[] = upstreams.flatMap(({ networks, value }) =>
  networks.map((network) => `${network} ${value}`),
);

export async function setUpstreams(service: RealService): Promise<void> {
  for (const { name, networks, header } of upstreams) {
    const answer = await service.call('PUT', `/api/upstreams/${name}`, { body: { networks, header } });
    if (answer.status !== 201)
      throw new Error(`PUT /api/upstreams/${name} was answered ${answer.status}: ${answer.text}`);
  }
}
