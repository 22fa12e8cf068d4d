// Nothing that could reach the command line, the map or the configuration is accepted (promise 8).
import { beforeEach, describe, expect, test } from 'vitest';
import { BEARER, stubApp } from '../../testkit/http/stub-services.ts';

const stub = stubApp();
beforeEach(() => {
  stub.calls.length = 0;
});

/** Another layer could read these as a second command, line, word or spelling. */
const HOSTILE_TEXTS: readonly (readonly [string, string])[] = [
  ['a newline', '192.0.2.1\n@1 clear map'],
  ['a carriage return', '192.0.2.1\r'],
  ['a semicolon', '192.0.2.1;@1 show map'],
  ['a payload mark', '192.0.2.1 <<'],
  ['a NUL', '192.0.2.1\u0000'],
  ['Unicode digits', '１９２.0.2.1'],
  ['Arabic digits', '١٩٢.0.2.1'],
  ['a comment', '192.0.2.1#'],
  ['a quote', '192.0.2.1"'],
  ['a blank before', ' 192.0.2.1'],
  ['a line separator', '192.0.2.1\u2028'],
  ['half a surrogate pair', '192.0.2.1\ud800'],
  ['nearly all that a body may hold', '1'.repeat(65_000)],
  ['nothing', ''],
  ['a path', '../../etc/passwd'],
];

const NOT_TEXTS: readonly (readonly [string, unknown])[] = [
  ['a number', 3_221_225_985],
  ['true', true],
  ['a list', ['192.0.2.1']],
  ['an object', { toString: 'x' }],
];

const IN_BODIES = [
  ['the address of a block', '/api/blocked-ips', 'POST', (value: unknown) => ({ ip_address: value })],
  [
    'the address of a server',
    '/api/sites/a.example',
    'PUT',
    (value: unknown) => ({ servers: [{ address: value, port: 80 }] }),
  ],
  ['the name of a key', '/api/keys', 'POST', (value: unknown) => ({ name: value })],
  ['a scope', '/api/keys', 'POST', (value: unknown) => ({ name: 'ci', scopes: [value] })],
  [
    'the end of a block',
    '/api/blocked-ips',
    'POST',
    (value: unknown) => ({ ip_address: '192.0.2.1', expires_at: value }),
  ],
] as const;

describe.each(IN_BODIES)('as %s', (_name, url, method, body) => {
  test.each([...HOSTILE_TEXTS, ...NOT_TEXTS])(
    '%s is refused with 400, and no service is called',
    async (_what, value) => {
      const response = await stub.app.inject({
        method,
        url,
        headers: { ...BEARER, 'content-type': 'application/json' },
        payload: JSON.stringify(body(value)),
      });
      expect(response.statusCode).toBe(400);
      expect(response.json()).toMatchObject({
        errors: [{ name: expect.any(String), description: expect.any(String) }],
      });
      expect(response.body.length).toBeLessThan(4000);
      expect(stub.calls).toEqual([]);
    },
  );
});

const IN_PATHS = [
  ['GET', '/api/blocked-ips/'],
  ['DELETE', '/api/blocked-ips/'],
  ['GET', '/api/check/'],
  ['PUT', '/api/trusted-ips/'],
  ['DELETE', '/api/trusted-ips/'],
  ['GET', '/api/sites/'],
  ['DELETE', '/api/sites/'],
  ['DELETE', '/api/keys/'],
  ['GET', '/api/config/reloads/'],
] as const;

describe.each(IN_PATHS)('in the path of %s %s', (method, prefix) => {
  test.each(HOSTILE_TEXTS.filter(([, text]) => text.isWellFormed()))(
    '%s is a 4xx, and no service is called',
    async (_what, text) => {
      const url = `${prefix}${encodeURIComponent(text.slice(0, 5000))}`;
      const response = await stub.app.inject({ method, url, headers: BEARER });
      expect(response.statusCode).toBeGreaterThanOrEqual(400);
      expect(response.statusCode).toBeLessThan(500);
      expect(response.headers['content-type']).toBe('application/problem+json');
      expect(stub.calls).toEqual([]);
    },
  );
});

