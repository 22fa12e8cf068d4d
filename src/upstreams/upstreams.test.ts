import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BlockingKit, caller, entryOf } from '../../testkit/blocking.ts';
import { openScriptedBlocking } from '../../testkit/scripted-blocking.ts';
import type { UpstreamRequest } from '../api/upstreams.ts';
import { type InForce, unknownUpstreams } from '../blocking/upstream-set.ts';
import { covers, type IpEntry } from '../domain/ip.ts';
import { unusedUpstreamMap } from '../domain/upstream.ts';
import { upstreamPresets } from '../domain/upstream-presets.ts';
import { readUpstream } from '../http/upstream-request.ts';
import { Upstreams } from './upstreams.ts';

let close: () => Promise<void>;
let kit: BlockingKit;
let upstreams: Upstreams;
let aheadMs = 0;
let mapLoaded: boolean | null;
let frontEnds: readonly InForce[];
let inside: readonly string[];
let lookups: number;

beforeEach(async () => {
  mapLoaded = true;
  frontEnds = [];
  inside = [];
  lookups = 0;
  ({ kit, close } = await openScriptedBlocking({
    loadsUpstreams: true,
    upstreamUsage: {
      last: unknownUpstreams,
      check: async () => ({ mapLoaded, frontEnds: () => frontEnds, uncounted: [] }),
    },
    now: () => new Date(Date.now() + aheadMs),
  }));
  await kit.upstreams.updateUpstreamMaps();
  await kit.reconciler.check(true);
  upstreams = new Upstreams({
    unnamed: async () => null,
    set: kit.upstreams,
    blocked: {
      firstWithin: async (network, limit) => {
        lookups += 1;
        return within(network).slice(0, limit);
      },
      countWithin: async (network) => {
        lookups += 1;
        return within(network).length;
      },
    },
    reloads: null,
    emit: () => undefined,
  });
});
afterEach(() => close());

const within = (network: IpEntry) => inside.filter((text) => covers(network, entryOf(text)));
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

describe('the blocked entries inside an upstream', () => {
  const texts = (count: number, from: string) => Array.from({ length: count }, (_, n) => `${from}.${n}`);

  it('are counted once each, however its networks are nested, and the first 100 are listed', async () => {
    inside = [...texts(60, '192.0.2'), ...texts(70, '198.51.100'), ...texts(80, '203.0.113')];
    const nested = ['203.0.113.0/24', '192.0.2.64/26', '198.51.100.0/24', '192.0.2.0/24', '192.0.2.1'];
    const { answer } = await put({ header: 'x-real-ip', networks: nested });
    expect(answer).toMatchObject({ blocked_inside: inside.slice(0, 100), blocked_inside_total: 210 });
    expect(answer.networks).toEqual([
      '192.0.2.0/24',
      '192.0.2.1',
      '192.0.2.64/26',
      '198.51.100.0/24',
      '203.0.113.0/24',
    ]);
  });

  it('cost one lookup for each network', async () => {
    inside = ['10.0.7.1'];
    const { answer } = await put({ header: 'x-real-ip', networks: texts(200, '10.0').map((text) => `${text}.0/24`) });
    expect(answer).toMatchObject({ blocked_inside: inside, blocked_inside_total: 1 });
    expect(lookups).toBe(200);
  });
});

describe('the list', () => {
  const pid = () => kit.registry.current()!.pid;

  it('reports upstreams as in force, with the blocked entries inside', async () => {
    inside = ['192.0.2.7'];
    await put({ header: 'x-real-ip', networks: own });
    expect(await upstreams.list()).toMatchObject({
      items: [{ name: 'cdn', blocked_inside: inside, blocked_inside_total: 1 }],
      total: 1,
      in_force: true,
      reason: null,
    });
  });

  it.each(['upstreams', 'proxy_protocol'] as const)('reports that a worker has another %s map', async (map) => {
    await put({ header: 'x-real-ip', networks: own });
    kit.registry.markSuspect(pid(), map, '192.0.2.0/24 is missing');
    expect(await upstreams.list()).toMatchObject({
      in_force: false,
      reason: `current worker ${pid()}: ${map} map: 192.0.2.0/24 is missing`,
    });
  });

  it('reports a map that is not compared yet as unknown', async () => {
    await put({ header: 'x-real-ip', networks: own });
    kit.registry.markSuspect(pid(), 'upstreams', 'the comparison was interrupted', 'unverified');
    expect(await upstreams.list()).toMatchObject({ in_force: null, reason: expect.stringContaining('interrupted') });
  });

  it('reports that the live configuration does not use the map, or cannot be read', async () => {
    await put({ header: 'x-real-ip', networks: own });
    mapLoaded = false;
    expect(await upstreams.list()).toMatchObject({ in_force: false, reason: unusedUpstreamMap });
    mapLoaded = null;
    expect(await upstreams.list()).toMatchObject({
      in_force: null,
      reason: 'the live configuration could not be read',
    });
  });

  it('reports first what is certainly not in force, then what is not known', async () => {
    await put({ header: 'x-real-ip', networks: own });
    const doubtful = { inForce: null, reason: 'frontend a may not check them' };
    const lacking = { inForce: false, reason: 'frontend b lacks the lookup' };
    const effect = async () => {
      const { in_force: inForce, reason } = await upstreams.list();
      return { inForce, reason };
    };
    frontEnds = [{ inForce: true, reason: null }, doubtful];
    expect(await effect()).toEqual(doubtful);
    frontEnds = [doubtful, lacking];
    expect(await effect()).toEqual(lacking);
    frontEnds = [doubtful];
    kit.registry.markSuspect(pid(), 'upstreams', '192.0.2.0/24 is missing');
    expect(await effect()).toMatchObject({ inForce: false, reason: expect.stringContaining('192.0.2.0/24') });
  });

  it('says nothing against no upstreams', async () => {
    mapLoaded = false;
    expect(await upstreams.list()).toEqual({ items: [], total: 0, in_force: true, reason: null });
  });
});
