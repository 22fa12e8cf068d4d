// Slow, endless, silent and greedy clients, all at once, against the real service: memory and descriptors stay bounded,
// the limits answer, and the rest is served meanwhile: a block within two seconds throughout.
import { readdir, readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../testkit/conditions.ts';
import { type HostileClient, type HostileOptions, hostileClient } from '../testkit/hostile-clients.ts';
import { describeOnOneProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

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

/** Blocks addresses one after the other while `underWay`; the longest a block took, in milliseconds. */
async function longestBlock(service: RealService, underWay: () => Promise<boolean> | boolean): Promise<number> {
  let longest = 0;
  for (let index = 0; await underWay(); index += 1) {
    const begun = performance.now();
    const answer = await service.block(`10.9.${(index >> 8) & 255}.${index & 255}`);
    longest = Math.max(longest, performance.now() - begun);
    expect(answer.status, answer.text).toBeLessThan(202);
    expect(answer.body['runtime_map_updated']).toBe(true);
  }
  return longest;
}

describeOnOneProxy('hostile clients', ({ bin }) => {
  test('slow, endless and greedy ones are bounded, and everybody else is served', { timeout: 90_000 }, async () => {
    const service = await start(bin);
    const { apiPort: port, pid } = service;
    const key = `authorization: Bearer ${service.key}\r\n`;
    const list = Array.from({ length: 20_000 }, (_, index) => `10.${index >> 14}.${(index >> 7) & 127}.${index & 127}`);
    await service.call('PUT', '/api/blocked-ips', { raw: list.join('\n'), contentType: 'text/plain' });
    await service.healthy();
    const restDescriptors = await descriptors(pid);
    const restMemory = await memoryMb(pid);

    const put = (headers: string) =>
      `PUT /api/blocked-ips HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\n${headers}`;
    const comment = `${'# a line of a list that never ends\n'.repeat(500)}`;
    const chunk = `${comment.length.toString(16)}\r\n${comment}\r\n`;

    many(200, port, {});
    many(100, port, { first: 'GET /livez HTTP/1.1\r\nx-a: ', again: 'a', everyMs: 100 });
    const slowBodies = many(100, port, { first: put('content-length: 10000000000\r\n\r\n'), again: '#', everyMs: 100 });
    const slowWrong = many(20, port, {
      first: put('authorization: Bearer wrong-key-of-some-length\r\ntransfer-encoding: chunked\r\n\r\n'),
      again: '1\r\n#\r\n',
      everyMs: 100,
    });
    many(20, port, { first: put(`${key}content-length: 10000000000\r\n\r\n`), again: '#', everyMs: 100 });
    const endlessHeaders = many(5, port, {
      first: 'GET /livez HTTP/1.1\r\n',
      again: 'x-a: aaaaaaaaaaaaaaaaaaa\r\n',
      everyMs: 1,
    });
    const oneLine = many(2, port, {
      first: put(`${key}content-length: 1073741824\r\n\r\n`),
      again: 'x'.repeat(65_536),
      everyMs: 5,
    });
    const bigJson = many(2, port, {
      first: `POST /api/blocked-ips HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${key}content-length: 1073741824\r\n\r\n`,
      again: ' '.repeat(65_536),
      everyMs: 5,
    });
    many(1, port, { first: put(`${key}transfer-encoding: chunked\r\n\r\n`), again: chunk, everyMs: 1 });
    many(4, port, { again: 'GET /livez HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(200), everyMs: 10, reads: false });
    many(4, port, { again: 'GET /api/keys HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(200), everyMs: 10, reads: false });
    many(20, port, {
      first: `GET /api/blocked-ips HTTP/1.1\r\nhost: a\r\naccept: text/plain\r\n${key}\r\n`.repeat(20),
      reads: false,
    });
    const halfClosed = many(50, port, { first: put(`${key}content-length: 100\r\n\r\n10.1.1.1\n`), halfCloses: true });

    let most = 0;
    const begun = performance.now();
    const longest = await longestBlock(service, async () => {
      most = Math.max(most, await memoryMb(pid));
      // In mid-body, again and again.
      for (const aborting of many(5, port, { first: put(`${key}content-length: 100\r\n\r\n10.1.1.1\n`) })) {
        setImmediate(() => aborting.stop());
      }
      return performance.now() - begun < 7_000 || slowBodies.some(({ closed }) => !closed);
    });

    expect(longest).toBeLessThan(2_000);
    // The peak that the design allows the service at all.
    expect(most, `from ${restMemory} MB`).toBeLessThan(500);
    for (const client of [...slowBodies, ...slowWrong]) {
      expect(client.text()).toMatch(/^HTTP\/1.1 401 /);
      expect(client.closed).toBe(true);
    }
    for (const client of endlessHeaders) expect(client.text()).toMatch(/^HTTP\/1.1 413 /);
    for (const client of [...oneLine, ...bigJson]) expect(client.text()).toMatch(/^(HTTP\/1.1 413 |$)/);
    for (const client of halfClosed) expect(client.text()).toMatch(/^(HTTP\/1.1 400 |$)/);

    for (const client of clients.splice(0)) client.stop();
    await eventually('the descriptors are free again', async () => (await descriptors(pid)) <= restDescriptors + 5);
    expect(await service.listed()).toEqual(expect.arrayContaining(list.slice(0, 100)));
    expect((await service.health()).body['status']).toBe('ok');
  });

  test('thousands that never speak take no more than their room, and no place of those who do', {
    timeout: 60_000,
  }, async () => {
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
    const longest = await longestBlock(service, async () => {
      many(250, port, {});
      opened += 250;
      return opened <= 4_000;
    });
    expect(longest).toBeLessThan(2_000);
    expect(await keep(), 'a connection with a valid key outlives them').toBe(true);
    expect(await descriptors(pid)).toBeLessThan(rest + 2_048 + 20);
    expect(await memoryMb(pid)).toBeLessThan(350);
    agent.destroy();
  });
});
