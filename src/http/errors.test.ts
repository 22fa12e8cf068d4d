import { fromBinary } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { BEARER, stubApp } from '../../testkit/http/stub-services.ts';
import { codes } from '../errors/catalogue.ts';
import { ApiErrorSchema, ErrSchema } from '../errors/gen/errors/v1/errors_pb.ts';
import { ServiceError } from '../errors/service-error.ts';

const block = { method: 'POST', url: '/api/blocked-ips', headers: BEARER } as const;
const good = { ip_address: '192.0.2.1' };

const CASES = [
  ['an invalid address', 400, 101, {}, { ...block, payload: { ip_address: '10.0.0.1/8' } }],
  ['a bad parameter', 400, 100, {}, { url: '/api/blocked-ips?limit=0', headers: BEARER }],
  ['a bad body', 400, 102, {}, { ...block, headers: { ...BEARER, 'content-type': 'application/json' }, payload: '{' }],
  [
    'unexpected request body',
    400,
    108,
    {},
    { method: 'POST', url: '/api/config/reload', headers: BEARER, payload: {} },
  ],
  ['no key', 401, 401, {}, { url: '/health' }],
  ['a wrong key', 401, 401, {}, { url: '/health', headers: { authorization: 'Bearer wrong' } }],
  ['a missing scope', 403, 403, { block: codes.Forbidden }, { ...block, payload: good }],
  ['no such endpoint', 404, 404, {}, { url: '/api/nothing', headers: BEARER }],
  ['an absent row', 404, 1100, { block: codes.NotFound }, { ...block, payload: good }],
  ['a wrong method', 405, 6011, {}, { method: 'PATCH', url: '/api/blocked-ips', headers: BEARER }],
  ['a conflict with trust', 409, 6007, { block: codes.CoveredByTrust }, { ...block, payload: good }],
  ['a double', 409, 1002, { block: codes.NotUnique }, { ...block, payload: good }],
  ['a body too large', 413, 6000, {}, { ...block, payload: { ip_address: '1'.repeat(1_100_000) } }],
  [
    'a form',
    415,
    6009,
    {},
    { ...block, headers: { ...BEARER, 'content-type': 'application/x-www-form-urlencoded' }, payload: 'a=b' },
  ],
  ['a refused configuration', 422, 5002, { block: codes.ProxyRefusesConfiguration }, { ...block, payload: good }],
  ['an unforeseen error', 500, 500, { block: new TypeError('secret text') }, { ...block, payload: good }],
  ['a full queue', 503, 6002, { block: codes.QueueFull }, { ...block, payload: good }],
  ['a database gone', 503, 6003, { block: codes.DatabaseUnusable }, { ...block, payload: good }],
] as const;

describe.each(CASES)('%s', (_name, status, code, failing, request) => {
  const thrown = (failing as { block?: number | Error }).block;
  const error = typeof thrown === 'number' ? raised(thrown) : thrown;
  const overrides = error === undefined ? {} : { blockedSet: { block: () => Promise.reject(error) } };
  // No block is rejected with it: only the form of the response is tested.
  const { app } = stubApp(overrides, { undocumented: true });
  const send = (accept: string) =>
    app.inject({ ...request, headers: { ...(request as { headers?: object }).headers, accept } });

  test(`is ${status} with code ${code} as problem+json`, async () => {
    const response = await send('*/*');
    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toBe('application/problem+json');
    expect(response.json()).toEqual(
      expect.objectContaining({
        status,
        code,
        kind: expect.any(String),
        op: expect.any(String),
        errors: expect.any(Array),
      }),
    );
    expect(response.json().request_id).toBe(response.headers['x-request-id']);
    expect(response.body).not.toContain('secret text');
  });

  test('is an errors.v1.ApiError for application/x-protobuf', async () => {
    const response = await send('application/x-protobuf');
    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toBe('application/x-protobuf; messageType="errors.v1.ApiError"');
    const message = fromBinary(ApiErrorSchema, response.rawPayload);
    const problem = (await send('*/*')).json();
    expect({ status: message.status, ...message.apiError }).toMatchObject({
      status,
      kind: problem.kind,
      op: problem.op,
      message: problem.detail,
    });
    expect(message.apiError?.details?.requestFields.map(({ name }) => name)).toEqual(
      problem.errors.map(({ name }: { name: string }) => name),
    );
  });

  test('is an errors.v1.Err if the media type asks for it', async () => {
    const response = await send('application/x-protobuf; messageType="errors.v1.Err"');
    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toBe('application/x-protobuf; messageType="errors.v1.Err"');
    expect(fromBinary(ErrSchema, response.rawPayload)).toMatchObject({ code, op: expect.any(String) });
  });
});

