import { describe, expect, test } from 'vitest';
import { BEARER, BULK, stubApp } from '../../testkit/http/stub-services.ts';
import type { BulkItem } from '../blocking/blocked-set-service.ts';

const json = { ...BEARER, 'content-type': 'application/json' };
const text = { ...BEARER, 'content-type': 'text/plain' };

function collecting() {
  const items: BulkItem[] = [];
  let ended = false;
  const replaceAll = async (source: AsyncIterable<readonly BulkItem[]>) => {
    for await (const batch of source) items.push(...batch);
    ended = true;
    return BULK;
  };
  return { ...stubApp({ blockedSet: { replaceAll } }), items, sawTheEnd: () => ended };
}

const put = (app: ReturnType<typeof stubApp>['app'], headers: object, payload: string | Buffer, query = '') =>
  app.inject({ method: 'PUT', url: `/api/blocked-ips${query}`, headers: headers as Record<string, string>, payload });

const texts = (items: readonly BulkItem[]) => items.map((item) => (item.ok ? item.request.entry.text : item.rejection));

describe('PUT /api/blocked-ips', () => {
  test('accepts a text list and returns the counts', async () => {
    const stub = collecting();
    const response = await put(
      stub.app,
      { ...text, 'content-type': 'text/plain; charset="UTF-8"' },
      '192.0.2.1\n# x\nbad\n',
    );
    expect(response.json()).toEqual(BULK);
    expect(texts(stub.items)).toEqual(['192.0.2.1', { line: 3, value: 'bad', why: expect.any(String) }]);
  });

  test('accepts a JSON array of strings and objects', async () => {
    const stub = collecting();
    const body = [
      '192.0.2.1',
      { ip_address: '10.0.0.0/8', reason: 'x', duration_seconds: 5, force: true },
      { ip_address: '192.0.2.3' },
    ];
    expect((await put(stub.app, json, JSON.stringify(body))).statusCode).toBe(200);
    expect(stub.items).toMatchObject([
      { request: { entry: { text: '192.0.2.1' }, expiry: { kind: 'keep' }, force: false } },
      {
        request: { entry: { text: '10.0.0.0/8' }, reason: 'x', expiry: { kind: 'duration', seconds: 5 }, force: true },
      },
      { request: { entry: { text: '192.0.2.3' }, expiry: { kind: 'keep' } } },
    ]);
  });

  test('never shortens a block by the expiry of an element, and reads null as permanent', async () => {
    const stub = collecting();
    const body = [
      { ip_address: '192.0.2.1', expires_at: '2030-01-01T00:00:00Z' },
      { ip_address: '192.0.2.2', expires_at: null },
      { ip_address: '192.0.2.3', allow_wide: true },
    ];
    await put(stub.app, json, JSON.stringify(body));
    expect(stub.items).toMatchObject([
      { request: { expiry: { kind: 'not-before', at: new Date('2030-01-01T00:00:00Z') } } },
      { request: { expiry: { kind: 'permanent' } } },
      { request: { expiry: { kind: 'keep' }, allowWide: true } },
    ]);
  });

  test('rejects an element with a duplicate name, and accepts the others', async () => {
    const stub = collecting();
    const twice = '{"ip_address":"192.0.2.2","ip_address":"192.0.2.3"}';
    expect((await put(stub.app, json, `["192.0.2.1",${twice},{"ip_address":"192.0.2.4"}]`)).statusCode).toBe(200);
    const why = 'ip_address: appears twice in the element; send it once';
    expect(texts(stub.items)).toEqual(['192.0.2.1', { index: 1, value: expect.any(String), why }, '192.0.2.4']);
    const payload = `{"add":[${twice},"192.0.2.5"],"remove":[${twice}]}`;
    const batch = await stub.app.inject({ method: 'POST', url: '/api/blocked-ips/batch', headers: json, payload });
    expect(batch.statusCode).toBe(200);
    const [asked] = stub.calls.at(-1)!.args;
    expect(asked).toMatchObject({
      add: [{ index: 1, request: { entry: { text: '192.0.2.5' } } }],
      remove: [],
      rejected: [
        { list: 'add', index: 0, why },
        { list: 'remove', index: 0, why },
      ],
    });
  });

  test('rejects an element with a byte order mark, and accepts the others', async () => {
    const stub = collecting();
    const marked = ['"\ufeff192.0.2.2"', '{"ip_address":"192.0.2.3","reason":"\\uFEFFx"}'];
    expect((await put(stub.app, json, `["192.0.2.1",${marked.join(',')},"192.0.2.4"]`)).statusCode).toBe(200);
    const why = expect.stringContaining('byte order mark (U+FEFF)');
    expect(texts(stub.items)).toEqual([
      '192.0.2.1',
      { index: 1, value: '192.0.2.2', why },
      { index: 2, value: '192.0.2.3', why },
      '192.0.2.4',
    ]);
    const payload = `{"add":[${marked[0]},"192.0.2.5"],"remove":["192.0.2.6",${marked[0]}]}`;
    const batch = await stub.app.inject({ method: 'POST', url: '/api/blocked-ips/batch', headers: json, payload });
    expect(batch.statusCode).toBe(200);
    expect(stub.calls.at(-1)!.args[0]).toMatchObject({
      add: [{ index: 1, request: { entry: { text: '192.0.2.5' } } }],
      remove: [{ index: 0, entry: { text: '192.0.2.6' } }],
      rejected: [
        { list: 'add', index: 0, why },
        { list: 'remove', index: 1, why },
      ],
    });
  });

  test('lists a rejected element with its index, its value and the reason', async () => {
    const stub = collecting();
    const body = [
      null,
      5,
      ['192.0.2.1'],
      '10.0.0.1/8',
      { ip_address: '192.0.2.1', x: 1 },
      { ip_address: '192.0.2.1', reason: 'a\nb' },
      { expires_at: '2030-01-01' },
    ];
    await put(stub.app, json, JSON.stringify(body));
    expect(texts(stub.items)).toEqual([
      { index: 0, value: 'null', why: expect.stringContaining('JSON object with ip_address') },
      { index: 1, value: '5', why: expect.stringContaining('JSON object with ip_address') },
      { index: 2, value: '["192.0.2.1"]', why: expect.stringContaining('JSON object with ip_address') },
      { index: 3, value: '10.0.0.1/8', why: expect.stringContaining('10.0.0.0/8') },
      { index: 4, value: '192.0.2.1', why: expect.stringMatching(/^x: unknown field/) },
      { index: 5, value: '192.0.2.1', why: expect.stringMatching(/^reason: .*one line of text/) },
      { index: 6, value: '{"expires_at":"2030-01-01"}', why: expect.stringMatching(/^ip_address: required/) },
    ]);
  });

  test.each([
    ['text, no UTF-8', text, Buffer.from('192.0.2.1\n\xff', 'latin1'), 400],
    ['text, a line too long', text, `192.0.2.1\n${'x'.repeat(5000)}`, 413],
    ['JSON, no UTF-8', json, Buffer.from('["192.0.2.1","\xff"]', 'latin1'), 400],
    ['JSON that does not end', json, '["192.0.2.1","192.0.2.2"', 400],
    ['JSON with more behind it', json, '["192.0.2.1"]["192.0.2.2"]', 400],
    ['JSON, an object', json, '{"add":["192.0.2.1"]}', 400],
    ['JSON, a text', json, '"192.0.2.1"', 400],
    ['JSON, nothing', json, ' ', 400],
    ['JSON, a control character', json, '["192.0.2.1\n"]', 400],
    ['JSON, a value too long', json, `["192.0.2.1",{"reason":"${'x'.repeat(200_000)}"}]`, 413],
    ['JSON, too deep', json, `["192.0.2.1",${'['.repeat(200_000)}`, 413],
  ])('with %s never completes', async (_name, headers, payload, status) => {
    const stub = collecting();
    const response = await put(stub.app, headers, payload);
    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toBe('application/problem+json');
    expect(stub.sawTheEnd()).toBe(false);
  });

  test.each([
    [{ ...BEARER }, undefined],
    [{ ...BEARER, 'content-type': 'application/octet-stream' }, '192.0.2.1'],
    [{ ...BEARER, 'content-type': 'text/plain; charset=utf-16' }, '192.0.2.1'],
    [{ ...text, 'content-encoding': 'gzip' }, '192.0.2.1'],
  ])('with %j is 415 before the service is called', async (headers, payload) => {
    const stub = stubApp();
    const response = await stub.app.inject({
      method: 'PUT',
      url: '/api/blocked-ips',
      headers,
      ...(payload ? { payload } : {}),
    });
    expect(response.statusCode).toBe(415);
    expect(stub.calls).toEqual([]);
  });

  test.each([
    ['', false],
    ['?allow_shrink=true', true],
    ['?allow_shrink=false', false],
  ])('%s passes allowShrink: %s', async (query, allowShrink) => {
    const stub = stubApp();
    await put(stub.app, text, '192.0.2.1', query);
    expect(stub.onlyCall()[1]).toEqual({ allowShrink });
  });

  test.each(['?allow_shrink=1', '?allow_shrink', '?allow_shrnk=true'])('rejects %s', async (query) => {
    const stub = stubApp();
    expect((await put(stub.app, text, '192.0.2.1', query)).statusCode).toBe(400);
    expect(stub.calls).toEqual([]);
  });

  test('passes a large set on in many slices, every element once', async () => {
    const addresses = Array.from(
      { length: 20_000 },
      (_, index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
    );
    for (const [headers, payload] of [
      [text, addresses.join('\n')],
      [json, JSON.stringify(addresses)],
    ] as const) {
      const stub = collecting();
      expect((await put(stub.app, headers, payload)).statusCode).toBe(200);
      expect(texts(stub.items)).toEqual(addresses);
    }
  });
});

describe('POST /api/blocked-ips/batch', () => {
  const post = (app: ReturnType<typeof stubApp>['app'], payload: unknown, headers: object = json) =>
    app.inject({
      method: 'POST',
      url: '/api/blocked-ips/batch',
      headers: headers as Record<string, string>,
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    });

  test('passes on both lists and the rejected elements, each with its index', async () => {
    const stub = stubApp();
    const add = [
      '192.0.2.1',
      'bad',
      { ip_address: '192.0.2.2', expires_at: '2030-01-01T00:00:00Z' },
      { ip_address: 7 },
    ];
    const response = await post(stub.app, { remove: ['10.0.0.0/8', { ip_address: '10.0.0.1', reason: 'x' }], add });
    expect(response.json()).toEqual(BULK);
    expect(stub.onlyCall()[0]).toEqual({
      add: [
        { index: 0, request: expect.objectContaining({ expiry: { kind: 'keep' } }) },
        {
          index: 2,
          request: expect.objectContaining({ expiry: { kind: 'not-before', at: new Date('2030-01-01T00:00:00Z') } }),
        },
      ],
      remove: [{ index: 0, entry: expect.objectContaining({ text: '10.0.0.0/8' }) }],
      rejected: [
        { list: 'remove', index: 1, value: '10.0.0.1', why: expect.stringMatching(/^reason: unknown field/) },
        { list: 'add', index: 1, value: 'bad', why: expect.any(String) },
        { list: 'add', index: 3, value: '{"ip_address":7}', why: expect.stringMatching(/^ip_address: 7 is not valid/) },
      ],
    });
  });

  test.each([
    ['only add', { add: ['192.0.2.1'] }],
    ['only remove', { remove: ['192.0.2.1'] }],
    ['empty lists', { add: [], remove: [] }],
  ])('accepts %s', async (_name, body) => {
    expect((await post(stubApp().app, body)).statusCode).toBe(200);
  });

  test.each([
    ['nothing in it', '{}', 400],
    ['no body', '', 400],
    ['an array', '["192.0.2.1"]', 400],
    ['an unknown list', '{"add":["192.0.2.1"],"block":["192.0.2.2"]}', 400],
    ['a prototype', '{"__proto__":["192.0.2.1"]}', 400],
    ['a list that is an object', '{"add":{"0":"192.0.2.1"}}', 400],
    ['a list that is an empty object', '{"add":{}}', 400],
    ['a list that is a text', '{"add":"192.0.2.1"}', 400],
    ['a list that is null', '{"add":["192.0.2.1"],"remove":null}', 400],
    ['a list twice', '{"add":["192.0.2.1"],"add":["192.0.2.2"]}', 400],
    ['an end that is missing', '{"add":["192.0.2.1"]', 400],
    [
      '100,001 elements',
      JSON.stringify({ add: Array(60_000).fill('192.0.2.1'), remove: Array(40_001).fill('192.0.2.2') }),
      413,
    ],
    ['17 MiB', `{"add":["192.0.2.1"${' '.repeat(17 * 1024 * 1024)}]}`, 413],
  ])('with %s is rejected completely', async (_name, payload, status) => {
    const stub = stubApp();
    const response = await post(stub.app, payload);
    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toBe('application/problem+json');
    expect(stub.calls).toEqual([]);
  });

  test('accepts JSON only', async () => {
    const stub = stubApp();
    expect((await post(stub.app, '192.0.2.1', text)).statusCode).toBe(415);
    expect(stub.calls).toEqual([]);
  });

  test('accepts 100,000 elements', async () => {
    const stub = stubApp();
    const response = await post(stub.app, { add: Array(100_000).fill('192.0.2.1') });
    expect(response.statusCode).toBe(200);
    expect((stub.onlyCall()[0] as { add: unknown[] }).add).toHaveLength(100_000);
  });
});
