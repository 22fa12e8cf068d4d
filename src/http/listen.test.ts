import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { untilPasses } from '../../testkit/conditions.ts';
import { BEARER, BULK, NO_DIFF, type Overrides, stubApp } from '../../testkit/http/stub-services.ts';
import type { BulkItem } from '../blocking/blocked-set-service.ts';
import { type Listening, listen } from './listen.ts';

const open: Listening[] = [];
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-http-'));
});
afterEach(async () => {
  for (const listening of open.splice(0)) await listening.close(0);
  await rm(folder, { recursive: true });
});

async function serve(overrides: Overrides = {}, options: Parameters<typeof stubApp>[1] = {}) {
  const stub = stubApp(overrides, options);
  const listening = await listen(stub.app, { host: '127.0.0.1', port: 0 });
  open.push(listening);
  const port = Number(new URL(listening.url).port);
  return { ...stub, listening, port };
}

async function answerOf(
  sent: ClientRequest,
): Promise<{ status: number; headers: IncomingMessage['headers']; body: string }> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += chunk;
  return { status: response.statusCode!, headers: response.headers, body };
}

async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return readToEnd(socket);
}

async function readToEnd(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  return text;
}

function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

describe('a PUT over a real connection', () => {
  const put = (port: number, headers: Record<string, string> = {}) =>
    request({
      port,
      method: 'PUT',
      path: '/api/blocked-ips',
      headers: { ...BEARER, 'content-type': 'text/plain', ...headers },
    });

  test.each([
    ['with chunks', {}],
    ['with a length', { 'content-length': '1000' }],
  ])('%s that is aborted never completes', async (_name, headers) => {
    const seen: BulkItem[] = [];
    const outcome = Promise.withResolvers<string>();
    const begun = gate();
    const { port } = await serve({
      blockedSet: {
        replaceAll: async (source: AsyncIterable<readonly BulkItem[]>) => {
          begun.open();
          try {
            for await (const batch of source) seen.push(...batch);
            outcome.resolve('ended');
          } catch (error) {
            outcome.resolve('threw');
            throw error;
          }
          return BULK;
        },
      },
    });
    const sent = put(port, headers as Record<string, string>);
    sent.on('error', () => undefined);
    sent.write('192.0.2.1\n'.repeat(3000).slice(0, headers && 'content-length' in headers ? 500 : undefined));
    await begun.opened;
    sent.destroy();
    expect(await outcome.promise).toBe('threw');
  });

  test('that arrives slowly is read as it arrives', async () => {
    const counts: number[] = [];
    const { port } = await serve({
      blockedSet: {
        replaceAll: async (source: AsyncIterable<readonly BulkItem[]>) => {
          for await (const batch of source) counts.push(batch.length);
          return BULK;
        },
      },
    });
    const sent = put(port);
    sent.write('192.0.2.1\n'.repeat(2000));
    await untilPasses(() => expect(counts).toEqual([2000]));
    sent.write('192.0.2.');
    sent.end('2\n');
    expect((await answerOf(sent)).status).toBe(200);
    expect(counts).toEqual([2000, 1]);
  });

  test('is throttled when the service is slower than the connection', async () => {
    const slow = gate();
    let batches = 0;
    const { port } = await serve({
      blockedSet: {
        replaceAll: async (source: AsyncIterable<readonly BulkItem[]>) => {
          for await (const _batch of source) {
            batches += 1;
            await slow.opened;
          }
          return BULK;
        },
      },
    });
    const sent = put(port);
    const block =
      "# a comment of about sixty bytes, so that the kernel's buffers fill\n".repeat(1000) + '192.0.2.1\n'.repeat(2000);
    // The buffers in between are full once the number of sent bytes stays the same.
    let before = -1;
    for (let index = 0; index < 400; index += 1) sent.write(block);
    await untilPasses(
      () => {
        const written = (sent.socket?.bytesWritten ?? 0) - sent.writableLength;
        const still = written === before && batches === 1;
        before = written;
        expect(still).toBe(true);
      },
      15_000,
      100,
    );
    expect(sent.writableLength).toBeGreaterThan(1_000_000);
    slow.open();
    sent.end();
    expect((await answerOf(sent)).status).toBe(200);
    expect(batches).toBe(400);
  });

  test('that is rejected early gets its response, the rest is discarded, and the connection stays usable', async () => {
    const { port } = await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sent = request({
      port,
      agent,
      method: 'PUT',
      path: '/api/blocked-ips',
      headers: { ...BEARER, 'content-type': 'text/plain' },
    });
    sent.write(Buffer.from([0xff, 0x0a]));
    const first = answerOf(sent);
    for (let index = 0; index < 50; index += 1) sent.write('192.0.2.1\n'.repeat(5000));
    sent.end();
    expect(await first).toMatchObject({ status: 400 });
    const { socket } = sent;
    const second = request({ port, agent, path: '/livez' }).end();
    expect((await answerOf(second)).body).toBe('alive');
    expect(second.socket).toBe(socket);
    agent.destroy();
  });

  test('without a key gets a response although its body is large', async () => {
    const stub = await serve();
    const sent = put(stub.port, { authorization: 'Bearer wrong' });
    for (let index = 0; index < 50; index += 1) sent.write('192.0.2.1\n'.repeat(5000));
    sent.end();
    expect((await answerOf(sent)).status).toBe(401);
    expect(stub.calls).toEqual([]);
  });
});