function raised(code: number): ServiceError {
  return new ServiceError(code, 'block address', 'it did not go', { cause: new Error('inner') });
}

describe('an error of a service', () => {
  test('keeps its extension members, its fields and its Retry-After', async () => {
    const error = new ServiceError(codes.QueueFull, 'block address', 'full', {
      retryAfterSeconds: 1.2,
      members: { restored: true, covered_by: ['10.0.0.0/8'] },
      fields: [{ name: 'a', description: 'b' }],
    });
    const { app } = stubApp({ blockedSet: { block: () => Promise.reject(error) } }, { undocumented: true });
    const response = await app.inject({ ...block, payload: good });
    expect(response.headers['retry-after']).toBe('2');
    expect(response.json()).toMatchObject({
      restored: true,
      covered_by: ['10.0.0.0/8'],
      errors: [{ name: 'a', description: 'b' }],
    });
  });

  test('that is unexpected is logged with its cause and the id of the request', async () => {
    const { app, logged } = stubApp({ blockedSet: { block: () => Promise.reject(new Error('secret text')) } });
    const response = await app.inject({ ...block, payload: good });
    const fields = { cause: 'secret text', request_id: response.headers['x-request-id'], status: 500 };
    expect(logged).toContainEqual({ message: 'Request failed', fields: expect.objectContaining(fields) });
  });

  test('that is not an Error object is a 500', async () => {
    const { app } = stubApp({ blockedSet: { block: () => Promise.reject('just text') } });
    const response = await app.inject({ ...block, payload: good });
    expect(response.json()).toMatchObject({ status: 500, code: 500 });
  });
});

describe('routing', () => {
  test.each([
    ['PATCH', '/api/blocked-ips', 'DELETE, GET, HEAD, POST, PUT'],
    ['POST', '/api/blocked-ips/192.0.2.1', 'DELETE, GET, HEAD'],
    ['GET', '/api/blocked-ips/batch', 'POST'],
    ['DELETE', '/api/blocked-ips/sync', 'POST'],
    ['OPTIONS', '/api/config/reload', 'POST'],
    ['DELETE', '/livez', 'GET, HEAD'],
    ['GET', '/api/config/backups/b1/restore', 'POST'],
  ] as const)('%s %s is 405 with Allow: %s', async (method, url, allow) => {
    const stub = stubApp();
    const response = await stub.app.inject({ method, url, headers: BEARER });
    expect(response.statusCode).toBe(405);
    expect(response.headers.allow).toBe(allow);
    expect(stub.calls).toEqual([]);
  });

  test.each(['/api/nothing', '/nothing', '/api/blocked-ips/10.0.0.0/8', '//api/blocked-ips', '/API/blocked-ips'])(
    '%s is 404, a POST with a body too',
    async (url) => {
      const { app } = stubApp();
      expect((await app.inject({ url, headers: BEARER })).statusCode).toBe(404);
      expect((await app.inject({ method: 'POST', url, headers: BEARER, payload: {} })).statusCode).toBe(404);
    },
  );

  test('does not reveal without a key which paths exist', async () => {
    const { app } = stubApp();
    expect((await app.inject({ url: '/api/nothing' })).statusCode).toBe(401);
    expect((await app.inject({ method: 'PATCH', url: '/api/blocked-ips' })).statusCode).toBe(401);
  });

  test.each(['/api/blocked-ips/%', '/api/blocked-ips/%zz', '/api/blocked-ips/%ff', '/api/blocked-ips/%c0%af'])(
    'the malformed address %s is a 400 problem with an id',
    async (url) => {
      const stub = stubApp();
      const response = await stub.app.inject({ url, headers: BEARER });
      expect(response.json()).toMatchObject({ status: 400, code: 100 });
      expect(response.headers['x-request-id']).toBe(response.json().request_id);
      expect(response.headers['x-content-type-options']).toBe('nosniff');
      expect(stub.calls).toEqual([]);
    },
  );
});

