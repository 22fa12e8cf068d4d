// The complete service under hostile clients: test/hostile-clients.
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../testkit/blocking.ts';
import { eventually, untilPasses } from '../../testkit/conditions.ts';
import { BEARER, BULK, HEALTH, NO_DIFF, type Overrides, stubApp } from '../../testkit/http/stub-services.ts';
import { stopTime } from '../../testkit/stop-time.ts';
import { connectionLimit } from './connections.ts';
import { type Listening, listen } from './listen.ts';

const open: Listening[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const listening of open.splice(0)) await listening.close(0);
});

async function serve(overrides: Overrides = {}, options: Parameters<typeof stubApp>[1] = {}) {
  const stub = stubApp(overrides, options);
  const listening = await listen(stub.app, { host: '127.0.0.1', port: 0 });
  open.push(listening);
  return { ...stub, port: Number(new URL(listening.url).port) };
}

/** On a unix socket written data is available to the other end at once. */
async function serveOnPath(overrides: Overrides = {}, options: Parameters<typeof stubApp>[1] = {}) {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const stub = stubApp(overrides, options);
  const path = join(folder.path, 'api.sock');
  open.push(await listen(stub.app, { path }));
  return { ...stub, path };
}

/** @param to a port of this machine, or a path */
async function connection(to: number | string): Promise<{ socket: Socket; text(): string; closed: Promise<void> }> {
  const socket = typeof to === 'number' ? connect(to, '127.0.0.1') : connect(to);
  sockets.push(socket);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await once(socket, 'connect');
  return { socket, text: () => text, closed };
}

async function answerOf(sent: ReturnType<typeof request>): Promise<{ status: number; retryAfter: string | undefined }> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] };
}

const bearer = `authorization: ${BEARER.authorization}\r\n`;

test('a client that disconnects does not cancel the health check of another', async () => {
  const probed = Promise.withResolvers<void>();
  let asked = 0;
  const health = async () => {
    asked += 1;
    await probed.promise;
    return HEALTH;
  };
  const { port } = await serve({ health: { health } });
  const options = { port, path: '/health', headers: BEARER };
  const leaves = request(options);
  leaves.on('error', () => undefined);
  leaves.end();
  const stays = request(options);
  const answer = answerOf(stays);
  stays.end();
  await untilPasses(() => expect(asked).toBe(2));
  leaves.destroy();
  probed.resolve();
  expect((await answer).status).toBe(200);
});

