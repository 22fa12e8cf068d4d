import type { InjectOptions } from 'fastify';
import { expect, it } from 'vitest';
import { BEARER, stubApp } from '../../../testkit/http/stub-services.ts';
import { codes } from '../../errors/catalogue.ts';
import { InvalidCursor } from '../../store/store-error.ts';
import { sampleProblem } from './problems.ts';

const block = (payload: InjectOptions['payload']): InjectOptions => ({
  method: 'POST',
  url: '/api/blocked-ips',
  headers: { ...BEARER, 'content-type': 'application/json' },
  ...(payload === undefined ? {} : { payload }),
});

const requests: Readonly<Record<number, InjectOptions>> = {
  [codes.InvalidParameter]: block({ ip_address: '203.0.113.7', duration_seconds: 0 }),
  [codes.InvalidAddress]: block({ ip_address: '203.0.113.7/24' }),
  [codes.InvalidBody]: block('{'),
  [codes.UnknownField]: {
    ...block({}),
    method: 'PUT',
    url: '/api/trusted-ips/203.0.113.7',
    payload: { reason: 'office' },
  },
  [codes.InvalidTime]: block({ ip_address: '203.0.113.7', expires_at: 'tomorrow' }),
  [codes.InvalidDomain]: { url: '/api/sites/*.example.com', headers: BEARER },
  [codes.InvalidServer]: {
    ...block({ servers: [{ address: '10.0.0.0/8', port: 80 }] }),
    method: 'PUT',
    url: '/api/sites/shop.example.com',
  },
  [codes.InvalidCursor]: { url: '/api/blocked-ips?cursor=abc', headers: BEARER },
  [codes.UnexpectedBody]: { method: 'POST', url: '/api/config/reload', headers: BEARER, payload: { now: true } },
  [codes.Unauthorized]: { url: '/api/sites' },
  [codes.Forbidden]: { method: 'POST', url: '/api/config/reload', headers: { authorization: 'Bearer fail2ban' } },
  [codes.Internal]: { url: '/api/keys', headers: BEARER },
  [codes.TooLarge]: block({ ip_address: '1'.repeat(1_100_000) }),
  [codes.UnsupportedMediaType]: { ...block('<a>'), headers: { ...BEARER, 'content-type': 'text/html' } },
};

it.each(Object.keys(requests).map(Number))('the sample of code %d equals the response', async (code) => {
  const { app } = stubApp({
    keys: {
      authenticate: async (key: string) =>
        key === 'fail2ban' ? { name: key, scopes: ['block'] } : { name: 'ops', scopes: ['admin'] },
      list: () => Promise.reject(new TypeError('secret')),
    },
    blockedSet: { list: () => Promise.reject(new InvalidCursor()) },
  });
  const { request_id: _, ...answered } = (await app.inject(requests[code] as InjectOptions)).json();
  const { request_id: __, ...sample } = sampleProblem(code);
  expect(answered).toEqual(sample);
});
