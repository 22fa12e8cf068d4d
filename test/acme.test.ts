// Certificates of a real authority, ordered as an operator does.

import { X509Certificate } from 'node:crypto';
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithPebble, Pebble } from '../testkit/acme/pebble.ts';
import { CommandLineUser } from '../testkit/command-line-user.ts';
import { eventually } from '../testkit/conditions.ts';
import { type EventStream, listenTo } from '../testkit/event-stream.ts';
import { freePort } from '../testkit/free-port.ts';
import { describeOnNewestProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { servedSha1 } from '../testkit/tls/made-certificate.ts';
import { startUpstream, type Upstream } from '../testkit/upstream.ts';

const shop = 'shop.example.com';
/** The authority's own address too. */
const blocked = '127.0.0.1';

describeWithPebble('an authority', () => {
  describeOnNewestProxy('asked by the service', ({ bin }) => {
    let pebble: Pebble;
    let service: RealService;
    let server: Upstream;
    let user: CommandLineUser;
    let events: EventStream;
    const [ports] = [{ http: 0, https: 0 }];
    beforeAll(async () => {
      Object.assign(ports, { http: await freePort(), https: await freePort() });
      server = await startUpstream(shop);
      pebble = await Pebble.start({ httpPort: ports.http, refusedNonces: 50, refusedDomains: ['blocked.example.com'] });
      service = await RealService.start({
        bin,
        environment: {
          PROXY_MANAGER_HTTP_BIND: `127.0.0.1:${ports.http}`,
          PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${ports.https}`,
          PROXY_MANAGER_HTTPS_PUBLIC_PORT: String(ports.https),
          ...(await pebble.settings()),
          PROXY_MANAGER_ACME_CONTACT: 'ops@example.com',
        },
      });
      user = new CommandLineUser(service);
      events = await listenTo(service);
    });
    afterAll(async () => {
      events?.close();
      await service?.stop();
      await pebble?.stop();
      await server?.stop();
    });
    const event = (type: string, about: RegExp) => {
      const found = events.text.split('\n\n').find((one) => one.includes(`event: ${type}\n`) && about.test(one));
      return found === undefined ? null : JSON.parse(/^data: (.*)$/m.exec(found)?.[1] ?? '').data;
    };
    const visit = (path: string, from: string) =>
      new Promise<{ status: number; location: string | undefined }>((resolve, reject) => {
        const options = { host: '127.0.0.1', port: ports.http, localAddress: from, path, agent: false as const };
        get({ ...options, headers: { host: shop } }, (response) => {
          response.resume();
          resolve({ status: response.statusCode ?? 0, location: response.headers.location });
        }).once('error', reject);
      });

    it('issues a certificate although it is blocked itself, and the site redirects once it is served', async () => {
      expect((await service.block(blocked)).status).toBe(201);
      const ran = await user.process(['site', 'set', shop, `127.0.0.1:${server.port},check=false`, '--https']);
      expect([ran.code, ran.err], ran.out).toEqual([0, '']);
      expect(ran.out).toMatch(/^shop\.example\.com: the certificate is served$/m);
      expect(ran.out).toMatch(/issued, valid until/);
      expect(ran.out).toMatch(/^shop\.example\.com: redirect auto, HSTS off$/m);
      const [id = ''] = /c-[a-z2-7]{10}/.exec(ran.out) ?? [];
      const chain = await service.call('GET', `/api/certificates/${id}/chain`);
      const leaf = new X509Certificate(chain.text);
      expect(leaf.subjectAltName).toBe(`DNS:${shop}`);
      expect(await servedSha1(ports.https, shop)).toBe(leaf.fingerprint.replaceAll(':', ''));
      expect(await visit('/a', '127.0.0.2')).toEqual({ status: 301, location: `https://${shop}:${ports.https}/a` });
      expect((await visit('/a', blocked)).status).toBe(403);
      expect((await visit('/.well-known/acme-challenge/DGyRejmCefe7v4NfDGDKfA', blocked)).status).toBe(403);
      const [running] = await service.raw(`@1 show map ${service.paths.prefix}/etc/proxy/acme_challenges.map`);
      expect(running?.trim()).toBe('');
      const end = new Date(leaf.validTo).toISOString();
      const issued = await eventually('the event arrives', () => event('certificate.issued', /./));
      expect(issued).toEqual({ id, names: [shop], directory: pebble.directory, not_after: end });
      await service.healthy();
    });

    it('gets no order for a site that has a certificate', async () => {
      const ran = await user.run(['site', 'set', shop, '--https']);
      expect([ran.code, ran.err]).toEqual([0, '']);
      expect(ran.out).not.toMatch(/order/);
    });

    it('gets an order for the names of a site that have none, and for no others', async () => {
      const ran = await user.run(['site', 'set', shop, '--names', `www.${shop}`, '--https']);
      expect([ran.code, ran.err], ran.out).toEqual([0, '']);
      expect(ran.out).toMatch(/^c-[a-z2-7]{10}: www\.shop\.example\.com$/m);
      const answer = await service.call('GET', `/api/sites/${shop}/tls`);
      expect(answer.body).toMatchObject({ names_without_certificate: [], in_force: true });
      await service.healthy();
    });

    it('refuses a name in its own words, with what to do, and the redirect does not begin', async () => {
      const ran = await user.run(['site', 'set', 'blocked.example.com', `127.0.0.1:${server.port}`, '--https']);
      expect(ran.code).toBe(3);
      expect(ran.out).toMatch(/needs attention: .*blocked\.example\.com/);
      const [id = ''] = /c-[a-z2-7]{10}/.exec(ran.out) ?? [];
      const orders = await user.run(['certificate', 'orders', id]);
      expect(orders.out).toMatch(/^ {2}no certificate was issued yet$/m);
      expect(orders.out).toMatch(/^ {2}next order: .*in .*, after a failed order$/m);
      expect((await user.run(['certificate', 'orders'])).out).toMatch(/^\d certificates, 1 with a problem$/m);
      const failing = await eventually('the event arrives', () => event('certificate.failing', /./));
      expect(failing).toMatchObject({ id, class: 'needs attention', type: 'rejectedIdentifier', failures: 1 });
      const { body } = await service.health();
      expect(body).toMatchObject({ status: 'ok' });
      expect(body['notices']).toContainEqual(
        expect.stringMatching(
          new RegExp(`^certificate ${id} of blocked\\.example\\.com is not issued: needs attention:`),
        ),
      );
      const metrics = (await service.call('GET', '/metrics')).text;
      expect(metrics).toMatch(/^proxy_manager_acme_certificates\{state="ok"\} 2$/m);
      expect(metrics).toMatch(/^proxy_manager_acme_certificates\{state="needs_attention"\} 1$/m);
      expect(metrics).toMatch(/^proxy_manager_acme_orders_total\{result="issued"\} 2$/m);
      expect(metrics).toMatch(/^proxy_manager_acme_requests_total\{operation="createOrder",result="refused"\} 1$/m);
      const offset = Number(/^proxy_manager_acme_clock_offset_seconds (.*)$/m.exec(metrics)?.[1]);
      expect(Math.abs(offset)).toBeLessThan(10);
      expect(metrics).toMatch(/^proxy_manager_acme_waiting_since_timestamp_seconds \d/m);
    });

    it('renews a certificate on request, with redirect and HSTS, without a reload, and answers nothing else meanwhile', async () => {
      const hsts = await user.run(['site', 'tls', shop, '--hsts', '1h']);
      expect([hsts.code, hsts.err], hsts.out).toEqual([0, '']);
      const before = await servedSha1(ports.https, shop);
      const worker = await service.workerPid();
      const { body } = await service.call('GET', `/api/certificates?q=${shop}`);
      const renewed = user.run(['certificate', 'renew', body['items'][0].id]);
      const isOver = renewed.then(() => true);
      const paths = ['/a', '/.well-known/acme-challenge/', '/.well-known/acme-challenge/DGyRejmCefe7v4NfDGDKfA'];
      const statuses = new Set<number>();
      let rounds = 0;
      for (; !(await Promise.race([isOver, pause(20, false)])); rounds += 1) {
        for (const path of paths) statuses.add((await visit(path, blocked)).status);
      }
      const ran = await renewed;
      expect([ran.code, ran.err], ran.out).toEqual([0, '']);
      expect([[...statuses], rounds > 3]).toEqual([[403], true]);
      expect(await servedSha1(ports.https, shop)).not.toBe(before);
      expect(await service.workerPid()).toBe(worker);
      const limited = await user.run(['certificate', 'renew', body['items'][0].id]);
      expect(limited.code).toBe(3);
      expect(limited.out).toMatch(/limited: the certificate was ordered 2 times from this authority within 24 hours/);
    });
  });
});
