import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routeAccess } from '../../testkit/http/route-access.ts';
import { BEARER, KEY, stubApp } from '../../testkit/http/stub-services.ts';
import { type Listening, listen } from './listen.ts';
import { panelPages } from './panel-pages.ts';

type Headers = Readonly<Record<string, unknown>>;

/** `panel.test.ts` tests the complete policy. */
const PAGE_POLICY =
  /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'; base-uri 'none'; form-action 'none'$/;
const isPage = (path: string): boolean => (panelPages as readonly string[]).includes(path);

function expectSafe(headers: Headers, path = ''): void {
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'content-security-policy': isPage(path)
      ? expect.stringMatching(PAGE_POLICY)
      : // The API page also has the hash of its style: src/http/docs-page/page.test.ts.
        /^text\/html/.test(String(headers['content-type']))
        ? expect.stringMatching(
            /^default-src 'none'; style-src 'sha256-[^' ]+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
          )
        : "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-request-id': expect.stringMatching(/^\S+$/),
  });
  for (const name of Object.keys(headers)) {
    expect(name).not.toMatch(/^(server|x-powered-by|set-cookie|location|access-control-.*)$/);
  }
}

const urlOf = (pattern: string) =>
  pattern
    .replace(':ip_address', '192.0.2.1')
    .replace(':domain', 'a.example')
    .replace(/:[a-z]+/, 'one');

