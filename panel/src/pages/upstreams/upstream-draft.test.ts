import { describe, expect, it } from 'vitest';
import { ApiProblem, type Problem } from '../../../../src/client/client.ts';

import type { Upstream } from '../../api/types.ts';
import { draftOf, faultsOf, namingsOf, rejectedFields, requestOf, withPreset } from './upstream-draft.ts';

const empty = draftOf(null);
const lb = {
  name: 'lb',
  preset: null,
  networks: ['10.0.3.0/24', '10.0.4.0/24'],
  header: 'x-forwarded-for',
  chain: true,
  proxy_protocol: false,
  on_invalid: 'judge_upstream',
  note: 'the load balancer',
} as unknown as Upstream;
const cdn = { ...lb, name: 'cdn', preset: 'cloudflare', header: 'cf-connecting-ip', chain: false } as Upstream;

describe('the request', () => {
  it('says what an upstream of one’s own does', () => {
    const draft = { ...empty, name: 'lb', networks: ' 10.0.3.0/24,\n10.0.4.0/24 ' };
    expect(requestOf(draft, null)).toEqual({
      networks: ['10.0.3.0/24', '10.0.4.0/24'],
      header: 'x-forwarded-for',
      chain: false,
      proxy_protocol: false,
      on_invalid: 'reject',
      note: null,
    });
  });

  it('restores an existing upstream unchanged', () => {
    const { name: _, preset: __, ...fields } = lb;
    expect(requestOf(draftOf(lb), null)).toEqual(fields);
  });

  it('has PROXY protocol and no header, and rejects nothing, for PROXY protocol only', () => {
    const draft = { ...empty, networks: '10.0.3.7', naming: 'proxy-protocol', judgeInvalid: true } as const;
    expect(requestOf(draft, null)).toMatchObject({ header: null, proxy_protocol: true, on_invalid: 'reject' });
  });

  it('leaves header and networks to a preset that knows them', () => {
    const request = requestOf(withPreset(empty, 'cloudflare'), null);
    expect(request).toMatchObject({ preset: 'cloudflare' });
    for (const name of ['header', 'chain', 'networks']) expect(request).not.toHaveProperty(name);
  });

  it('names the header of a preset without one of its own', () => {
    expect(requestOf(withPreset(empty, 'fastly'), null)).toMatchObject({
      preset: 'fastly',
      header: 'fastly-client-ip',
    });
  });

  it('sends the networks of a preset only if they were changed, so that their age stays', () => {
    expect(requestOf({ ...draftOf(cdn), note: 'changed' }, cdn)).not.toHaveProperty('networks');
    expect(requestOf({ ...draftOf(cdn), networks: '10.0.3.0/24' }, cdn)).toMatchObject({ networks: ['10.0.3.0/24'] });
  });

  it('sends the networks that the form shows with another preset', () => {
    expect(requestOf({ ...draftOf(lb), preset: 'cloudflare' }, lb)).toMatchObject({ networks: lb.networks });
  });
});

describe('the form', () => {
  it('gives a preset its name, but keeps a name that was typed', () => {
    expect(withPreset(withPreset(empty, 'cloudflare'), 'cloudfront').name).toBe('cloudfront');
    expect(withPreset(withPreset(empty, 'cloudflare'), null).name).toBe('');
    expect(withPreset({ ...empty, name: 'edge' }, 'cloudflare').name).toBe('edge');
  });

  it('offers a choice of headers only where there is one', () => {
    expect(namingsOf('cloudflare')).toBeNull();
    expect(namingsOf('fastly')?.map(({ value }) => value)).not.toContain('chain');
    expect(namingsOf(null)?.map(({ value }) => value)).toContain('proxy-protocol');
  });

  it('requires networks unless a preset may stay without', () => {
    expect(faultsOf(empty, null)).toHaveProperty('networks');
    expect(faultsOf(withPreset(empty, 'cloudfront'), null)).toEqual({});
    expect(faultsOf({ ...draftOf(cdn), networks: ' ' }, cdn)).toHaveProperty('networks');
    expect(faultsOf({ ...draftOf(lb), preset: 'cloudflare', networks: '' }, lb)).toEqual({});
    expect(faultsOf({ ...draftOf(lb), preset: 'cloudfront', networks: '' }, lb)).toHaveProperty('networks');
  });

  it.each(['10.0.3.300', '10.0.0.0/9', '10.0.3.1/24'])('finds the fault of %s before it is sent', (text) => {
    expect(faultsOf({ ...empty, name: 'lb', networks: `10.0.4.0/24\n${text}` }, null).networks).toContain(
      text.slice(0, 6),
    );
  });
});

describe('a rejected request', () => {
  const problem = (members: object) =>
    new ApiProblem(
      { code: 109, detail: 'rejected', ...members } as unknown as Problem,
      new Response(null, { status: 400 }),
    );

  it('is shown at the fields of the form', () => {
    const errors = [
      { name: 'networks[3]', description: 'is wrong' },
      { name: 'preset', description: 'decides it' },
    ];
    expect(rejectedFields(problem({ errors }))).toEqual({ networks: 'Is wrong.', header: 'Decides it.' });
  });

  it('is shown at the networks if another upstream has one of them', () => {
    const taken = [{ network: '10.0.3.0/24', upstream: 'lb' }];
    expect(rejectedFields(problem({ code: 1002, taken }))).toHaveProperty('networks');
  });

  it('is shown completely if the form lacks a field for it', () => {
    expect(rejectedFields(problem({ errors: [{ name: 'elsewhere', description: 'is wrong' }] }))).toBeNull();
    expect(rejectedFields(problem({}))).toBeNull();
    expect(rejectedFields(new Error('unreachable'))).toBeNull();
  });
});