describe('every response', () => {
  test.each([
    ['abc-1.2_3', true],
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
    ['a b', false],
    ['a;b', false],
    ['', false],
  ])('returns the request id %j: %s', async (given, taken) => {
    const { app } = stubApp();
    const response = await app.inject({ url: '/livez', headers: { 'x-request-id': given } });
    if (taken) expect(response.headers['x-request-id']).toBe(given);
    else expect(response.headers['x-request-id']).toMatch(/^[A-Za-z0-9_-]{16}$/);
  });

  test('has the security headers, an error too', async () => {
    const { app } = stubApp();
    for (const url of ['/livez', '/health', '/api/nothing']) {
      expect((await app.inject({ url })).headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      });
    }
  });

  test('is logged with key, path, status and id, except successful probes', async () => {
    const { app, logged } = stubApp();
    await app.inject({ url: '/livez' });
    await app.inject({ url: '/api/config?x=1', headers: { ...BEARER, 'x-request-id': 'abc' } });
    expect(logged).toEqual([
      {
        message: 'Request answered',
        fields: {
          request_id: 'abc',
          method: 'GET',
          path: '/api/config',
          status: 200,
          key: 'ops',
          duration_ms: expect.any(Number),
        },
      },
    ]);
  });
});

describe('bodies', () => {
  test.each([
    ['POST', '/api/config/reload'],
    ['POST', '/api/blocked-ips/sync'],
    ['DELETE', '/api/blocked-ips/192.0.2.1'],
    ['GET', '/api/config'],
  ] as const)('%s %s accepts only an empty one, with any Content-Type', async (method, url) => {
    const { app } = stubApp();
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'nonsense', 'a/b; =']) {
      const headers = { ...BEARER, 'content-type': type, 'content-length': '0' };
      expect((await app.inject({ method, url, headers })).statusCode).toBe(200);
    }
    const stub = stubApp();
    const response = await stub.app.inject({ method, url, headers: BEARER, payload: '{}' });
    expect(response.json()).toMatchObject({ status: 400, code: 108 });
    expect(stub.calls).toEqual([]);
  });

  test.each([
    ['null', 102],
    ['[]', 102],
    ['"192.0.2.1"', 102],
    ['{"ip_address":"192.0.2.1"', 102],
    ['{"ip_address":"192.0.2.1"}x', 102],
    ["{'ip_address':'192.0.2.1'}", 102],
    ['{"ip_address":"192.0.2.1\u0000"}', 102],
    ['', 102],
  ])('%j is rejected as the body of a block', async (payload, code) => {
    const stub = stubApp();
    const response = await stub.app.inject({
      ...block,
      headers: { ...BEARER, 'content-type': 'application/json' },
      payload,
    });
    expect(response.json()).toMatchObject({ status: 400, code });
    expect(stub.calls).toEqual([]);
  });

  test('that are not UTF-8 are rejected', async () => {
    const stub = stubApp();
    const payload = Buffer.from('{"ip_address":"192.0.2.1","reason":"\xff"}', 'latin1');
    const response = await stub.app.inject({
      ...block,
      headers: { ...BEARER, 'content-type': 'application/json' },
      payload,
    });
    expect(response.json()).toMatchObject({ status: 400, code: 102 });
    expect(stub.calls).toEqual([]);
  });

  test('without a Content-Type, or compressed, are rejected, naming the header', async () => {
    const { app } = stubApp();
    const bare = await app.inject({ ...block, payload: Buffer.from('{"ip_address":"192.0.2.1"}') });
    expect(bare.json()).toMatchObject({ status: 415, code: 6009, detail: expect.stringContaining('application/json') });
    const headers = { ...BEARER, 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const zipped = await app.inject({ ...block, headers, payload: '{"ip_address":"192.0.2.1"}' });
    expect(zipped.json()).toMatchObject({ status: 415, detail: expect.stringContaining('gzip') });
  });

  test('in JSON with a charset are accepted', async () => {
    const { app } = stubApp();
    const headers = { ...BEARER, 'content-type': 'Application/JSON; charset=UTF-8' };
    expect((await app.inject({ ...block, headers, payload: JSON.stringify(good) })).statusCode).toBe(201);
  });
});