describe('a body that is too large', () => {
  test.each([
    ['of unknown length', {}],
    ['with a length announced before', { 'content-length': '5000000' }],
  ])('%s gets 413 and no reset, and the connection stays usable', async (_name, headers) => {
    const { port } = await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sent = request({
      port,
      agent,
      method: 'POST',
      path: '/api/blocked-ips',
      headers: { ...BEARER, 'content-type': 'application/json', ...headers },
    });
    const first = answerOf(sent);
    for (let index = 0; index < 50; index += 1) sent.write(' '.repeat(100_000));
    sent.end();
    expect(await first).toMatchObject({ status: 413 });
    const second = request({ port, agent, path: '/livez' }).end();
    expect((await answerOf(second)).body).toBe('alive');
    expect(second.socket).toBe(sent.socket);
    agent.destroy();
  });
});

describe('a list as text', () => {
  const sendTo = (port: number) =>
    request({ port, path: '/api/blocked-ips', headers: { ...BEARER, accept: 'text/plain' } }).end();

  test('that fails midway is recognisable as incomplete', async () => {
    const { port } = await serve({
      blockedSet: {
        async *listTexts() {
          yield Array(10_000).fill('192.0.2.1');
          throw new Error('database gone');
        },
      },
    });
    await expect(answerOf(sendTo(port))).rejects.toThrow('aborted');
  });

  test('whose client disconnects stops reading from the database', async () => {
    const ended = gate();
    const { port } = await serve({
      blockedSet: {
        async *listTexts() {
          try {
            for (;;) yield Array(10_000).fill('192.0.2.1');
          } finally {
            ended.open();
          }
        },
      },
    });
    const sent = sendTo(port);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
    response.destroy();
    await ended.opened;
  });
});

describe('invalid HTTP', () => {
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['headers too large', `GET /livez HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`, 413],
    ['a length that is none', 'POST /api/config/reload HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n', 400],
    [
      'two framings',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
  ])('%s gets a problem document, and its connection is closed', async (_name, bytes, status) => {
    const { port } = await serve();
    const answer = await raw(port, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer.toLowerCase()).toContain('content-type: application/problem+json');
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
    expect(answer).toContain(`x-request-id: ${body.request_id}`);
    expect(body.status).toBe(status);
  });

  test('returns 408 for a request that is not complete in time', async () => {
    const { port } = await serve({}, { timeouts: { headers: 50, request: 100 } });
    const socket = connect(port, '127.0.0.1');
    socket.write('POST /api/config/reload HTTP/1.1\r\nhost: a\r\n');
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1.1 408 .*"code":6013/s);
  });
});

