import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HEALTH, KEY, stubApp } from '../../testkit/http/stub-services.ts';
import { ApiProblem, ApiUnreachable, createApiClient, replaceBlockedAddresses } from './client.ts';
import { connect } from './node-client.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that is not the service. */
async function foreignServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => expect.unreachable('it answered'),
    (error: unknown) => error,
  );
}

describe.each(['tcp', 'unix'])('the client over %s', (how) => {
  let folder: string;
  let url: string;
  let status: 'ok' | 'degraded' = 'ok';
  const { app, calls } = stubApp({ health: { health: async () => ({ ...HEALTH, status }) } });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'client-'));
    const path = join(folder, 'api');
    if (how === 'unix') await app.listen({ path });
    else await app.listen({ host: '127.0.0.1', port: 0 });
    url = how === 'unix' ? `unix:${path}` : `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });

  it('returns the service’s answers with their types', async () => {
    const client = connect({ url, key: KEY });
    const { data, response } = await client.POST('/api/blocked-ips', { body: { ip_address: '192.0.2.1' } });
    expect(response.status).toBe(201);
    expect(data.runtime_map_failures_total.toFixed()).toBe('0');
    const path = { ip_address: '2001:db8::/32' };
    expect((await client.DELETE('/api/blocked-ips/{ip_address}', { params: { path } })).data.still_blocked_by).toEqual([
      '192.0.2.0/24',
    ]);
    expect(calls.at(-1)).toMatchObject({ method: 'blockedSet.unblock', args: [{ text: '2001:db8::/32' }, {}, {}] });
    const { data: text } = await client.GET('/api/blocked-ips', { headers: { accept: 'text/plain' }, parseAs: 'text' });
    expect(text).toBe('192.0.2.1\n192.0.2.2\n2001:db8::/32\n');
  });

  it('does not compile with an unknown path, field or scope', async () => {
    const client = connect({ url, key: KEY });
    // @ts-expect-error: no such path
    const nowhere = () => client.GET('/api/nothing');
    // @ts-expect-error: the path takes no DELETE
    const deleted = () => client.DELETE('/api/config');
    // @ts-expect-error: the parameter of the path is missing
    const missing = () => client.GET('/api/blocked-ips/{ip_address}');
    // @ts-expect-error: no such field
    const unknown = () => client.POST('/api/blocked-ips', { body: { ip: '192.0.2.1' } });
    // @ts-expect-error: no such scope
    const unscoped = () => client.POST('/api/keys', { body: { name: 'a', scopes: ['write'] } });
    // @ts-expect-error: the answer has no such member
    const member = async () => (await client.GET('/api/sites')).data.pages;
    expect([nowhere, deleted, missing, unknown, unscoped, member]).toHaveLength(6);
  });

  it('returns an unhealthy /health as an answer, not as an error', async () => {
    const client = connect({ url, key: KEY });
    expect((await client.GET('/health')).data.status).toBe('ok');
    status = 'degraded';
    const { data, response } = await client.GET('/health');
    status = 'ok';
    expect([response.status, data.status]).toEqual([503, 'degraded']);
  });

  it('throws a problem with its code, its status and the id of the request', async () => {
    const error = await thrownBy(connect({ url, key: 'wrong' }).GET('/api/sites'));
    expect(error).toBeInstanceOf(ApiProblem);
    expect(error).toMatchObject({ code: 401, status: 401, message: expect.stringMatching(/valid API key/) });
    const { requestId, problem } = error as ApiProblem;
    expect(requestId).toBe(problem.request_id);
    expect(await thrownBy(connect({ url }).GET('/api/sites'))).toMatchObject({ code: 401 });
  });

  it('streams a complete set as text of any length', async () => {
    const line = Buffer.from('192.0.2.1\n'.repeat(1_000));
    let left = 200;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (left-- > 0) controller.enqueue(line);
        else controller.close();
      },
    });
    const { data } = await replaceBlockedAddresses(connect({ url, key: KEY }), stream, { allowShrink: true });
    expect(data.added).toBe(200_000);
    expect(calls.at(-1)).toMatchObject({ args: [expect.anything(), { allowShrink: true }, expect.anything()] });
    const refused = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(line) });
    expect(await thrownBy(replaceBlockedAddresses(connect({ url, key: 'wrong' }), refused))).toMatchObject({
      code: 401,
    });
  });
});

describe('the client', () => {
  it('follows no redirect and sends its key to no other server', async () => {
    const seen: string[] = [];
    const elsewhere = await foreignServer((request, response) => {
      seen.push(String(request.headers.authorization));
      response.end('{}');
    });
    const url = await foreignServer((_request, response) => {
      response.writeHead(307, { location: `${elsewhere}/api/sites`, 'x-request-id': 'a' }).end();
    });
    const error = await thrownBy(connect({ url, key: KEY }).GET('/api/sites'));
    expect(error).toMatchObject({ reason: 'foreign', message: expect.stringContaining(elsewhere) });
    // A browser's fetch would follow the redirect.
    const inBrowser = createApiClient({ baseUrl: url, key: KEY });
    expect(await thrownBy(inBrowser.GET('/api/sites'))).toMatchObject({ reason: 'foreign' });
    expect(seen).toEqual([]);
  });

  it('rejects a response that is not from the service', async () => {
    const url = await foreignServer((_request, response) => response.end('{"status":"ok"}'));
    expect(await thrownBy(connect({ url }).GET('/health'))).toMatchObject({ reason: 'foreign' });
    const bad = await foreignServer((_request, response) => {
      response.writeHead(500, { 'content-type': 'application/problem+json', 'x-request-id': 'a' }).end('<html>');
    });
    expect(await thrownBy(connect({ url: bad }).GET('/health'))).toMatchObject({ reason: 'foreign' });
    const between = await foreignServer((_request, response) => {
      response.writeHead(502, { 'content-type': 'text/html', 'x-request-id': 'a' }).end('<html>bad gateway');
    });
    const revoked = connect({ url: between }).DELETE('/api/keys/{name}', { params: { path: { name: 'bob' } } });
    expect(await thrownBy(revoked)).toMatchObject({ reason: 'foreign' });
  });

  it('reports that a server does not use TLS', async () => {
    const plain = await foreignServer((_request, response) => response.end());
    const error = await thrownBy(connect({ url: plain.replace('http:', 'https:'), key: KEY }).GET('/health'));
    expect(error).toMatchObject({
      reason: 'refused',
      message: expect.stringMatching(/does not use TLS; did you mean http:\/\//),
    });
  });

  it('reports why there was no response', async () => {
    const url = await foreignServer((request, response) => {
      if (request.url === '/livez') request.socket.destroy();
      if (request.url === '/readyz') response.writeHead(200, { 'x-request-id': 'a' }).write('rea');
    });
    const client = connect({ url, timeoutMs: 200 });
    expect(await thrownBy(client.GET('/livez'))).toMatchObject({ reason: 'broken' });
    // The request with the longer time-out first: by the limit of Node's agent it would end first.
    const ended: string[] = [];
    const ends = async (name: string, timeoutMs: number): Promise<void> => {
      expect(await thrownBy(connect({ url, timeoutMs }).GET('/health'))).toMatchObject({ reason: 'timeout' });
      ended.push(name);
    };
    await Promise.all([ends('long', 1_000), ends('short', 200)]);
    expect(ended).toEqual(['short', 'long']);
    expect(await thrownBy(client.GET('/readyz', { parseAs: 'text' }))).toBeInstanceOf(ApiUnreachable);
    const signal = AbortSignal.timeout(50);
    expect(await thrownBy(connect({ url }).GET('/health', { signal }))).toMatchObject({ reason: 'aborted' });
    const nowhere = await thrownBy(connect({ url: 'unix:/nowhere/api' }).GET('/livez'));
    expect(nowhere).toBeInstanceOf(ApiUnreachable);
    expect(nowhere).toMatchObject({ reason: 'refused', message: 'unix:/nowhere/api: there is no such socket' });
    expect(await thrownBy(connect({ url: 'http://127.0.0.1:1' }).GET('/livez'))).toMatchObject({ reason: 'refused' });
  });

  it.each(['', 'localhost:7080', 'ftp://a', 'http://a/path', 'http://user@a', 'unix:relative'])(
    'refuses the address %j',
    (url) => expect(() => connect({ url })).toThrow(TypeError),
  );
});
