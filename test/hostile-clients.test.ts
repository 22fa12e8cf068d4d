// Slow, endless, silent and greedy clients at once: connections stay bounded, limits answer, and blocks are answered.
// Latency is measured by the bench and `npm run chaos:load`, memory only by `npm run test:long`.
import { readdir, readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../testkit/conditions.ts';
import { type HostileClient, type HostileOptions, hostileClient } from '../testkit/hostile-clients.ts';
import { describeOnOneProxy, longTests } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { expectAgreement } from '../testkit/traffic.ts';

const blocksMeanwhile = longTests ? 50 : 20;
/** Most of the processor time is that of the clients. */
const share = longTests ? 1 : 1 / 5;

const services: RealService[] = [];
const clients: HostileClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.stop();
  for (const service of services.splice(0)) await service.stop();
});

async function start(bin: string): Promise<RealService> {
  const service = await RealService.start({ bin });
  services.push(service);
  return service;
}

async function memoryMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

async function descriptors(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length;
}

function many(count: number, port: number, options: HostileOptions): HostileClient[] {
  const made = Array.from({ length: count }, () => hostileClient(port, options));
  clients.push(...made);
  return made;
}

/** For a mixture of many kinds. */
function some(count: number, port: number, options: HostileOptions): HostileClient[] {
  return many(Math.ceil(count * share), port, options);
}

/** Blocks addresses one after the other while `underWay`; returns them. */
async function blockWhile(service: RealService, underWay: (blocked: number) => Promise<boolean>): Promise<string[]> {
  const blocked: string[] = [];
  while (await underWay(blocked.length)) {
    const ip = `10.9.${(blocked.length >> 8) & 255}.${blocked.length & 255}`;
    const answer = await service.block(ip);
    expect(answer.status, answer.text).toBeLessThan(202);
    blocked.push(ip);
  }
  return blocked;
}

describeOnOneProxy('hostile clients', ({ bin }) => {
  test('limits slow, endless and greedy clients, and serves all others', async () => {
    const service = await start(bin);
    const { apiPort: port, pid } = service;
    const key = `authorization: Bearer ${service.key}\r\n`;
    const list = Array.from(
      { length: longTests ? 20_000 : 4_000 },
      (_, index) => `10.${index >> 14}.${(index >> 7) & 127}.${index & 127}`,
    );
    await service.call('PUT', '/api/blocked-ips', { raw: list.join('\n'), contentType: 'text/plain' });
    await service.healthy();
    const restDescriptors = await descriptors(pid);
    const restMemory = await memoryMb(pid);

    const put = (headers: string) =>
      `PUT /api/blocked-ips HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\n${headers}`;
    const comment = `${'# a line of a list that never ends\n'.repeat(500)}`;
    const chunk = `${comment.length.toString(16)}\r\n${comment}\r\n`;

    some(200, port, {});
    some(100, port, { first: 'GET /livez HTTP/1.1\r\nx-a: ', again: 'a', everyMs: 100 });
    const slowBodies = some(100, port, { first: put('content-length: 10000000000\r\n\r\n'), again: '#', everyMs: 100 });
    const slowWrong = some(20, port, {
      first: put('authorization: Bearer wrong-key-of-some-length\r\ntransfer-encoding: chunked\r\n\r\n'),
      again: '1\r\n#\r\n',
      everyMs: 100,
    });
    some(20, port, { first: put(`${key}content-length: 10000000000\r\n\r\n`), again: '#', everyMs: 100 });
    const endlessHeaders = some(5, port, {
      first: 'GET /livez HTTP/1.1\r\n',
      again: 'x-a: aaaaaaaaaaaaaaaaaaa\r\n',
      everyMs: 1,
    });
    const oneLine = some(2, port, {
      first: put(`${key}content-length: 1073741824\r\n\r\n`),
      again: 'x'.repeat(65_536),
      everyMs: 5,
    });
    const bigJson = some(2, port, {
      first: `POST /api/blocked-ips HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${key}content-length: 1073741824\r\n\r\n`,
      again: ' '.repeat(65_536),
      everyMs: 5,
    });
    some(1, port, { first: put(`${key}transfer-encoding: chunked\r\n\r\n`), again: chunk, everyMs: 1 });
    some(4, port, { again: 'GET /livez HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(200), everyMs: 10, reads: false });
    some(4, port, { again: 'GET /api/keys HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(200), everyMs: 10, reads: false });
    some(20, port, {
      first: `GET /api/blocked-ips HTTP/1.1\r\nhost: a\r\naccept: text/plain\r\n${key}\r\n`.repeat(20),
      reads: false,
    });
    const halfClosed = some(50, port, { first: put(`${key}content-length: 100\r\n\r\n10.1.1.1\n`), halfCloses: true });

    const answered = [...slowBodies, ...slowWrong, ...endlessHeaders];
    const blocked = await blockWhile(service, async (count) => {
      // The peak that the design allows.
      if (longTests) expect(await memoryMb(pid), `from ${restMemory} MB`).toBeLessThan(500);
      // Clients that disconnect in the middle of a body.
      for (const aborting of some(5, port, { first: put(`${key}content-length: 100\r\n\r\n10.1.1.1\n`) })) {
        setImmediate(() => aborting.stop());
      }
      return count < blocksMeanwhile || answered.some(({ closed }) => !closed);
    });

    for (const client of [...slowBodies, ...slowWrong]) {
      expect(client.text()).toMatch(/^HTTP\/1.1 401 /);
      expect(client.closed).toBe(true);
    }
    for (const client of endlessHeaders) expect(client.text()).toMatch(/^HTTP\/1.1 413 /);
    for (const client of [...oneLine, ...bigJson]) expect(client.text()).toMatch(/^(HTTP\/1.1 413 |$)/);
    for (const client of halfClosed) expect(client.text()).toMatch(/^(HTTP\/1.1 400 |$)/);

    for (const client of clients.splice(0)) client.stop();
    await eventually('the descriptors are free again', async () => (await descriptors(pid)) <= restDescriptors + 5);
    await service.healthy();
    await expectAgreement(service, [...list, ...blocked]);
  });

  test('limits thousands of silent clients, and keeps connections free for others', async () => {
    const service = await start(bin);
    const { apiPort: port, pid } = service;
    const rest = await descriptors(pid);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const keep = (): Promise<boolean> =>
      new Promise((resolve, reject) => {
        const sent = request(
          { port, path: '/api/keys', agent, headers: { authorization: `Bearer ${service.key}` } },
          (answer) => answer.resume().once('end', () => resolve(sent.reusedSocket)),
        );
        sent.once('error', reject).end();
      });
    expect(await keep()).toBe(false);

    let opened = 0;
    const blocked = await blockWhile(service, async () => {
      many(250, port, {});
      opened += 250;
      return opened <= 3_000;
    });
    expect(await keep(), 'a connection with a valid key outlives them').toBe(true);
    expect(await descriptors(pid)).toBeLessThan(rest + 2_048 + 20);
    if (longTests) expect(await memoryMb(pid)).toBeLessThan(350);
    await service.healthy();
    await expectAgreement(service, blocked);
    agent.destroy();
  });
});
