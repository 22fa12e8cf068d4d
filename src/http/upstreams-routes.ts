import type { FastifyInstance } from 'fastify';
import { explainClientAddress } from '../api/client-address.ts';
import { getUpstream, listUpstreams, removeUpstream, setUpstream } from '../api/upstreams.ts';
import { readClientAddress } from './client-address-request.ts';
import { handle } from './handle.ts';
import { consentOf } from './request-values.ts';
import type { Services } from './services.ts';
import { readUpstream } from './upstream-request.ts';

export function upstreamsRoutes(app: FastifyInstance, { upstreams, clientAddresses }: Services): void {
  handle(app, listUpstreams, () => upstreams.list());
  handle(app, getUpstream, ({ params }) => upstreams.get(params.name));
  handle(app, setUpstream, async ({ params, query, body, caller, answerWith, counted }) => {
    const { created, counts, answer } = await upstreams.put(readUpstream(params.name, body), consentOf(query), caller);
    answerWith(created ? 201 : 200);
    counted(counts);
    return answer;
  });
  handle(app, removeUpstream, async ({ params, query, caller, counted }) => {
    const answer = await upstreams.remove(params.name, consentOf(query), caller);
    counted({ removed: 1 });
    return answer;
  });
  handle(app, explainClientAddress, ({ body }) => {
    const { peer, headers } = readClientAddress(body);
    return clientAddresses.explain(peer, headers);
  });
}
