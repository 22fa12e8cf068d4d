// A service without free file descriptors keeps its open connections, reports what fails, and recovers by itself.
import { Agent, request as httpRequest } from 'node:http';
import { expect, it } from 'vitest';
import { forbidOpening } from '../testkit/file-limit.ts';
import { describeOnOneProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { expectAgreement } from '../testkit/traffic.ts';

/** Calls over one connection that was opened before. */
class KeptConnection {
  readonly #service: RealService;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(service: RealService) {
    this.#service = service;
  }

  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
    const { apiPort, key } = this.#service;
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: apiPort, method, path, headers, agent: this.#agent };
      const request = httpRequest(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) }),
        );
      });
      request.once('error', reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

describeOnOneProxy('a service without a free file descriptor', ({ bin }) => {
  it('answers correctly on its open connections, and accepts new ones once descriptors are free', async () => {
    const service = await RealService.start({ bin });
    const client = new KeptConnection(service);
    try {
      await service.healthy();
      await service.block('127.1.0.1');
      expect((await client.call('GET', '/health')).status).toBe(200);
      const { pid } = service;
      const proxies = await service.proxyPids();
      let newcomer = Promise.resolve(0);
      const allow = await forbidOpening(pid);
      try {
        for (let nth = 2; nth < 6; nth += 1) {
          // Answered while no file can be opened.
          const block = await client.call('POST', '/api/blocked-ips', { ip_address: `127.1.0.${nth}` });
          expect(block, JSON.stringify(block)).toMatchObject({
            status: 201,
            body: { runtime_map_updated: false, runtime_map_failures_total: 1, reload_scheduled: true },
          });
        }
        const health = await client.call('GET', '/health');
        expect(health, JSON.stringify(health)).toMatchObject({
          status: 503,
          body: { status: 'degraded', database: { status: 'ok' } },
        });
        expect(JSON.stringify(health.body['reasons'])).toContain('file descriptor');
        expect((await client.call('GET', '/api/blocked-ips')).body).toMatchObject({ total: 5 });
        // No descriptor is free to accept it: it waits or is cut off.
        newcomer = service.call('GET', '/livez', { key: null }).then(
          ({ status }) => status,
          () => 0,
        );
        const reload = await client.call('POST', '/api/config/reload');
        expect(reload.status, JSON.stringify(reload)).toBe(503);
        expect(await service.visit('127.1.0.1')).toBe(403);
        expect(await service.visit('127.0.9.9')).toBe(200);
      } finally {
        await allow();
      }
      await service.healthy();
      expect([0, 200]).toContain(await newcomer);
      expect(service.pid).toBe(pid);
      expect(await service.proxyPids()).toEqual(expect.arrayContaining(proxies.slice(0, 1)));
      await expectAgreement(
        service,
        [1, 2, 3, 4, 5].map((nth) => `127.1.0.${nth}`),
      );
      expect(await service.visit('127.1.0.5')).toBe(403);
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${await service.logText()}`, { cause: error });
    } finally {
      client.close();
      await service.stop();
    }
  });
});