describe('the body of a rejected request', () => {
  test.each([
    ['without a key', '', 401],
    ['to a path that does not exist', bearer, 404],
    ['with an unsupported Content-Type', `${bearer}content-type: image/png\r\n`, 415],
  ])('%s is not waited for: a client that sends byte after byte is disconnected', async (_name, headers, status) => {
    const { port, calls } = await serve({}, { timeouts: { discardBody: 100 } });
    const path = status === 404 ? '/nowhere' : '/api/blocked-ips';
    const client = await connection(port);
    client.socket.write(`PUT ${path} HTTP/1.1\r\nhost: a\r\n${headers}content-length: 10000000000\r\n\r\n1`);
    const dribble = setInterval(() => client.socket.write('1'), 10);
    await client.closed;
    clearInterval(dribble);
    expect(client.text()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(calls).toEqual([]);
  });

  test.each([
    ['with Connection: close', 'HTTP/1.1', 'connection: close\r\n'],
    ['in HTTP/1.0', 'HTTP/1.0', ''],
  ])('%s is read, so that a client that writes before it reads gets the response', async (_name, version, more) => {
    const { port } = await serve({}, { timeouts: { discardBody: 60_000 } });
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    sockets.push(socket);
    const rest = 8_000_000;
    const head = `PUT /api/blocked-ips ${version}\r\nhost: a\r\n${more}content-length: ${rest}\r\n\r\n`;
    const written = new Promise<unknown>((resolve) =>
      socket.on('error', resolve).write(head + '1'.repeat(rest), resolve),
    );
    expect(await written).toBeFalsy();
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
    socket.end();
  });

  test('that arrives at once keeps its connection open', async () => {
    const { port } = await serve({}, { timeouts: { discardBody: 60_000 } });
    const client = await connection(port);
    client.socket.write('PUT /api/blocked-ips HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\n');
    await untilPasses(() => expect(client.text()).toContain('HTTP/1.1 401'));
    client.socket.write('abcGET /livez HTTP/1.1\r\nhost: a\r\n\r\n');
    await untilPasses(() => expect(client.text()).toMatch(/alive$/));
  });
});

describe('Expect: 100-continue', () => {
  const head = (headers: string) =>
    `PUT /api/blocked-ips HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-type: text/plain\r\ncontent-length: 10\r\n${headers}\r\n`;

  test('gets 100 only with a valid key', async () => {
    const { port } = await serve();
    const client = await connection(port);
    client.socket.write(head(bearer));
    await untilPasses(() => expect(client.text()).toBe('HTTP/1.1 100 Continue\r\n\r\n'));
    client.socket.write('192.0.2.1\n');
    await untilPasses(() => expect(client.text()).toContain('HTTP/1.1 200'));
  });

  test('is rejected without its body, and the connection is closed', async () => {
    const { port } = await serve();
    const client = await connection(port);
    client.socket.write(head(''));
    await client.closed;
    expect(client.text()).toMatch(/^HTTP\/1.1 401 /);
    expect(client.text()).not.toContain('100 Continue');
  });

  test('may have other values, which are ignored', async () => {
    const { port } = await serve();
    const client = await connection(port);
    client.socket.write('GET /livez HTTP/1.1\r\nhost: a\r\nexpect: a miracle\r\n\r\n');
    await untilPasses(() => expect(client.text()).toMatch(/alive$/));
  });
});

describe('at the limit of connections', () => {
  test('a new connection evicts the oldest one without a valid key', async () => {
    const { port } = await serve({}, { limits: { connections: 3 } });
    const silent = [];
    for (let index = 0; index < 3; index += 1) silent.push(await connection(port));
    const answer = await answerOf(request({ port, path: '/api/keys', headers: BEARER, agent: false }).end());
    expect(answer.status).toBe(200);
    await silent[0]!.closed;
    expect(silent.slice(1).map(({ socket }) => socket.destroyed)).toEqual([false, false]);
  });

  test('anonymous connections do not evict one with a valid key', async () => {
    const { port } = await serve({}, { limits: { connections: 3 } });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const first = request({ port, path: '/api/keys', headers: BEARER, agent }).end();
    await answerOf(first);
    const anonymous = [];
    for (let index = 0; index < 20; index += 1) anonymous.push(await connection(port));
    await anonymous[17]!.closed;
    const second = request({ port, path: '/api/keys', headers: BEARER, agent }).end();
    expect((await answerOf(second)).status).toBe(200);
    expect(second.socket).toBe(first.socket);
    agent.destroy();
  });

  test('a new connection evicts the longest idle one if all have a valid key', async () => {
    const { port } = await serve({}, { limits: { connections: 2 } });
    const agents = [0, 1, 2].map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
    const used: Socket[] = [];
    for (const agent of agents) {
      const sent = request({ port, path: '/api/keys', headers: BEARER, agent }).end();
      expect((await answerOf(sent)).status).toBe(200);
      used.push(sent.socket!);
    }
    await untilPasses(() => expect(used[0]!.destroyed).toBe(true));
    expect(used.slice(1).map(({ destroyed }) => destroyed)).toEqual([false, false]);
    for (const agent of agents) agent.destroy();
  });

  test('one key cannot use all of them at the same time, so another key is served', async () => {
    const gate = Promise.withResolvers<void>();
    const slow = () => gate.promise.then(() => NO_DIFF);
    const authenticate = async (name: string) => ({ name, scopes: ['admin'] });
    const { port, calls } = await serve(
      { configuration: { diff: slow }, keys: { authenticate } },
      { limits: { connections: 4 } },
    );
    const ask = (key: string, path = '/api/config/diff') =>
      answerOf(request({ port, path, headers: { authorization: `Bearer ${key}` }, agent: false }).end());
    const three = [1, 2, 3].map(() => ask('dashboard'));
    await untilPasses(() => expect(calls.filter(({ method }) => method === 'configuration.diff')).toHaveLength(3));
    expect(await ask('dashboard')).toEqual({ status: 503, retryAfter: '1' });
    expect((await ask('operator', '/api/keys')).status).toBe(200);
    gate.resolve();
    expect((await Promise.all(three)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await ask('dashboard')).status).toBe(200);
  });

  test('a new connection gets 503 if all are busy, and its request is not executed', async () => {
    const gate = Promise.withResolvers<void>();
    const { port, calls } = await serve(
      { configuration: { diff: () => gate.promise.then(() => NO_DIFF) } },
      { limits: { connections: 2 } },
    );
    const busy = [1, 2].map(() => request({ port, path: '/api/config/diff', headers: BEARER, agent: false }).end());
    const answers = busy.map(answerOf);
    await untilPasses(() => expect(calls).toHaveLength(2));
    const newcomer = await connection(port);
    newcomer.socket.write(`DELETE /api/keys/a HTTP/1.1\r\nhost: a\r\n${bearer}\r\n`);
    await newcomer.closed;
    expect(newcomer.text()).toMatch(/^HTTP\/1.1 503 .*retry-after: 1.*"code":6015/s);
    expect(newcomer.text().match(/HTTP\/1.1/g)).toHaveLength(1);
    gate.resolve();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
    expect(calls.map(({ method }) => method)).toEqual(['configuration.diff', 'configuration.diff']);
  });
});

describe('requests beyond the limit', () => {
  test('get 503 with Retry-After until one is completed or cancelled', async () => {
    const gate = Promise.withResolvers<void>();
    const { port, calls } = await serve(
      { configuration: { diff: () => gate.promise.then(() => NO_DIFF) } },
      { limits: { requests: 2 } },
    );
    const ask = () => request({ port, path: '/api/config/diff', headers: BEARER, agent: false }).end();
    const given = ask().on('error', () => undefined);
    const kept = answerOf(ask());
    await untilPasses(() => expect(calls).toHaveLength(2));
    given.destroy();
    expect(await answerOf(ask())).toEqual({ status: 503, retryAfter: '1' });
    expect((await answerOf(request({ port, path: '/livez', agent: false }).end())).status).toBe(200);
    gate.resolve();
    expect((await kept).status).toBe(200);
    await untilPasses(async () =>
      expect(await Promise.all([answerOf(ask()), answerOf(ask())])).toEqual([
        { status: 200, retryAfter: undefined },
        { status: 200, retryAfter: undefined },
      ]),
    );
  });
});

describe('pipelined requests', () => {
  test('are answered in order, some tens at once', async () => {
    const { port } = await serve();
    const client = await connection(port);
    client.socket.write('GET /livez HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(30));
    await untilPasses(() => expect(client.text().match(/HTTP\/1.1 200/g)).toHaveLength(30));
    client.socket.write('GET /livez HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(30));
    await untilPasses(() => expect(client.text().match(/HTTP\/1.1 200/g)).toHaveLength(60));
  });

  test('close their connection when they are a flood, of which only a few are read', async () => {
    const stub = await serve({ health: { ready: () => new Promise(() => undefined) } });
    const client = await connection(stub.port);
    client.socket.write('GET /readyz HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(5_000));
    await client.closed;
    expect(stub.calls.length).toBeLessThanOrEqual(32);
  });
});

describe('data after a request in progress', () => {
  test('that is not HTTP does not affect its response, after which the connection is closed', async () => {
    const gate = Promise.withResolvers<void>();
    const { port, calls } = await serve({
      configuration: { diff: () => gate.promise.then(() => NO_DIFF) },
    });
    const client = await connection(port);
    client.socket.write(`GET /api/config/diff HTTP/1.1\r\nhost: a\r\n${bearer}\r\n`);
    await untilPasses(() => expect(calls).toHaveLength(1));
    client.socket.write('garbage\r\n\r\n');
    const livez = await answerOf(request({ port, path: '/livez', agent: false }).end());
    expect(livez.status).toBe(200);
    gate.resolve();
    await client.closed;
    expect(client.text()).toMatch(/^HTTP\/1.1 200 .*"changed":false/s);
    expect(client.text().match(/HTTP\/1.1/g)).toHaveLength(1);
  });
});

test('the log line of an early rejection has the duration of the request, not the uptime of the service', async () => {
  const { port, logged } = await serve();
  const begun = performance.now();
  const client = await connection(port);
  client.socket.write('GET /livez HTTP/1.1\r\nconnection: close\r\n\r\n');
  await client.closed;
  await untilPasses(() => expect(logged).toHaveLength(1));
  expect(logged[0]?.fields).toMatchObject({ status: 400 });
  expect(logged[0]?.fields.duration_ms).toBeLessThanOrEqual(performance.now() - begun);
});

describe('exports of the complete list', () => {
  test('occupy no slot if their clients disconnect before authentication', async () => {
    const gate = Promise.withResolvers<void>();
    const authenticate = () => gate.promise.then(() => ({ name: 'ops', scopes: ['admin'] }));
    const { port, app } = await serve({ keys: { authenticate } });
    const ask = `GET /api/blocked-ips HTTP/1.1\r\nhost: a\r\naccept: text/plain\r\n${bearer}\r\n`;
    let begun = 0;
    let gone = 0;
    app.server.on('request', ({ socket }) => {
      begun += 1;
      socket.once('close', () => {
        gone += 1;
      });
    });
    for (let index = 0; index < 256; index += 1) (await connection(port)).socket.write(ask);
    await untilPasses(() => expect(begun).toBe(256));
    for (const socket of sockets.splice(0)) socket.resetAndDestroy();
    await untilPasses(() => expect(gone).toBe(256));
    gate.resolve();
    const headers = { ...BEARER, accept: 'text/plain' };
    expect(await answerOf(request({ port, path: '/api/blocked-ips', headers, agent: false }).end())).toMatchObject({
      status: 200,
    });
  });

  test('that are not read are limited, in total and more strictly per key; others get 503', async () => {
    const endless = async function* () {
      for (;;) yield Array(5_000).fill('192.0.2.1') as string[];
    };
    const authenticate = async (name: string) => ({ name, scopes: ['read'] });
    // A unix socket has small buffers.
    const { path } = await serveOnPath({ blockedSet: { listTexts: endless }, keys: { authenticate } });
    const askAs = (key: string) =>
      `GET /api/blocked-ips HTTP/1.1\r\nhost: a\r\naccept: text/plain\r\nauthorization: Bearer ${key}\r\n\r\n`;
    const lists = await Promise.all(
      Array.from({ length: 258 }, async (_, index) => {
        const client = await connection(path);
        const answered = once(client.socket, 'data');
        client.socket.write(askAs(index < 193 ? 'dashboard' : 'operator'));
        await answered;
        client.socket.pause();
        return client;
      }),
    );
    const statuses = lists.map(({ text }) => text().slice(9, 12));
    expect(statuses.slice(0, 193).sort()).toEqual([...Array(192).fill('200'), '503']);
    expect(statuses.slice(193).sort()).toEqual([...Array(64).fill('200'), '503']);
    for (const { socket } of lists) socket.destroy();
    await untilPasses(async () => {
      const client = await connection(path);
      client.socket.write(askAs('dashboard'));
      await untilPasses(() => expect(client.text()).toMatch(/^HTTP\/1.1 200/));
    });
  });
});

describe('searches by text', () => {
  test('are limited, more strictly per key, without delaying other lists, and a disconnected client frees its slot', async () => {
    const ended: unknown[] = [];
    const list = ({ text, signal }: { text: string | null; signal: AbortSignal }) =>
      text === null
        ? Promise.resolve({ items: [], next_cursor: null, total: 0 })
        : new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              ended.push(signal.reason);
              reject(signal.reason);
            });
          });
    const authenticate = async (name: string) => ({ name, scopes: ['read'] });
    const { port, calls, logged } = await serve({ blockedSet: { list }, keys: { authenticate } });
    const headersOf = (key: string) => ({ authorization: `Bearer ${key}` });
    const ask = (key: string, query: string) =>
      request({ port, path: `/api/blocked-ips?${query}`, headers: headersOf(key), agent: false }).end();
    const search = async (key: string) => {
      const client = await connection(port);
      client.socket.write(`GET /api/blocked-ips?text=scan HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\n\r\n`);
      return client;
    };
    const clients = await Promise.all(['ops', 'ops', 'ops', 'ops', 'bot', 'bot', 'bot', 'bot'].map(search));
    await untilPasses(() => expect(calls.filter(({ method }) => method === 'blockedSet.list')).toHaveLength(8));
    expect(await answerOf(ask('ops', 'text=scan'))).toMatchObject({ status: 503, retryAfter: '1' });
    expect(await answerOf(ask('third', 'text=scan'))).toMatchObject({ status: 503 });
    expect(await answerOf(ask('ops', 'q=10.'))).toMatchObject({ status: 200 });
    clients[0]?.socket.destroy();
    await untilPasses(() => expect(ended).toHaveLength(1));
    await search('ops');
    await untilPasses(() => expect(calls.filter(({ method }) => method === 'blockedSet.list')).toHaveLength(10));
    // Neither an exhausted limit nor a disconnected client is a failure of the service.
    expect(logged.filter(({ message }) => message === 'Request failed')).toEqual([]);
    expect(logged.filter(({ fields }) => fields.code === 6015)).toHaveLength(2);
  });
});

