// When the writer falls behind, further changes are rejected with 503 and `Retry-After` instead of being queued.
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, untilPasses } from '../testkit/conditions.ts';
import { describeOnOneProxy, longTests } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

describeOnOneProxy('back-pressure', ({ bin }) => {
  let service: RealService;
  beforeAll(async () => {
    service = await RealService.start({ bin });
  });
  afterAll(() => service?.stop());

  test('answers thousands of blocks with 503 while the database is locked, and applies none of them in part', async () => {
    await service.healthy();
    const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });
    const block = (index: number): Promise<{ status: number; retryAfter: string | undefined }> =>
      new Promise((resolve, reject) => {
        const sent = request(
          {
            port: service.apiPort,
            method: 'POST',
            path: '/api/blocked-ips',
            agent,
            headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
          },
          (answer) =>
            answer
              .resume()
              .once('end', () =>
                resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] }),
              ),
        );
        sent.once('error', reject);
        sent.end(JSON.stringify({ ip_address: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` }));
      });

    const holder = new Database(service.paths.database, { timeout: 5_000 });
    holder.exec('BEGIN IMMEDIATE');
    // Each is answered while the database is still locked: the service queues none of them.
    const answers = await Promise.all(Array.from({ length: longTests ? 5_000 : 1_500 }, (_, index) => block(index)));
    holder.exec('ROLLBACK');
    holder.close();

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    expect(answers.every(({ retryAfter }) => Number(retryAfter) >= 1)).toBe(true);
    await eventually('blocks are taken again', async () => (await service.block('192.0.2.1')).status === 201);
    await service.healthy();
    expect(await service.listed()).toEqual(['192.0.2.1']);
    expect(await service.fileEntries()).toEqual(['192.0.2.1 1']);
    expect(await service.runningMap()).toEqual(['192.0.2.1 1']);
    agent.destroy();
  });

  test('answers every client of a burst that waited for a delayed service', async () => {
    await service.healthy();
    const answers: string[] = [];
    let connected = 0;
    process.kill(service.pid, 'SIGSTOP');
    try {
      for (let n = 0; n < 1_000; n += 1) {
        const socket = connect(service.apiPort, '127.0.0.1', () => {
          connected += 1;
          socket.write('GET /api/trusted-ips HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
        });
        let text = '';
        socket.on('data', (bytes) => {
          text += bytes.toString();
        });
        socket.once('error', (error) => answers.push(error.message));
        socket.once('end', () => answers.push(text.slice(0, 'HTTP/1.1 401'.length)));
      }
      // The kernel accepts them for the service, which has room for each.
      await untilPasses(() => expect(connected).toBe(1_000));
    } finally {
      process.kill(service.pid, 'SIGCONT');
    }
    await untilPasses(() => expect(answers.length).toBe(1_000));
    expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 401']));
  });
});
