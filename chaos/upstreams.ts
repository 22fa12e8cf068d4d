// Upstreams of the chaos rounds: set once, they must survive every fault.
import type { RealService } from '../testkit/real-service.ts';

const upstreams = [
  { name: 'balancer', networks: ['127.60.0.0/24'], header: 'x-forwarded-for', value: '2' },
  { name: 'cdn', networks: ['127.60.1.0/24', '127.60.2.7'], header: 'x-real-ip', value: '6' },
] as const;

/** Lines of the upstream map. */
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