describe('the headers of every response', () => {
  const { app } = stubApp();
  const credentials: readonly (readonly [string, Record<string, string>])[] = [
    ['the right key', BEARER],
    ['a wrong key', { authorization: 'Bearer wrong' }],
    ['no key', {}],
    ['a foreign origin', { ...BEARER, origin: 'https://evil.example' }],
    ['an Accept of protobuf', { accept: 'application/x-protobuf' }],
  ];
  for (const [with_, headers] of credentials) {
    test.each(Object.keys(routeAccess))(`with ${with_}: %s`, async (route) => {
      const [method = '', pattern = ''] = route.split(' ');
      const response = await app.inject({ method: method as 'GET', url: urlOf(pattern), headers });
      expectSafe(response.headers, pattern);
    });
  }

  test.each([
    ['404', { method: 'GET', url: '/api/nothing', headers: BEARER }, 404],
    ['404 at a file that is no file', { method: 'GET', url: '/../../etc/passwd', headers: BEARER }, 404],
    ['401 for the same without a key', { method: 'GET', url: '/nothing', headers: {} }, 401],
    ['405', { method: 'PATCH', url: '/api/keys', headers: BEARER }, 405],
    [
      'a preflight, which no origin passes',
      {
        method: 'OPTIONS',
        url: '/api/keys',
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
      },
      401,
    ],
    ['an address that cannot be decoded', { method: 'GET', url: '/api/check/%zz', headers: BEARER }, 400],
    [
      '413',
      { method: 'POST', url: '/api/blocked-ips', headers: BEARER, payload: { reason: 'x'.repeat(1_100_000) } },
      413,
    ],
    [
      '415',
      { method: 'POST', url: '/api/blocked-ips', headers: { ...BEARER, 'content-type': 'text/xml' }, payload: '<a/>' },
      415,
    ],
    [
      '400',
      {
        method: 'POST',
        url: '/api/blocked-ips',
        headers: { ...BEARER, 'content-type': 'application/json' },
        payload: '{',
      },
      400,
    ],
  ] as const)('%s', async (_name, request, status) => {
    const response = await app.inject(request as never);
    expect(response.statusCode).toBe(status);
    expectSafe(response.headers);
  });

  test('are on 429, 403, 500 and a failed readiness probe', async () => {
    const { app } = stubApp({
      keys: { authenticate: async (key: string) => (key === KEY ? { name: 'ops', scopes: ['read'] } : null) },
      health: { health: () => Promise.reject(new Error('secret cause')), ready: () => Promise.reject(new Error('x')) },
    });
    for (let attempt = 0; attempt < 20; attempt += 1)
      await app.inject({ url: '/health', headers: { authorization: 'Bearer no' } });
    const answers = [
      await app.inject({ url: '/health', headers: { authorization: 'Bearer no' } }),
      await app.inject({ method: 'POST', url: '/api/blocked-ips', headers: BEARER }),
      await app.inject({ url: '/health', headers: BEARER }),
      await app.inject({ url: '/readyz' }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([429, 403, 500, 503]);
    for (const { headers, body } of answers) {
      expectSafe(headers);
      expect(body).not.toContain('secret cause');
    }
  });
});

describe('over a connection', () => {
  let listening: Listening;
  /** Waits for headers so short a time that complete requests may be too slow on a busy machine. */
  let impatient: Listening;
  let stub: ReturnType<typeof stubApp>;
  beforeAll(async () => {
    stub = stubApp();
    const port = { host: '127.0.0.1', port: 0 };
    listening = await listen(stub.app, port);
    impatient = await listen(stubApp({}, { timeouts: { headers: 200, request: 1_000 } }).app, port);
  });
  afterAll(() => Promise.all([listening.close(0), impatient.close(0)]));

  /** Until the server closes or, on a kept connection, one response is complete. */
  async function send(
    bytes: string,
    { url } = listening,
  ): Promise<{ status: number; headers: Headers; body: string; text: string }> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(bytes);
    let text = '';
    for await (const chunk of socket.setEncoding('latin1')) text += chunk;
    const [head = '', ...rest] = text.split('\r\n\r\n');
    const [statusLine = '', ...lines] = head.split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    return { status: Number(statusLine.split(' ')[1]), headers, body: rest.join('\r\n\r\n'), text };
  }

  const key = `Authorization: Bearer ${KEY}`;
  const get = (more: string, version = '1.1') => `GET /health HTTP/${version}\r\nConnection: close\r\n${more}\r\n\r\n`;

  test.each([
    ['bytes that are no HTTP', 'hello\r\n\r\n', 400],
    ['the beginning of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['headers that are too large', get(`Host: a\r\nX: ${'x'.repeat(20_000)}`), 413],
    ['headers that never end', 'GET /livez HTTP/1.1\r\nHost: a\r\nX: ', 408],
    ['a tunnel', `CONNECT a:80 HTTP/1.1\r\nHost: a\r\n${key}\r\n\r\n`, 400],
    ['no Host', get(key), 400],
    ['two Hosts', get(`Host: a\r\nHost: b\r\n${key}`), 400],
    ['two keys', get(`Host: a\r\n${key}\r\nAuthorization: Bearer other`), 400],
    ['two media types', get(`Host: a\r\n${key}\r\nContent-Type: text/plain\r\nContent-Type: application/json`), 400],
    ['a blank before the colon', get(`Host : a\r\n${key}`), 400],
    ['a line that goes on in the next', get(`Host: a\r\nX: a\r\n b\r\n${key}`), 400],
    ['a NUL in a header', get(`Host: a\r\nX: a\0b\r\n${key}`), 400],
    ['a version that there is not', get(`Host: a\r\n${key}`, '1.9'), 400],
  ])('rejects %s', async (_name, bytes, status) => {
    const answer = await send(bytes, status === 408 ? impatient : listening);
    expect(answer.status).toBe(status);
    expectSafe(answer.headers);
    expect(JSON.parse(answer.body)).toMatchObject({
      status,
      code: expect.any(Number),
      request_id: answer.headers['x-request-id'],
    });
  });

  // A request inside the body of another gets no response, and neither reaches a service.
  const inside = `DELETE /api/blocked-ips/192.0.2.1 HTTP/1.1\r\nHost: a\r\n${key}\r\nConnection: close\r\n\r\n`;
  const post = (headers: string, body: string) =>
    `POST /api/blocked-ips/batch HTTP/1.1\r\nHost: a\r\n${key}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;
  test.each([
    ['a length and chunks', post('Content-Length: 5\r\nTransfer-Encoding: chunked', `0\r\n\r\n${inside}`)],
    ['chunks and a length', post('Transfer-Encoding: chunked\r\nContent-Length: 5', `0\r\n\r\n${inside}`)],
    ['two lengths', post('Content-Length: 5\r\nContent-Length: 50', `0\r\n\r\n${inside}`)],
    ['a length of two numbers', post('Content-Length: 5, 50', `0\r\n\r\n${inside}`)],
    ['a length with a sign', post('Content-Length: +5', `0\r\n\r\n${inside}`)],
    ['chunks under another name', post('Transfer-Encoding: xchunked', `0\r\n\r\n${inside}`)],
    ['chunks that are not last', post('Transfer-Encoding: chunked, identity', `0\r\n\r\n${inside}`)],
    ['chunks with a strange length', post('Transfer-Encoding: chunked', `0x5\r\nabcde\r\n0\r\n\r\n${inside}`)],
    ['chunks ended by half a line end', post('Transfer-Encoding: chunked', `5;\nabcde\n0\n\n${inside}`)],
    ['half line ends', post('Content-Length: 0\nX: y', inside)],
  ])('rejects a request with an ambiguous end: %s', async (_name, bytes) => {
    stub.calls.length = 0;
    const answer = await send(bytes);
    expect(answer.status).toBe(400);
    expect(answer.text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(answer.headers['connection']).toBe('close');
    expect(stub.calls.filter(({ method }) => method === 'blockedSet.unblock')).toEqual([]);
  });

  test('rejects chunks in HTTP/1.0, which has none, and closes the connection', async () => {
    stub.calls.length = 0;
    const chunked = post('Connection: keep-alive\r\nTransfer-Encoding: chunked', `2\r\n{}\r\n0\r\n\r\n${inside}`);
    const answer = await send(chunked.replace('HTTP/1.1', 'HTTP/1.0'));
    expect(answer.status).toBe(400);
    expect(answer.text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(stub.calls).toEqual([]);
  });

  test('gives a page of a rebound DNS name only the API document, and lets it change nothing', async () => {
    // DNS rebinding: the browser sends its own Host and Origin, but no key.
    stub.calls.length = 0;
    const rebound = (method: string, path: string) =>
      send(
        `${method} ${path} HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\nCookie: a=b\r\nConnection: close\r\n\r\n`,
      );
    for (const route of Object.keys(routeAccess)) {
      const [method = '', pattern = ''] = route.split(' ');
      const answer = await rebound(method, urlOf(pattern));
      if (isPage(pattern)) expect(answer.status).toBe(200);
      else if (pattern.startsWith('/assets/')) expect(answer.status).toBe(404);
      else if (routeAccess[route] === 'open')
        expect(answer.body).toMatch(/^(alive$|ready$|{"openapi":|<!doctype html>)/);
      else expect(answer.status).toBe(401);
      expectSafe(answer.headers, pattern);
    }
    expect(stub.calls.map(({ method }) => method)).toEqual(['health.ready']);
  });
});
