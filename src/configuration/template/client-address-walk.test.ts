import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entryOf, lookupIn, mapFiles, sampleMaps } from '../../../testkit/configuration/address-maps.ts';
import { type HeaderSet, headerSets } from '../../../testkit/configuration/header-sets.ts';
import { RenderedProxy, type Reply, receivedBy } from '../../../testkit/configuration/rendered-proxy.ts';
import { describeOnProductProxies, longTests } from '../../../testkit/proxies.ts';
import { testSeed } from '../../../testkit/seed.ts';
import { clientAddress } from '../../domain/client-address.ts';
import { parseIp } from '../../domain/ip.ts';

const lookup = lookupIn(sampleMaps);
const directClients = ['127.0.0.50', '127.0.0.66'];
const peers = [...Object.keys(sampleMaps.upstreams).filter((peer) => /^127\..*[^9]$/.test(peer)), ...directClients];
const count = longTests ? 10_000 : 1_000;
/** On one connection. */
const atOnce = 25;

describeOnProductProxies('the address that is judged', ({ bin }) => {
  let proxy: RenderedProxy;
  beforeAll(async () => {
    proxy = await RenderedProxy.start({ bin, maps: mapFiles(sampleMaps) });
  });
  afterAll(() => proxy.stop());

  /** An error of HAProxy closes the connection: the rest is sent on another. */
  const askAll = async (sets: readonly HeaderSet[], peer: string): Promise<Reply[]> => {
    const replies: Reply[] = [];
    while (replies.length < sets.length) {
      const some = sets.slice(replies.length, replies.length + atOnce).map(({ headers }) => headers);
      const received = await proxy.exchange(some, { from: peer });
      if (received.length === 0) throw new Error(`no answer to ${JSON.stringify(some[0])}`);
      replies.push(...received);
    }
    return replies;
  };

  test(
    `is the same in HAProxy and in TypeScript for ${count} random sets of headers`,
    async () => {
      const sets = fc.sample(headerSets(peers), { numRuns: count, seed: testSeed });
      const differences: unknown[] = [];
      const verdicts = new Set<string>();
      for (const peer of peers) {
        const ofPeer = sets.filter((set) => set.peer === peer);
        const replies = await askAll(ofPeer, peer);
        ofPeer.forEach(({ headers }, index) => {
          const { client, status, verdict } = clientAddress(entryOf(peer), headers, lookup);
          verdicts.add(verdict);
          const expected = { status: status ?? 200, client: status === null ? [client?.text] : [] };
          const reply = replies[index] as Reply;
          const met = { status: reply.status, client: reply.status === 200 ? receivedAddresses(reply) : [] };
          if (JSON.stringify(met) !== JSON.stringify(expected)) differences.push({ peer, headers, met, expected });
        });
      }
      expect(differences).toEqual([]);
      expect([...verdicts].sort()).toEqual(['allowed', 'blocked', 'no_client', 'trusted', 'unreadable']);
    },
    longTests ? 600_000 : undefined,
  );
});

/** HAProxy writes `::a.b.c.d` where the canonical text has groups. */
function receivedAddresses(reply: Reply): string[] {
  return receivedBy(reply).flatMap(([name, value]) => {
    if (name !== 'x-forwarded-for') return [];
    const read = parseIp(value);
    return [read.ok ? read.entry.text : value];
  });
}