/** Free text may contain any language, but one line of limited length. */
describe.each([
  ['reason', 500, '/api/blocked-ips', 'POST', (value: unknown) => ({ ip_address: '192.0.2.1', reason: value })],
  ['blocked_by', 100, '/api/blocked-ips', 'POST', (value: unknown) => ({ ip_address: '192.0.2.1', blocked_by: value })],
  ['note', 500, '/api/trusted-ips/192.0.2.1', 'PUT', (value: unknown) => ({ note: value })],
] as const)('the text %s', (name, longest, url, method, body) => {
  const send = async (value: unknown) => {
    const headers = { ...BEARER, 'content-type': 'application/json' };
    const response = await stub.app.inject({ method, url, headers, payload: JSON.stringify(body(value)) });
    return { status: response.statusCode, errors: response.json().errors, asked: stub.calls.length };
  };

  test.each([
    ['a newline', 'two\nlines'],
    ['a carriage return', 'a\rb'],
    ['a NUL', 'a\u0000b'],
    ['an escape', 'a\u001b[31m'],
    ['a C1 control', 'a\u0085b'],
    ['a line separator', 'a\u2028b'],
    ['a paragraph separator', 'a\u2029b'],
    ['half a surrogate pair', 'a\ud800b'],
    ['one character too many', 'x'.repeat(longest + 1)],
    ['a number', 5],
  ])('with %s is rejected with its name', async (_what, value) => {
    expect(await send(value)).toEqual({
      status: 400,
      asked: 0,
      errors: [{ name, description: expect.stringMatching(/must be one line of text .* characters/) }],
    });
  });

  test.each(['Größe; "quoted" # fine <<', '攻撃元', '🦊'.repeat(longest)])('accepts %j', async (value) => {
    expect(await send(value)).toMatchObject({ asked: 1 });
  });
});

describe('numbers, times and switches', () => {
  const refuse = async (body: object) => {
    const payload = { ip_address: '192.0.2.1', ...body };
    const response = await stub.app.inject({ method: 'POST', url: '/api/blocked-ips', headers: BEARER, payload });
    expect(stub.calls).toEqual([]);
    expect(response.statusCode).toBe(400);
    return response.json();
  };

  test.each([0, -1, 1.5, 3_155_760_001, 1e300, '60', null, true])('%j is rejected as a duration', async (value) => {
    const problem = await refuse({ duration_seconds: value });
    expect(problem.errors).toEqual([
      {
        name: 'duration_seconds',
        description: expect.stringContaining('must be a whole number from 1 to 3155760000'),
      },
    ]);
  });

  test.each([
    '2030-01-01',
    '2030-01-01T00:00:00',
    '2030-01-01 00:00:00Z',
    '2030-02-30T00:00:00Z',
    '2030-01-01T24:00:00Z',
    '2030-01-01T00:00:60Z',
    '2030-01-01T00:00:00+24:00',
    '9999-12-31T23:59:59-01:00',
    '1893456000',
    'tomorrow',
  ])('%j is rejected as a time', async (value) => {
    const problem = await refuse({ expires_at: value });
    expect(problem).toMatchObject({ code: 104, errors: [{ name: 'expires_at' }] });
  });

  test('a time that is not in the future is rejected with the time of the service', async () => {
    const problem = await refuse({ expires_at: '2026-11-20T12:00:00Z' });
    expect(problem.errors[0].description).toContain('2026-11-20T12:00:00.000Z');
  });

  test('both times together are rejected, each by name', async () => {
    const problem = await refuse({ expires_at: '2030-01-01T00:00:00Z', duration_seconds: 60 });
    expect(problem.errors.map(({ name }: { name: string }) => name)).toEqual(['expires_at', 'duration_seconds']);
    expect(problem.detail).toBe('expires_at, duration_seconds: send either expires_at or duration_seconds, not both');
  });

  test.each(['true', 1, null])('%j is rejected as a boolean', async (value) => {
    const problem = await refuse({ force: value });
    expect(problem.errors[0]).toMatchObject({ name: 'force', description: expect.stringContaining('true or false') });
  });

  test.each(['0', '1001', '-1', '1.5', '1e2', ' 5', '', '0x10', '１', 'limit=1&limit=2'])(
    'limit=%s is refused',
    async (value) => {
      const query = value.includes('=') ? value : `limit=${encodeURIComponent(value)}`;
      const response = await stub.app.inject({ url: `/api/blocked-ips?${query}`, headers: BEARER });
      expect(response.statusCode).toBe(400);
      expect(response.json().errors[0].name).toBe('limit');
      expect(stub.calls).toEqual([]);
    },
  );

  test.each([
    ...['q=a%0Ab', 'q=', 'q=ghi', 'cursor=a%0Ab', 'expiring=yes', 'expiring=1', '__proto__=1', 'sort=x'],
    ...['text=', 'text=a%0Ab', 'text=%00', 'text=%E2%80%A8', `text=${'x'.repeat(101)}`, 'text=a&text=b', 'text=a&q=1'],
    ...['offset=', 'offset=-1', 'offset=0.5', 'offset=1e99', 'offset=1000000001', 'offset=x', 'offset=1&offset=2'],
  ])('the query %s is rejected', async (query) => {
    const response = await stub.app.inject({ url: `/api/blocked-ips?${query}`, headers: BEARER });
    expect(response.statusCode).toBe(400);
    expect(stub.calls).toEqual([]);
  });
});

