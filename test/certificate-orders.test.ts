// The removal of a certificate, of the redirect and of the site, in each order, with a crash after each step.
import { get } from 'node:http';
import { expect, it } from 'vitest';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { describeOnNewestProxy, longTests } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { madeCertificate, servedSha1 } from '../testkit/tls/made-certificate.ts';

const shop = 'shop.example.com';
type Step = 'certificate' | 'redirect' | 'site';
const orders: readonly (readonly Step[])[] = [
  ['certificate', 'redirect', 'site'],
  ['certificate', 'site', 'redirect'],
  ['redirect', 'certificate', 'site'],
  ['redirect', 'site', 'certificate'],
  ['site', 'certificate', 'redirect'],
  ['site', 'redirect', 'certificate'],
];

describeOnNewestProxy('what depends on a certificate', ({ bin }) => {
  it.runIf(longTests)('is gone in any order, with a crash after each step', async () => {
    const port = await freePort();
    const service = await RealService.start({ bin, environment: { PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${port}` } });
    const location = () =>
      new Promise<string | undefined>((resolve, reject) => {
        get({ host: '127.0.0.1', port: service.proxyPort, headers: { host: shop }, agent: false }, (response) => {
          response.resume();
          resolve(response.headers.location);
        }).once('error', reject);
      });
    const crash = async (): Promise<void> => {
      service.kill('SIGKILL');
      await service.ended();
      await service.launch();
    };
    try {
      for (const order of orders) {
        const servers = [{ address: '127.0.0.1', port: 9, options: { check: false } }];
        expect((await service.call('PUT', `/api/sites/${shop}`, { body: { servers } })).status).toBe(201);
        const made = madeCertificate([shop]);
        const body = { certificate: made.certificate, private_key: made.privateKey };
        const added = await service.call<{ id: string }>('POST', '/api/certificates', { body });
        await service.call('PUT', `/api/sites/${shop}/tls`, { body: { redirect: 'auto', hsts: null } });
        await eventually('it is redirected', async () => (await location())?.startsWith('https://'));
        const left = new Set<Step>(['certificate', 'redirect', 'site']);
        for (const step of order) {
          const { status } =
            step === 'certificate'
              ? await service.call('DELETE', `/api/certificates/${added.body.id}?force=true`)
              : step === 'site'
                ? await service.call('DELETE', `/api/sites/${shop}`)
                : await service.call('PUT', `/api/sites/${shop}/tls`, { body: { redirect: 'off', hsts: null } });
          expect([order, step, status]).toEqual([order, step, step === 'redirect' && !left.has('site') ? 404 : 200]);
          left.delete(step);
          // The redirect ends before the certificate goes, and soon after the site.
          if (step !== 'site') expect([order, step, await location()]).toEqual([order, step, undefined]);
          const isServed = (await servedSha1(port, shop)) === made.sha1;
          expect([order, step, isServed]).toEqual([order, step, left.has('certificate')]);
          await crash();
          await eventually('what is left is served', async () => {
            return ((await servedSha1(port, shop)) === made.sha1) === left.has('certificate');
          });
          await eventually('it is not redirected', async () => (await location()) === undefined);
        }
        const { body: list } = await service.call<{ total: number }>('GET', '/api/certificates');
        expect(list.total).toBe(0);
        expect((await service.call('GET', `/api/sites/${shop}/tls`)).status).toBe(404);
        await service.healthy();
      }
    } finally {
      await service.stop();
    }
  });
});
