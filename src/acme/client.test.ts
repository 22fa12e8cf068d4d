// Against an authority that fails on purpose; client-pebble.test.ts has the real one.
import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { madeAuthority } from '../../testkit/acme/pebble.ts';
import { AcmeUnreachable } from './authority.ts';
import { createAcmeClient } from './client.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const { roots, certificate, privateKey } = madeAuthority();
const accountKey = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
const now = new Date('2026-11-26T12:00:00Z');
const account = { contacts: [], termsAgreed: true, externalAccount: null };
const wanted = { names: ['shop.example.com'], profile: 'shortlived', replaces: 'aYhb.AIdl' };

describe('the client of an authority', () => {
  let server: Server;
  let base: string;
  let handlers: Map<string, Handler>;
  let seen: string[];
  let payloads: unknown[];
  let nonce = 0;
  beforeAll(async () => {
    server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
      const path = request.url ?? '';
      seen.push(`${request.method} ${path}`);
      nonce += 1;
      response.setHeader('replay-nonce', `nonce-${nonce}`);
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (chunks.length > 0) payloads.push(JSON.parse(Buffer.concat(chunks).toString('utf8')));
        (handlers.get(path) ?? ((_, missing) => missing.writeHead(404).end()))(request, response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `https://localhost:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const json = (body: unknown, headers: Readonly<Record<string, string>> = {}, status = 200): Handler => {
    return (_request, response) => response.writeHead(status, headers).end(JSON.stringify(body));
  };
  const problem = (type: string, status: number, headers: Readonly<Record<string, string>> = {}): Handler =>
    json({ type: `urn:ietf:params:acme:error:${type}`, detail: 'its own words' }, headers, status);
  const order = () => ({
    status: 'pending',
    identifiers: [{ type: 'dns', value: 'shop.example.com' }],
    authorizations: [`${base}/authz/1`],
    finalize: `${base}/finalize/1`,
  });
  /** Fails so often, then answers. */
  const failingFirst = (failures: number, failure: Handler, then: Handler): Handler => {
    let left = failures;
    return (request, response) => {
      left -= 1;
      (left >= 0 ? failure : then)(request, response);
    };
  };

  beforeEach(() => {
    [seen, payloads] = [[], []];
    handlers = new Map<string, Handler>([
      [
        '/dir',
        json({
          newNonce: `${base}/nonce`,
          newAccount: `${base}/account`,
          newOrder: `${base}/order`,
          renewalInfo: `${base}/ari`,
          meta: { profiles: { shortlived: 'six days' } },
        }),
      ],
      ['/nonce', (_request, response) => response.writeHead(200).end()],
      ['/account', json({ status: 'valid' }, { location: `${base}/acct/1` }, 201)],
      ['/order', (request, response) => json(order(), { location: `${base}/order/1` }, 201)(request, response)],
      ['/order/1', (request, response) => json(order())(request, response)],
    ]);
  });
  const open = async (pausesMs: readonly number[] = [1, 1, 1], timeoutMs = 15_000) => {
    const options = { directory: `${base}/dir`, roots, userAgent: 'test', accountKey, pausesMs, timeoutMs };
    const client = createAcmeClient({ ...options, now: () => now });
    await client.register(account);
    return client;
  };
  const count = (line: string) => seen.filter((one) => one === line).length;
  const sent = (): unknown[] =>
    payloads.map((one) => {
      const { payload } = one as { payload: string };
      return payload === '' ? '' : JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    });

  it('sends profile and replaced certificate, and each nonce once', async () => {
    const client = await open();
    expect([...(await client.directory()).profiles]).toEqual([['shortlived', 'six days']]);
    expect(await client.createOrder(wanted)).toMatchObject({ url: `${base}/order/1`, names: ['shop.example.com'] });
    await client.order(`${base}/order/1`);
    expect(sent().slice(1)).toEqual([
      { identifiers: [{ type: 'dns', value: 'shop.example.com' }], profile: 'shortlived', replaces: 'aYhb.AIdl' },
      '',
    ]);
    const nonces = payloads.map((one) => {
      const header = Buffer.from((one as { protected: string }).protected, 'base64url').toString('utf8');
      return (JSON.parse(header) as { nonce: string }).nonce;
    });
    expect(new Set(nonces).size).toBe(3);
    expect(count('HEAD /nonce')).toBe(1);
    client.close();
  });

  it('repeats a read after failures, cut and garbled replies, and not an order', async () => {
    const client = await open();
    const failures: [string, Handler][] = [
      ['HTTP 503', problem('serverInternal', 503)],
      ['a cut reply', (_request, response) => response.destroy()],
      [
        'half a reply',
        (_request, response) => {
          response.writeHead(200, { 'content-length': '1000' });
          response.write('{', () => response.destroy());
        },
      ],
    ];
    for (const [what, failure] of failures) {
      handlers.set('/order/1', failingFirst(2, failure, json(order())));
      expect(await client.order(`${base}/order/1`), what).toMatchObject({ status: 'pending' });
      handlers.set('/order', failure);
      const before = count('POST /order');
      await expect(client.createOrder(wanted), what).rejects.toThrow(AcmeUnreachable);
      expect(count('POST /order') - before, what).toBe(1);
    }
    client.close();
  });

  it('says whether a failure is about one order', async () => {
    const client = await open([]);
    const [url, failure] = [`${base}/order/1`, problem('serverInternal', 500)];
    const cases: [path: string, handler: Handler, call: () => Promise<unknown>, ofOrder: boolean][] = [
      ['/order/1', failure, () => client.order(url), true],
      ['/order/1', problem('rateLimited', 429), () => client.order(url), true],
      ['/order/1', json('text'), () => client.order(url), true],
      ['/authz/1', failure, () => client.authorization(`${base}/authz/1`), true],
      ['/authz/1', json('text'), () => client.authorization(`${base}/authz/1`), true],
      ['/chall/1', failure, () => client.answerChallenge(`${base}/chall/1`), true],
      ['/finalize/1', failure, () => client.finalize(`${base}/finalize/1`, new Uint8Array()), true],
      ['/cert/1', failure, () => client.certificate(`${base}/cert/1`), true],
      ['/cert/1', json('text'), () => client.certificate(`${base}/cert/1`), true],
      ['/order/1', (_request, response) => response.destroy(), () => client.order(url), false],
      ['/order', failure, () => client.createOrder(wanted), false],
      ['/order', problem('rateLimited', 429), () => client.createOrder(wanted), false],
      ['/order', json('text', { location: url }), () => client.createOrder(wanted), false],
      ['/account', problem('rateLimited', 429), () => client.register(account), false],
    ];
    for (const [path, handler, call, ofOrder] of cases) {
      handlers.set(path, handler);
      await expect(call(), path).rejects.toMatchObject({ ofOrder });
    }
    handlers.set('/order/1', json(order()));
    handlers.set('/nonce', failure);
    // The nonces that replies brought are used up.
    const failed = async () => {
      for (;;) await client.order(url);
    };
    handlers.set('/order/1', (_request, response) => {
      response.removeHeader('replay-nonce');
      json(order())(_request, response);
    });
    await expect(failed()).rejects.toMatchObject({ name: 'AcmeUnreachable', ofOrder: false });
    client.close();
  });

  it('gives up with the words of the authority', async () => {
    const client = await open();
    handlers.set('/order/1', problem('serverInternal', 500));
    await expect(client.order(`${base}/order/1`)).rejects.toThrow(/HTTP 500.*its own words/);
    expect(count('POST /order/1')).toBe(4);
    client.close();
  });

  it('does not wait itself where the authority says when to come again', async () => {
    const client = await open();
    handlers.set('/order', problem('rateLimited', 429, { 'retry-after': '3600' }));
    await expect(client.createOrder(wanted)).rejects.toMatchObject({
      name: 'AcmeRefusal',
      problem: { type: 'rateLimited', status: 429, detail: 'its own words' },
      retryAfter: new Date('2026-11-26T13:00:00Z'),
    });
    handlers.set('/order/1', problem('serverInternal', 503, { 'retry-after': 'Thu, 26 Nov 2026 12:10:00 GMT' }));
    await expect(client.order(`${base}/order/1`)).rejects.toMatchObject({
      name: 'AcmeUnreachable',
      retryAfter: new Date('2026-11-26T12:10:00Z'),
    });
    expect(count('POST /order/1')).toBe(1);
    client.close();
  });

  it('repeats a read of what was just created and is unknown yet, and of nothing else', async () => {
    const client = await open();
    await client.createOrder(wanted);
    const unknown: Handler = (_request, response) => response.writeHead(404).end();
    handlers.set('/order/1', failingFirst(2, unknown, json(order())));
    expect(await client.order(`${base}/order/1`)).toMatchObject({ status: 'pending' });
    await expect(client.order(`${base}/order/2`)).rejects.toMatchObject({ problem: { status: 404 } });
    expect(count('POST /order/2')).toBe(1);
    client.close();
  });

  it('repeats a read of a certificate that a read order has just named', async () => {
    const client = await open();
    handlers.set('/order/1', json({ ...order(), status: 'valid', certificate: `${base}/cert/1` }));
    const { certificateUrl } = await client.order(`${base}/order/1`);
    const unknown: Handler = (_request, response) => response.writeHead(404).end();
    handlers.set(
      '/cert/1',
      failingFirst(2, unknown, (_request, response) => response.end(certificate)),
    );
    expect(await client.certificate(certificateUrl!)).toContain('BEGIN CERTIFICATE');
    client.close();
  });

  it('takes no Retry-After that is neither seconds nor a date of HTTP', async () => {
    const client = await open([]);
    for (const value of ['3600.5', '-5', '2026-11-26', 'soon']) {
      handlers.set('/order', problem('rateLimited', 429, { 'retry-after': value }));
      await expect(client.createOrder(wanted), value).rejects.toMatchObject({ retryAfter: null });
    }
    client.close();
  });

  it('corrects the contacts of an account that exists, and keeps those that are not set', async () => {
    const client = await open();
    const body = { status: 'valid', contact: ['mailto:old@example.com'] };
    handlers.set('/account', json(body, { location: `${base}/acct/1` }));
    handlers.set('/acct/1', json(body));
    payloads.length = 0;
    await client.register({ ...account, contacts: ['mailto:old@example.com'] });
    await client.register(account);
    expect(count('POST /acct/1')).toBe(0);
    await client.register({ ...account, contacts: ['mailto:ops@example.com'] });
    expect(sent().at(-1)).toEqual({ contact: ['mailto:ops@example.com'] });
    expect(count('POST /acct/1')).toBe(1);
    client.close();
  });

  it('reads the directory again after an hour', async () => {
    const client = await open();
    await client.directory();
    expect(count('GET /dir')).toBe(1);
    const later = performance.now() + 3_700_000;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => later);
    try {
      await Promise.all([client.directory(), client.directory()]);
    } finally {
      clock.mockRestore();
    }
    expect(count('GET /dir')).toBe(2);
    client.close();
  });

  it('takes twenty refused nonces for no answer, so that the order goes on later', async () => {
    const client = await open();
    handlers.set('/order', problem('badNonce', 400));
    await expect(client.createOrder(wanted)).rejects.toThrow('refused 20 nonces in succession');
    await expect(client.createOrder(wanted)).rejects.toThrow(AcmeUnreachable);
    expect(count('POST /order')).toBe(40);
    client.close();
  });

  it('does not wait longer than its time-out, follow redirects or read without end', async () => {
    const client = await open([], 300);
    handlers.set('/order/1', () => undefined);
    await expect(client.order(`${base}/order/1`)).rejects.toThrow('no complete reply within 0.3 s');
    handlers.set('/order/1', (_request, response) => response.writeHead(307, { location: `${base}/dir` }).end());
    await expect(client.order(`${base}/order/1`)).rejects.toThrow(/HTTP 307.*not followed/);
    handlers.set('/order/1', (_request, response) => response.end('x'.repeat(1_100_000)));
    await expect(client.order(`${base}/order/1`)).rejects.toThrow('more than 1000000 bytes');
    client.close();
  });

  it('shows no control characters of the authority, and no endless text', async () => {
    const client = await open();
    const detail = `two\r\nlines \u001b[31m${'x'.repeat(10_000)}`;
    handlers.set('/order', json({ type: 'urn:ietf:params:acme:error:malformed', detail }, {}, 400));
    const refusal = await client
      .createOrder(wanted)
      .catch((error: unknown) => error as { problem: { detail: string } });
    const shown = (refusal as { problem: { detail: string } }).problem.detail;
    expect(shown.startsWith('two lines [31mxxx')).toBe(true);
    expect(shown.length).toBeLessThanOrEqual(2_000);
    const instance = 'https://ca.example/\u001b[31m terms';
    handlers.set('/order', json({ type: 'x', instance }, {}, 403));
    await expect(client.createOrder(wanted)).rejects.toMatchObject({
      problem: { instance: 'https://ca.example/%1B[31m%20terms' },
    });
    client.close();
  });

  it('rejects replies that are not what they should be', async () => {
    const client = await open([]);
    const bad: [unknown, RegExp][] = [
      ['text', /an order is not an object/],
      [{ ...order(), status: 'done' }, /status is none of pending/],
      [{ ...order(), finalize: 'http://localhost/' }, /finalize is not an https URL/],
      [{ ...order(), authorizations: 'all' }, /authorizations is not a list/],
    ];
    for (const [body, message] of bad) {
      handlers.set('/order/1', json(body));
      await expect(client.order(`${base}/order/1`)).rejects.toThrow(message);
    }
    handlers.set(
      '/authz/1',
      json({
        status: 'pending',
        identifier: { type: 'dns', value: 'shop.example.com' },
        challenges: [{ type: 'http-01', url: `${base}/chall/1`, status: 'pending', token: '../../etc/passwd' }],
      }),
    );
    await expect(client.authorization(`${base}/authz/1`)).rejects.toThrow(/token of a challenge/);
    for (const body of [null, { status: 'valid\r\n' }]) {
      handlers.set('/account', json(body, { location: `${base}/acct/1` }, 201));
      await expect(client.register(account)).rejects.toThrow(AcmeUnreachable);
    }
    handlers.set('/cert/1', (_request, response) => response.end('no certificate'));
    await expect(client.certificate(`${base}/cert/1`)).rejects.toThrow(/not a chain in PEM/);
    client.close();
  });

  it('reads when to renew', async () => {
    const client = await open();
    const suggestedWindow = { start: '2026-12-01T00:00:00Z', end: '2026-12-02T00:00:00Z' };
    handlers.set(
      '/ari/aYhb.AIdl',
      json({ suggestedWindow, explanationURL: 'https://ca.example/why' }, { 'retry-after': '21600' }),
    );
    expect(await client.renewalInfo('aYhb.AIdl')).toEqual({
      start: new Date('2026-12-01T00:00:00Z'),
      end: new Date('2026-12-02T00:00:00Z'),
      explanationUrl: 'https://ca.example/why',
      retryAfter: new Date('2026-11-26T18:00:00Z'),
    });
    handlers.set('/ari/none', json({ suggestedWindow: { start: 'soon' } }));
    await expect(client.renewalInfo('none')).rejects.toThrow(/suggestedWindow/);
    client.close();
  });
});
