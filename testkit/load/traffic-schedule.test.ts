// Against a TCP server that answers, stalls, cuts and resets as scripted.
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventually, settled } from '../conditions.ts';
import { freePort } from '../free-port.ts';
import { stopTime } from '../stop-time.ts';
import { AnswerReader } from './traffic-answer.ts';
import { Connection } from './traffic-connection.ts';
import { LoadGenerator } from './traffic-loader.ts';
import { OpenLoop } from './traffic-schedule.ts';

const good = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const last = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok';

interface Scripted {
  readonly port: number;
  readonly requests: string[];
  readonly sockets: Set<Socket>;
}

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const end of ends.splice(0)) await end();
});

/** Calls `answer` for each request, with its number from 0. */
async function serve(answer: (socket: Socket, number: number) => void): Promise<Scripted> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      requests.push(bytes.toString('latin1'));
      answer(socket, requests.length - 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, requests, sockets };
}

function connection(port: number, keep = true, timeoutMs = 5_000): Connection {
  const made = new Connection({ port, host: 'localhost', timeoutMs }, keep);
  ends.push(async () => made.close());
  return made;
}

const ask = (asked: Connection) => asked.ask(performance.now());

describe('a request', () => {
  it.each<[string, (socket: Socket) => void, object | null]>([
    ['answered whole', (socket) => socket.write(good), null],
    ['answered as the last of its connection', (socket) => socket.end(last), null],
    [
      'answered with another status',
      (socket) => socket.write(good.replace('200', '403')),
      { cause: 'status', detail: '403' },
    ],
    ['reset', (socket) => socket.resetAndDestroy(), { cause: 'reset', detail: 'ECONNRESET' }],
    ['closed without a word', (socket) => socket.end(), { cause: 'closed', detail: 'closed in order' }],
    [
      'cut off in the head',
      (socket) => socket.end(good.slice(0, 12)),
      { cause: 'truncated', detail: 'closed in order' },
    ],
    [
      'cut off in the body',
      (socket) => socket.end(good.slice(0, -1)),
      { cause: 'truncated', detail: 'closed in order' },
    ],
    ['answered with something else', (socket) => socket.write('220 mail ready\r\n\r\n'), { cause: 'garbled' }],
  ])('that is %s', async (_, answer, expected) => {
    const { port } = await serve(answer);
    const outcome = await ask(connection(port));
    if (expected === null) expect(outcome).toBeNull();
    else expect(outcome).toMatchObject(expected);
  });

  it('that is cut off by a reset is truncated', async () => {
    const read = vi.spyOn(AnswerReader.prototype, 'push');
    const { port, sockets } = await serve((socket) => socket.write(good.slice(0, 20)));
    const outcome = ask(connection(port));
    // Read before the reset arrives, or the kernel discards the bytes.
    await eventually('it began to be read', () => read.mock.calls.length > 0);
    for (const socket of sockets) socket.resetAndDestroy();
    expect(await outcome).toEqual({ cause: 'truncated', detail: 'ECONNRESET' });
  });

  it('to a port without a listener is refused', async () => {
    expect(await ask(connection(await freePort()))).toEqual({ cause: 'refused', detail: 'ECONNREFUSED' });
  });

  it('that is not answered times out, from its scheduled time on', async () => {
    using time = stopTime();
    const { port } = await serve(() => undefined);
    let ended = false;
    const outcome = connection(port, true, 300)
      .ask(performance.now() - 200)
      .finally(() => {
        ended = true;
      });
    await time.pass(99);
    await settled();
    expect(ended).toBe(false);
    await time.pass(1);
    expect(await outcome).toMatchObject({ cause: 'time-out' });
  });

  it('reconnects without a failure if its idle connection was closed', async () => {
    const { port, sockets } = await serve((socket) => socket.write(good));
    const kept = connection(port);
    expect(await ask(kept)).toBeNull();
    expect(await ask(kept)).toBeNull();
    expect(kept.opened).toBe(1);
    for (const socket of sockets) socket.end();
    await eventually('its end arrived and was answered', () => sockets.size === 0);
    expect(await ask(kept)).toBeNull();
    expect(kept.opened).toBe(2);
  });

  it('reconnects after `connection: close`, although the server keeps the connection open', async () => {
    const { port } = await serve((socket) => socket.write(last));
    const kept = connection(port);
    expect(await ask(kept)).toBeNull();
    expect(await ask(kept)).toBeNull();
    expect(kept.opened).toBe(2);
  });

  it('that is lost with its kept connection is a failure', async () => {
    const { port } = await serve((socket, number) => (number === 0 ? socket.write(good) : socket.end()));
    const kept = connection(port);
    expect(await ask(kept)).toBeNull();
    expect(await ask(kept)).toMatchObject({ cause: 'closed' });
    expect(kept.opened).toBe(1);
  });
});

