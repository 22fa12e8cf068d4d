import { expect, test } from 'vitest';
import type { UpstreamEffect } from '../blocking/upstream-set.ts';
import { ipv4Entry } from '../domain/ip-entry.ts';
import { oneStepMode } from '../domain/upstream-modes.ts';
import { ClientAddresses } from './client-addresses.ts';

const peer = ipv4Entry(0x0a000307, 32);

async function explained(effect: UpstreamEffect) {
  const upstreams = {
    entries: { of: () => ({ name: 'lb' }) },
    modeOf: ({ text }: { text: string }) => (text === peer.text ? oneStepMode : 0),
    effect: async () => effect,
  };
  const headers = [['X-Forwarded-For', '203.0.113.7']] as const;
  const checker = { deciding: async () => ({ trustedBy: null, blockedBy: null }) };
  const addresses = new ClientAddresses({ upstreams, checker, largeHeadersStatus: () => 400 } as never);
  return await addresses.explain(peer, headers);
}

test('a front end without the rules does not change which address the others judge', async () => {
  const reason = 'frontend second lacks the rules';
  expect(await explained({ inForce: false, reason, anywhere: true })).toMatchObject({
    client: '203.0.113.7',
    upstream: 'lb',
    upstreams_in_force: false,
    upstreams_reason: reason,
  });
});

test('a configuration without rules for upstreams judges the peer', async () => {
  expect(await explained({ inForce: false, reason: 'no map', anywhere: false })).toMatchObject({
    client: '10.0.3.7',
    upstream: null,
    upstreams_in_force: false,
    upstreams_reason: 'no map',
  });
});

test('what is not known is not taken for in force', async () => {
  expect(await explained({ inForce: null, reason: 'no worker was found', anywhere: true })).toMatchObject({
    client: '203.0.113.7',
    upstreams_in_force: null,
    upstreams_reason: 'no worker was found',
  });
});