describe('a shutdown', () => {
  test('completes requests in progress, closes their and idle connections, and accepts no new ones', async () => {
    const working = gate();
    const asked = gate();
    const { port, listening } = await serve({
      configuration: {
        diff: async () => {
          asked.open();
          await working.opened;
          return NO_DIFF;
        },
      },
    });
    const agent = new Agent({ keepAlive: true });
    const idle = request({ port, agent, path: '/livez' }).end();
    await answerOf(idle);
    const idleClosed = once(idle.socket!, 'close');
    const busy = request({
      port,
      agent: new Agent({ keepAlive: true }),
      path: '/api/config/diff',
      headers: BEARER,
    }).end();
    await asked.opened;

    const closed = listening.close(60_000);
    await idleClosed;
    const refused = request({ port, path: '/livez', agent: false }).end();
    expect(((await once(refused, 'error')) as [NodeJS.ErrnoException])[0].code).toBe('ECONNREFUSED');

    working.open();
    const answer = await answerOf(busy);
    expect(answer).toMatchObject({ status: 200, headers: { connection: 'close' } });
    expect(await closed).toBe(0);
    open.splice(0);
  });

  test('cuts connections that do not end, and returns their number', async () => {
    const asked = gate();
    const { port, listening } = await serve({
      configuration: {
        diff: () => {
          asked.open();
          return new Promise(() => undefined);
        },
      },
    });
    const stuck = request({ port, path: '/api/config/diff', headers: BEARER }).end();
    const reset = once(stuck, 'error');
    await asked.opened;
    expect(await listening.close(10)).toBe(1);
    await reset;
    open.splice(0);
  });
});

describe('listening on a path', () => {
  const on = async (path: string) => {
    const { app } = stubApp();
    try {
      const listening = await listen(app, { path });
      open.push(listening);
      return listening;
    } catch (error) {
      await app.close();
      throw error;
    }
  };

  test('has mode 660, and removes the socket at the end', async () => {
    const path = join(folder, 'api.sock');
    const mask = process.umask();
    const listening = await on(path);
    expect(listening.url).toBe(`unix:${path}`);
    expect((await stat(path)).mode & 0o777).toBe(0o660);
    expect(process.umask()).toBe(mask);
    expect((await answerOf(request({ socketPath: path, path: '/livez' }).end())).body).toBe('alive');
    await listening.close(0);
    open.splice(0);
    expect(existsSync(path)).toBe(false);
  });

  test('replaces the socket of a killed service', async () => {
    const path = join(folder, 'api.sock');
    const live = join(folder, 'live.sock');
    const dead = createServer().listen(live);
    await once(dead, 'listening');
    // Renamed, because closing would remove it: a killed service leaves its file.
    const { rename } = await import('node:fs/promises');
    await rename(live, path);
    dead.close();
    await once(dead, 'close');
    expect(existsSync(path)).toBe(true);
    await on(path);
    expect((await answerOf(request({ socketPath: path, path: '/livez' }).end())).body).toBe('alive');
  });

  test('does not replace the socket of a running service', async () => {
    const path = join(folder, 'api.sock');
    await on(path);
    await expect(on(path)).rejects.toThrow(`another service listens on ${path}`);
    expect((await answerOf(request({ socketPath: path, path: '/livez' }).end())).body).toBe('alive');
  });

  test.each(['a file', 'a link'])('refuses to remove %s', async (kind) => {
    const path = join(folder, 'api.sock');
    if (kind === 'a file') await writeFile(path, 'precious');
    else await symlink('/dev/null', path);
    await expect(on(path)).rejects.toThrow('is not a socket');
    expect(existsSync(path)).toBe(true);
  });
});

test('a port in use is an error, and IPv6 has its brackets', async () => {
  const { listening } = await serve();
  const { app } = stubApp();
  const port = Number(new URL(listening.url).port);
  await expect(listen(app, { host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await app.close();
  const six = stubApp();
  const onSix = await listen(six.app, { host: '::1', port: 0 });
  open.push(onSix);
  expect(onSix.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
});