describe('the open loop', () => {
  const plan = (port: number) => ({
    port,
    host: 'localhost',
    timeoutMs: 5_000,
    keepAlive: { perSecond: 200, connections: 2 },
    fresh: { perSecond: 100 },
  });
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  it('keeps its rate however long answers take, for both kinds separately', async () => {
    using time = stopTime();
    const { port, requests } = await serve((socket) => setTimeout(() => socket.write(good), 5));
    const loop = new OpenLoop(plan(port));
    await time.during(loop.start());
    await time.during(pause(500));
    const { keepAlive, fresh, all, durationMs, reconnects } = await time.during(loop.stop());
    expect(Math.abs(keepAlive.sent - durationMs / 5)).toBeLessThan(3);
    expect(Math.abs(fresh.sent - durationMs / 10)).toBeLessThan(3);
    expect(all).toMatchObject({ sent: keepAlive.sent + fresh.sent, failed: 0 });
    expect(reconnects).toBe(0);
    expect(requests.filter((text) => text.includes('Connection: close')).length).toBe(fresh.sent);
    expect(keepAlive.p50).toBeGreaterThanOrEqual(4);
  });

  it('lets requests wait for a kept connection, and counts that in their latency and in the pause', async () => {
    using time = stopTime();
    let stalled: (() => void)[] | null = null;
    const { port } = await serve((socket, number) => {
      // The first two open the connections; the rest hangs until released.
      if (number < 2) socket.write(good);
      else if (stalled === null) socket.write(good);
      else stalled.push(() => socket.write(good));
    });
    const loop = new OpenLoop({ ...plan(port), fresh: { perSecond: 1 } });
    await loop.start();
    stalled = [];
    await time.during(pause(400));
    const waiting = stalled;
    stalled = null;
    for (const answer of waiting) answer();
    const { keepAlive } = await loop.stop();
    // Two were sent and held; those behind them were not, but waited all the same.
    expect(waiting.length).toBeLessThanOrEqual(3);
    expect(keepAlive.failed).toBe(0);
    expect(keepAlive.pause.ms).toBeGreaterThan(350);
    expect(keepAlive.p50).toBeGreaterThan(100);
    expect(keepAlive.sent).toBeGreaterThan(70);
  });

  it('counts connections closed between two requests as reconnects', async () => {
    using time = stopTime();
    const { port } = await serve((socket) => socket.end(last));
    const loop = new OpenLoop(plan(port));
    await loop.start();
    await time.during(pause(100));
    const { keepAlive, reconnects } = await loop.stop();
    expect(keepAlive.failed).toBe(0);
    expect(reconnects).toBe(keepAlive.sent);
  });

  it('reports its own lateness', async () => {
    using time = stopTime();
    const { port } = await serve((socket) => socket.write(good));
    const loop = new OpenLoop(plan(port));
    await loop.start();
    await time.during(pause(50));
    time.standStill(150);
    await time.during(pause(50));
    const { own } = await loop.stop();
    expect(own.longest).toBeGreaterThan(130);
  });

  it('does not start without an answer', async () => {
    await expect(new OpenLoop(plan(await freePort())).start()).rejects.toThrow('refused');
  });
});

describe('the load generator', () => {
  it('runs in a process of its own, reports, and ends', async () => {
    const { port } = await serve((socket) => socket.write(good));
    const generator = await LoadGenerator.start();
    ends.push(() => generator.stop());
    const load = {
      port,
      host: 'localhost',
      timeoutMs: 5_000,
      keepAlive: { perSecond: 100, connections: 2 },
      fresh: { perSecond: 50 },
    };
    const { result, load: report } = await generator.during(load, 100, async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return 'done';
    });
    expect(result).toBe('done');
    expect(report.durationMs).toBeGreaterThan(290);
    expect(report.all).toMatchObject({ failed: 0 });
    await expect(generator.during(load, 0, () => Promise.reject(new Error('work failed')))).rejects.toThrow(
      'work failed',
    );
    const again = await generator.during(load, 0, async () => 'again');
    expect(again.result).toBe('again');
    await expect(generator.during({ ...load, port: await freePort() }, 0, async () => null)).rejects.toThrow('refused');
  });
});
