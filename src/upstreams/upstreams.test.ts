import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BlockingKit, caller } from '../../testkit/blocking.ts';
import { openScriptedBlocking } from '../../testkit/scripted-blocking.ts';
import type { UpstreamRequest } from '../api/upstreams.ts';
import { upstreamPresets } from '../domain/upstream-presets.ts';
import { readUpstream } from '../http/upstream-request.ts';
import { Upstreams } from './upstreams.ts';

let close: () => Promise<void>;
let kit: BlockingKit;
let upstreams: Upstreams;
let aheadMs = 0;

beforeEach(async () => {
  ({ kit, close } = await openScriptedBlocking({
    loadsUpstreams: true,
    now: () => new Date(Date.now() + aheadMs),
  }));
  await kit.upstreams.updateUpstreamMaps();
  await kit.reconciler.check(true);
  upstreams = new Upstreams({
    unnamed: async () => null,
    set: kit.upstreams,
    blocked: { firstWithin: async () => [], countWithin: async () => 0 },
    reloads: null,
    emit: () => undefined,
  });
});
afterEach(() => close());

const put = (body: UpstreamRequest) => upstreams.put(readUpstream('cdn', body), { replace: false }, caller());
const networks = async () => (await upstreams.get('cdn')).networks;
const own = ['192.0.2.0/24'];
const cloudflare = [...upstreamPresets.cloudflare.networks];

describe('the networks of an upstream', () => {
  it('stay while its preset stays', async () => {
    await put({ preset: 'cloudflare', networks: own });
    await put({ preset: 'cloudflare', note: 'changed' });
    expect(await networks()).toEqual(own);
  });

  it.each<UpstreamRequest>([
    { preset: 'fastly', header: 'fastly-client-ip' },
    { preset: 'cloudfront', networks: own },
    { header: 'x-real-ip', networks: own },
  ])('are those of its new preset after %j', async (before) => {
    await put(before);
    await put({ preset: 'cloudflare' });
    expect(await networks()).toEqual(cloudflare);
  });

  it('are required for a new preset without a list', async () => {
    await put({ preset: 'cloudflare' });
    await expect(put({ preset: 'cloudfront' })).rejects.toMatchObject({ code: 109, fields: [{ name: 'networks' }] });
    expect(await upstreams.get('cdn')).toMatchObject({ preset: 'cloudflare', networks: cloudflare });
    await put({ preset: 'cloudfront', networks: own });
    expect(await networks()).toEqual(own);
  });

  it('are none for a new upstream of such a preset', async () => {
    await put({ preset: 'cloudfront' });
    expect(await networks()).toEqual([]);
  });
});

it('the time of the networks changes only when networks are given', async () => {
  const { answer: first } = await put({ preset: 'cloudflare' });
  aheadMs += 1_000;
  const { answer: noted } = await put({ preset: 'cloudflare', note: 'changed' });
  expect(noted).toMatchObject({ networks_at: first.networks_at });
  expect(noted.updated_at > first.updated_at).toBe(true);
  expect((await put({ preset: 'cloudflare', networks: own })).answer.networks_at > first.networks_at).toBe(true);
});

it('a replaced upstream counts as updated', async () => {
  expect((await put({ preset: 'cloudflare' })).counts).toMatchObject({ added: 1, updated: 0, unchanged: 0 });
  expect((await put({ preset: 'cloudflare', note: 'x' })).counts).toMatchObject({ added: 0, updated: 1, unchanged: 0 });
});
