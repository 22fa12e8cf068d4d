// Redirects to https and HSTS of a real service: they follow the certificates that HAProxy serves, without a reload.
import { unlink } from 'node:fs/promises';
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { describeOnNewestProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { madeCertificate } from '../testkit/tls/made-certificate.ts';
import { startUpstream, type Upstream } from '../testkit/upstream.ts';

const shop = 'shop.example.com';
const tlsOf = `/api/sites/${shop}/tls`;

describeOnNewestProxy('a site with a redirect to https', ({ bin }) => {
  let service: RealService;
  let server: Upstream;
  let tlsPort = 0;
  let certificate = '';
  beforeAll(async () => {
    tlsPort = await freePort();
    const environment = {
      PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${tlsPort}`,
      PROXY_MANAGER_HTTPS_PUBLIC_PORT: String(tlsPort),
    };
    service = await RealService.start({ bin, environment });
    // A refused connection would cost three seconds of retries.
    server = await startUpstream(shop);
    const servers = [{ address: '127.0.0.1', port: server.port, options: { check: false } }];
    expect((await service.call('PUT', `/api/sites/${shop}`, { body: { servers } })).status).toBe(201);
  });
  afterAll(async () => {
    await service?.stop();
    await server?.stop();
  });

  const visit = (scheme: 'http' | 'https'): Promise<{ status: number; location?: string; hsts?: string | string[] }> =>
    new Promise((resolve, reject) => {
      const get = scheme === 'http' ? httpGet : httpsGet;
      const port = scheme === 'http' ? service.proxyPort : tlsPort;
      const options = { host: '127.0.0.1', port, path: '/a', headers: { host: shop }, agent: false as const };
      get({ ...options, servername: shop, rejectUnauthorized: false }, (response) => {
        const { location, 'strict-transport-security': hsts } = response.headers;
        response.resume().once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            ...(location === undefined ? {} : { location }),
            ...(hsts === undefined ? {} : { hsts }),
          }),
        );
      }).once('error', reject);
    });
  const redirected = { status: 301, location: () => `https://${shop}:${tlsPort}/a` };
  const isRedirected = async () => (await visit('http')).location === redirected.location();
  const inForce = async () => (await service.call('GET', tlsOf)).body['in_force'] === true;

  it('serves the default certificate and plain HTTP first', async () => {
    expect(await visit('http')).toEqual({ status: 200 });
    expect(await visit('https')).toEqual({ status: 200 });
  });

  it('is not redirected before it has a certificate', async () => {
    const { status, body } = await service.call('PUT', tlsOf, { body: { redirect: 'auto', hsts: { max_age: 300 } } });
    expect([status, body]).toEqual([
      200,
      {
        domain: shop,
        redirect: 'auto',
        hsts: { max_age: 300, include_subdomains: false, preload: false },
        tls_enabled: true,
        certificate: null,
        in_force: false,
        reason: `there is no certificate for ${shop}`,
        names_without_certificate: [shop],
        runtime_updated: true,
        reload_scheduled: false,
      },
    ]);
    expect(await visit('http')).toEqual({ status: 200 });
  });

  it('is redirected once its certificate is served, in the worker that runs', async () => {
    const worker = await service.workerPid();
    const made = madeCertificate([shop]);
    const body = { certificate: made.certificate, private_key: made.privateKey };
    const uploaded = await service.call('POST', '/api/certificates', { body });
    expect(uploaded.status).toBe(201);
    certificate = uploaded.body['id'] as string;
    await eventually('the redirect is in force', inForce);
    expect(await visit('http')).toEqual({ status: 301, location: redirected.location() });
    expect(await visit('https')).toEqual({ status: 200, hsts: 'max-age=300' });
    expect(await service.workerPid()).toBe(worker);
  });

  it('is redirected by a new worker too, and by a service that was killed', async () => {
    expect((await service.call('POST', '/api/config/reload')).status).toBe(200);
    expect(await isRedirected()).toBe(true);
    service.kill('SIGKILL');
    await service.ended();
    expect(await isRedirected()).toBe(true);
    await service.launch();
    await eventually('the worker is compared', inForce);
    expect(await isRedirected()).toBe(true);
  });

  it('is redirected again after another process removed the entry and the file', async () => {
    const map = `${service.paths.prefix}/etc/proxy/https_sites.map`;
    await service.raw(`@1 del map ${map} ${shop}`);
    await unlink(map);
    await eventually('it is repaired', isRedirected);
    expect((await service.call('GET', '/health')).status).toBe(200);
  });

  it('is not redirected once its certificate is removed', async () => {
    const refused = await service.call('DELETE', `/api/certificates/${certificate}`);
    expect(refused.body['detail']).toContain(`Browsers that got HSTS of the site ${shop} will not open it`);
    const { status } = await service.call('DELETE', `/api/certificates/${certificate}?force=true`);
    expect(status).toBe(200);
    expect(await visit('http')).toEqual({ status: 200 });
    expect(await visit('https')).toEqual({ status: 200 });
    expect((await service.call('GET', tlsOf)).body).toMatchObject({ redirect: 'auto', in_force: false });
  });
});