describe('unknown fields', () => {
  test.each([
    ['POST', '/api/blocked-ips', '{"ip_address":"192.0.2.1","ttl":60}', 'ttl'],
    ['POST', '/api/blocked-ips', '{"ip_address":"192.0.2.1","__proto__":{"force":true}}', '__proto__'],
    ['POST', '/api/blocked-ips', '{"ip_address":"192.0.2.1","constructor":1}', 'constructor'],
    ['PUT', '/api/trusted-ips/192.0.2.1', '{"reason":"x"}', 'reason'],
    ['PUT', '/api/sites/a.example', '{"servers":[{"address":"a.b","port":80,"tls":1}]}', 'servers[0].tls'],
    ['POST', '/api/keys', '{"name":"ci","key":"mine"}', 'key'],
  ] as const)('%s %s with %s is refused by the name of the field', async (method, url, payload, name) => {
    const headers = { ...BEARER, 'content-type': 'application/json' };
    const response = await stub.app.inject({ method, url, headers, payload });
    expect(response.json()).toMatchObject({
      status: 400,
      code: 103,
      errors: [{ name, description: expect.stringContaining('the fields are') }],
    });
    expect(stub.calls).toEqual([]);
  });

  test('a missing field is named with its type', async () => {
    const { app } = stub;
    const response = await app.inject({ method: 'POST', url: '/api/blocked-ips', headers: BEARER, payload: {} });
    expect(response.json().errors).toEqual([
      { name: 'ip_address', description: 'required; must be an IP address or network' },
    ]);
  });

  test('a thousand unknown fields get a short response', async () => {
    const { app } = stub;
    const payload = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`field${index}`, 1]));
    const response = await app.inject({ method: 'POST', url: '/api/blocked-ips', headers: BEARER, payload });
    expect(response.statusCode).toBe(400);
    expect(response.json().errors).toHaveLength(20);
  });
});

describe('servers of a site', () => {
  test.each([
    [[], 'servers'],
    [[{ address: '10.0.0.1' }], 'servers[0].port'],
    [[{ address: '10.0.0.1', port: 0 }], 'servers[0].port'],
    [[{ address: '10.0.0.1', port: '80' }], 'servers[0].port'],
    [[{ address: '10.0.0.0/8', port: 80 }], 'servers[0].address'],
    [[{ address: 'a b', port: 80 }], 'servers[0].address'],
    [[{ address: '10.0.0.1', port: 80, options: { weight: 257 } }], 'servers[0].options'],
    [[{ address: '10.0.0.1', port: 80, options: { cookie: 'x\nserver evil' } }], 'servers[0].options'],
    [[{ address: '10.0.0.1', port: 80, options: [] }], 'servers[0].options'],
    [
      [
        { address: '10.0.0.1', port: 80 },
        { address: '::ffff:10.0.0.1', port: 80 },
      ],
      'servers[1]',
    ],
  ])('%j are rejected at %s', async (servers, name) => {
    const response = await stub.app.inject({
      method: 'PUT',
      url: '/api/sites/a.example',
      headers: BEARER,
      payload: { servers },
    });
    expect(response.statusCode).toBe(400);
    expect(response.json().errors[0].name).toBe(name);
    expect(stub.calls).toEqual([]);
  });
});
