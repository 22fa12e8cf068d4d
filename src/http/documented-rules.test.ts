// A client that validates by the document must not reject what the service's parsers accept.
import Schema from 'typebox/schema';
import { beforeAll, describe, expect, it } from 'vitest';
import { apiDocument } from '../../testkit/http/api-document.ts';
import { BEARER, stubApp } from '../../testkit/http/stub-services.ts';
import type { Schema as DocumentSchema, OpenApi } from './openapi/openapi-types.ts';

let document: OpenApi;
const { app } = stubApp();

beforeAll(async () => {
  document = await apiDocument();
  return () => app.close();
});

interface Answer {
  readonly status: number;
  readonly code: number | undefined;
}

async function send(method: 'GET' | 'PUT' | 'POST', url: string, payload?: object): Promise<Answer> {
  const answer = await app.inject({ method, url, headers: BEARER, ...(payload === undefined ? {} : { payload }) });
  return { status: answer.statusCode, code: answer.json().code };
}

const field = (model: string, name: string) => document.components.schemas[model]?.properties?.[name] as DocumentSchema;
const parameter = (path: string, name: string) =>
  document.paths[path]?.['get']?.parameters?.find((one) => one.name === name)?.schema as DocumentSchema;
const allows = (schema: DocumentSchema, value: unknown) =>
  Schema.Compile({ components: document.components, ...schema }).Check(value);

const mapped = '0000:0000:0000:0000:0000:ffff:192.0.2.100/128';
const longDomain = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`;
const server = { address: '10.0.0.1', port: 80 };
const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 1).toString('base64')}`;

describe('an ip_address', () => {
  const block = (ip_address: string) => send('POST', '/api/blocked-ips', { ip_address });

  it.each(['::', '192.0.2.7', '2001:db8::/32', mapped])('%s is valid in document and service', async (text) => {
    expect(allows(field('BlockRequest', 'ip_address'), text)).toBe(true);
    expect(allows(parameter('/api/check/{ip_address}', 'ip_address'), text)).toBe(true);
    expect((await send('GET', `/api/check/${encodeURIComponent(text)}`)).status).toBe(200);
  });

  it.each(['', '1', '0'.repeat(300), `${mapped}    0`])('"%s" is invalid in both (101)', async (text) => {
    expect(allows(field('BlockRequest', 'ip_address'), text)).toBe(false);
    expect(allows(field('UnblockRequest', 'ip_address'), text)).toBe(false);
    expect(await block(text)).toEqual({ status: 400, code: 101 });
  });
});

describe('a domain', () => {
  const put = (domain: string) => send('PUT', `/api/sites/${encodeURIComponent(domain)}`, { servers: [server] });

  it.each(['a', 'Shop.example.com', longDomain])('%s is valid in document and service', async (text) => {
    expect(allows(parameter('/api/sites/{domain}', 'domain'), text)).toBe(true);
    expect((await put(text)).status).toBe(200);
  });

  it.each([`${longDomain}d`, 'shop example', 'shop_1.example', '*.example.com'])(
    '%s is invalid in both (105)',
    async (text) => {
      expect(allows(parameter('/api/sites/{domain}', 'domain'), text)).toBe(false);
      expect(await put(text)).toEqual({ status: 400, code: 105 });
    },
  );
});

describe('the servers of a site', () => {
  const put = (servers: object) => send('PUT', '/api/sites/shop.example.com', { servers });

  it('may not contain the same server twice (106)', async () => {
    expect(allows(field('SiteRequest', 'servers'), [server, { ...server, port: 81 }])).toBe(true);
    expect(allows(field('SiteRequest', 'servers'), [server, server])).toBe(false);
    expect(await put([server, server])).toEqual({ status: 400, code: 106 });
  });

  it.each(['10.0.0.1', '2001:db8::1', 'app.example.com', '10.0.0.1/32', longDomain])('may have %s', async (address) => {
    expect(allows(field('ServerRequest', 'address'), address)).toBe(true);
    expect((await put([{ ...server, address }])).status).toBe(200);
  });

  it.each(['', 'a b', 'unix@/run/x', `${longDomain}d`])('may not have "%s" (106)', async (address) => {
    expect(allows(field('ServerRequest', 'address'), address)).toBe(false);
    expect(await put([{ ...server, address }])).toEqual({ status: 400, code: 106 });
  });
});

describe('a time', () => {
  it.each([
    ['BlockRequest', (expires_at: string) => send('POST', '/api/blocked-ips', { ip_address: '192.0.2.7', expires_at })],
    ['TrustRequest', (expires_at: string) => send('PUT', '/api/trusted-ips/192.0.2.7', { expires_at })],
    ['KeyRequest', (expires_at: string) => send('POST', '/api/keys', { name: 'visitor', expires_at })],
  ] as const)('of %s is an RFC 3339 date-time (104)', async (model, request) => {
    const schema = field(model, 'expires_at');
    for (const valid of ['2090-01-31T12:00:00Z', '2090-01-31T12:00:00.5+01:00']) {
      expect({ valid, allowed: allows(schema, valid) }).toEqual({ valid, allowed: true });
      expect((await request(valid)).status).toBeLessThan(300);
    }
    for (const wrong of ['', 'tomorrow', '2090-01-31', '2090-01-31T12:00:00']) {
      expect({ wrong, allowed: allows(schema, wrong) }).toEqual({ wrong, allowed: false });
      expect(await request(wrong)).toEqual({ status: 400, code: 104 });
    }
  });
});

describe('the secret of a webhook', () => {
  const put = (secret: string) => send('PUT', '/api/webhooks/chat', { url: 'https://hooks.example.com/', secret });

  it.each([24, 32, 64])('of %i bytes is valid in document and service', async (bytes) => {
    expect(allows(field('WebhookRequest', 'secret'), secretOf(bytes))).toBe(true);
    expect((await put(secretOf(bytes))).status).toBe(201);
  });

  it.each([secretOf(23), secretOf(67), 'whsec_', 'secret', `${secretOf(32)}\n`])(
    '%j is invalid in both (100)',
    async (secret) => {
      expect(allows(field('WebhookRequest', 'secret'), secret)).toBe(false);
      expect(await put(secret)).toEqual({ status: 400, code: 100 });
    },
  );
});