describe('batches', () => {
  test('are completely in memory, so only a few large ones are accepted at once', async () => {
    const gate = Promise.withResolvers<void>();
    const authenticate = async (name: string) => ({ name, scopes: ['block'] });
    const { port, calls } = await serve({
      blockedSet: { batch: () => gate.promise.then(() => BULK) },
      keys: { authenticate },
    });
    const payload = JSON.stringify({
      add: Array.from({ length: 100_000 }, (_, index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`),
    });
    const send = (key: string) => {
      const sent = request({
        port,
        method: 'POST',
        path: '/api/blocked-ips/batch',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        agent: false,
      });
      sent.end(payload);
      return answerOf(sent);
    };
    const taken = [];
    for (let index = 1; index <= 3; index += 1) {
      taken.push(send(`key${index}`));
      // Not the calls: a failed assertion would print all of them.
      await untilPasses(() => expect(calls.length).toBe(index));
      if (index === 1) expect(await send('key1'), 'of one key').toEqual({ status: 503, retryAfter: '1' });
    }
    expect(await send('key4')).toEqual({ status: 503, retryAfter: '1' });
    gate.resolve();
    expect((await Promise.all(taken)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await send('key1')).status).toBe(200);
  });
});

describe('a body of one object', () => {
  const head = (length: number) =>
    `POST /api/blocked-ips HTTP/1.1\r\nhost: a\r\n${bearer}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

  test('that is not complete in time gets 408 and is disconnected, even if it arrives byte by byte', async () => {
    const { port, calls } = await serve({}, { timeouts: { smallBody: 100, discardBody: 100 } });
    const client = await connection(port);
    client.socket.write(`${head(60_000)}{"ip_address":`);
    const dribble = setInterval(() => client.socket.write(' '), 10);
    await client.closed;
    clearInterval(dribble);
    expect(client.text()).toMatch(
      /^HTTP\/1.1 408 .*(did not arrive within|arrives too slowly).*nothing was changed.*"code":6013/s,
    );
    expect(calls.filter(({ method }) => method === 'blockedSet.block')).toEqual([]);
  });

  test('that arrived while the event loop was blocked is accepted', async () => {
    using time = stopTime();
    const body = '{"ip_address":"192.0.2.1"}';
    const { path } = await serveOnPath({}, { timeouts: { smallBody: 100 } });
    const client = await connection(path);
    const before = time.timers;
    client.socket.write(head(body.length));
    await eventually('its body is waited for', () => time.timers === before + 1);
    // From here on timers run before data is read.
    await new Promise((resolve) => setImmediate(resolve));
    client.socket.write(body);
    time.standStill(200);
    await untilPasses(() => expect(client.text()).toMatch(/^HTTP\/1.1 20[01] /));
  });
});

describe('a streamed body', () => {
  const head = (method: string, path: string, type: string) =>
    `${method} ${path} HTTP/1.1\r\nhost: a\r\n${bearer}content-type: ${type}\r\ncontent-length: 1000000\r\n\r\n`;
  const batch = head('POST', '/api/blocked-ips/batch', 'application/json');

  test.each([
    ['a batch', batch, '{"add":[', ' '],
    ['a complete set', head('PUT', '/api/blocked-ips', 'text/plain'), '192.0.2.1\n', '#'],
    ['a complete set without any data', head('PUT', '/api/blocked-ips', 'text/plain'), '', ''],
  ])('that is too slow gets 408 and is disconnected: %s', async (_name, headers, first, again) => {
    const { port, calls } = await serve({}, { timeouts: { bodyPace: 100, discardBody: 100 } });
    const client = await connection(port);
    client.socket.write(headers + first);
    const dribble = setInterval(() => client.socket.write(again), 10);
    await client.closed;
    clearInterval(dribble);
    expect(client.text()).toMatch(/^HTTP\/1.1 408 .*(did not arrive within|arrives too slowly).*"code":6013/s);
    expect(calls.filter(({ method }) => method === 'blockedSet.batch')).toEqual([]);
  });

  test('that is slow but fast enough is accepted, however long it takes', async () => {
    using time = stopTime();
    const { app, path } = await serveOnPath({}, { timeouts: { bodyPace: 50 } });
    const accepted = once(app.server, 'connection') as Promise<[Socket]>;
    const client = await connection(path);
    const [served] = await accepted;
    const send = async (text: string): Promise<void> => {
      client.socket.write(text);
      await eventually('it is read', () => served.bytesRead === client.socket.bytesWritten);
    };
    const before = time.timers;
    await send(`${batch.replace('1000000', String(8 + 20 * 500 + 2))}{"add":[`);
    await eventually('more is waited for', () => time.timers > before);
    for (let index = 0; index < 20; index += 1) {
      await send(' '.repeat(500));
      await time.pass(40);
    }
    await send(']}');
    await untilPasses(() => expect(client.text()).toMatch(/^HTTP\/1.1 200 /));
  });
});

test.each([
  ['', 2048],
  ['Max open files            1024                 20000                files     \n', 448],
  ['Max open files            20000                20000                files     \n', 2048],
  ['Max open files            unlimited            unlimited            files     \n', 2048],
  ['Max open files            64                   64                   files     \n', 16],
  ['Max open files            garbage\n', 2048],
])('the limit of connections leaves descriptors for the rest: %j is %i', (limits, most) => {
  expect(connectionLimit(limits)).toBe(most);
});
