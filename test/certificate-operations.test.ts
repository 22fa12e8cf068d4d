// Certificates through the API, served by a real HAProxy before the answer.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { describeOnNewestProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { servedSha1 } from '../testkit/tls/made-certificate.ts';
import { selfSigned, shownKeyParts } from '../testkit/tls/uploads.ts';

const upload = (names: readonly string[], lasts = 90) => {
  const { certificate, privateKey } = selfSigned(names, { lasts });
  return { certificate, private_key: privateKey };
};

/** As another program would: the product's own socket refuses such a payload. */
async function send({ paths }: RealService, command: string): Promise<void> {
  const socket = connect(paths.masterSocket);
  socket.end(command);
  await once(socket.resume(), 'close');
}

describeOnNewestProxy('through the API', ({ bin }) => {
  let service: RealService;
  let port: number;
  const keys: string[] = [];
  beforeAll(async () => {
    port = await freePort();
    const environment = { PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${port}` };
    service = await RealService.start({ bin, environment });
  });
  afterAll(() => service?.stop());

  const call = (method: string, path: string, body?: { readonly private_key: string }) => {
    if (body !== undefined) keys.push(body.private_key);
    return service.call(method, `/api/certificates${path}`, body === undefined ? {} : { body });
  };
  const served = (name: string) => servedSha1(port, name);

  describe('a certificate', () => {
    it('is served when its upload is answered, without a new worker, and until its removal', async () => {
      const worker = await service.workerPid();
      const before = await served('a.example');
      const added = await call('POST', '', upload(['a.example', '*.b.example']));
      expect(added).toMatchObject({
        status: 201,
        body: {
          names: ['a.example', '*.b.example'],
          self_signed: true,
          files: 'durable',
          workers: [{ pid: worker, role: 'current', holds: true, reason: null }],
          runtime_updated: true,
          handshake: 'seen',
          reload_scheduled: false,
          problem: null,
        },
      });
      const { id, not_after } = added.body;
      expect(added.body['served_until']).toBe(not_after);
      const first = await served('a.example');
      expect(first).not.toBe(before);
      expect(await served('x.b.example')).toBe(first);
      expect(await served('c.example')).toBe(before);
      const replaced = await call('PUT', `/${id}`, upload(['a.example', 'c.example'], 200));
      expect(replaced).toMatchObject({ status: 200, body: { id, version: 2, runtime_updated: true, changed: true } });
      const second = await served('a.example');
      expect(second).not.toBe(first);
      expect(await served('c.example')).toBe(second);
      expect(await served('x.b.example')).toBe(before);
      expect(await call('DELETE', `/${id}`)).toMatchObject({ status: 200, body: { id, runtime_updated: true } });
      expect(await served('a.example')).toBe(before);
      expect(await call('GET', `/${id}`)).toMatchObject({ status: 404, body: { code: 1100 } });
      expect(await service.workerPid()).toBe(worker);
    });

    it('is installed again by a verification after another program changed it', async () => {
      const { body } = await call('POST', '', upload(['v.example']));
      const right = await served('v.example');
      const files = await readdir(join(service.paths.prefix, 'etc/proxy/tls'));
      const name = files.find((file) => file.startsWith(String(body['id'])))!;
      const file = join(service.paths.prefix, 'etc/proxy/tls', name);
      const other = upload(['v.example']);
      const pem = (other.certificate + other.private_key).trimEnd();
      await send(service, `@1 set ssl cert ${file} <<\n${pem}\n\n`);
      await send(service, `@1 commit ssl cert ${file}\n`);
      expect(await served('v.example')).not.toBe(right);
      const verified = await call('POST', `/${body['id']}/verify`);
      expect(verified).toMatchObject({ status: 200, body: { runtime_updated: true, handshake: 'seen' } });
      expect(await served('v.example')).toBe(right);
    });

    it('shows no character of a private key in answers, log, audit log, events and metrics', async () => {
      const bad = upload(['bad.example']);
      keys.push(bad.private_key);
      const answers = [
        await call('POST', '', { ...bad, private_key: upload(['x.example']).private_key }),
        await call('POST', '', { ...bad, private_key: `${bad.private_key}x` }),
        await call('GET', ''),
        await service.call('GET', '/api/audit'),
        await service.call('GET', '/metrics'),
        await service.call('GET', '/health'),
      ];
      const logs = await Promise.all([service.logText(), readFile(service.paths.jsonLog, 'utf8')]);
      const shown = [...answers.map(({ text }) => text), ...logs].join('\n');
      expect(keys.length).toBeGreaterThan(4);
      for (const key of keys) expect(shownKeyParts(key, shown.replaceAll('\\n', ''))).toEqual([]);
    });
  });

  describe('certificates of sites', () => {
    const setSite = (domain: string, more: object = {}) =>
      service.call('PUT', `/api/sites/${domain}`, { body: { servers: [{ address: '127.0.0.1', port: 9 }], ...more } });

    it('are removed with force only while an enabled site has one of their names', async () => {
      await setSite('shop.example', { names: ['www.shop.example'] });
      const { body } = await service.call('POST', '/api/certificates', { body: upload(['*.shop.example']) });
      expect(body).toMatchObject({ sites: ['shop.example'], sites_total: 1 });
      const path = `/api/certificates/${body['id']}`;
      expect(await service.call('DELETE', path)).toMatchObject({
        status: 409,
        body: { code: 6044, sites: ['shop.example'] },
      });
      await setSite('shop.example', { names: ['www.shop.example'], enabled: false });
      expect(await service.call('DELETE', path)).toMatchObject({ status: 200, body: { sites: [] } });
    });

    it('that expired degrade health while an enabled site uses them, and are counted', async () => {
      await setSite('old.example');
      const { certificate, privateKey } = selfSigned(['old.example'], { lasts: 3 / 86_400 });
      const added = await service.call('POST', '/api/certificates', {
        body: { certificate, private_key: privateKey },
      });
      expect(added.status).toBe(201);
      const { id } = added.body;
      const reasons = await eventually('health names it', async () => {
        const { body } = await service.health();
        return body['status'] === 'degraded' && (body['reasons'] as string[]);
      });
      expect(reasons).toEqual([expect.stringMatching(new RegExp(`^certificates: ${id} of old\\.example expired at `))]);
      const { text } = await service.call('GET', '/metrics');
      expect(text).toContain('proxy_manager_certificates{state="expired"} 1\n');
      expect(text).toMatch(/proxy_manager_certificate_soonest_end_timestamp_seconds \d/);
      expect(text).toContain('proxy_manager_tls_workers_behind 0\n');
      expect(text).toMatch(/proxy_manager_tls_install_seconds_count [1-9]/);
    });

    it('whose secret is lost are served, and each is usable again with a new secret once it is replaced', async () => {
      const given = upload(['lost.example']);
      const { body } = await service.call('POST', '/api/certificates', { body: given });
      const path = `/api/certificates/${body['id']}`;
      service.kill('SIGTERM');
      await service.ended();
      await writeFile(join(service.paths.stateDir, 'secret'), randomBytes(32));
      await service.launch();
      const problem = expect.stringContaining('sealed with another secret');
      expect((await service.call('GET', path)).body).toMatchObject({ problem, version: 1 });
      const verified = await service.call('POST', `${path}/verify`);
      expect(verified).toMatchObject({ status: 503, body: { code: 6045, detail: problem } });
      const replaced = await service.call('PUT', path, { body: given });
      expect(replaced).toMatchObject({ status: 200, body: { version: 2, problem: null, runtime_updated: true } });
      expect(await service.call('POST', `${path}/verify`)).toMatchObject({ status: 200, body: { handshake: 'seen' } });
    });

    it('without secret and files, as on another machine, leaves its site without a redirect', async () => {
      const name = 'moved.example';
      const { body } = await service.call('POST', '/api/certificates', { body: upload([name]) });
      expect((await setSite(name)).status).toBe(201);
      const before = await service.call('PUT', `/api/sites/${name}/tls`, { body: { redirect: 'auto', hsts: null } });
      expect(before.body).toMatchObject({ in_force: true });
      expect(await service.visit('127.0.0.1', { host: name })).toBe(301);
      const proxy = await service.proxyPids();
      service.kill('SIGKILL');
      await service.ended();
      for (const pid of proxy) process.kill(pid, 'SIGKILL');
      await rm(join(service.paths.prefix, 'etc/proxy/tls'), { recursive: true });
      await writeFile(join(service.paths.stateDir, 'secret'), randomBytes(32));
      await service.launch();
      expect(await service.visit('127.0.0.1', { host: name })).not.toBe(301);
      expect(await readFile(service.paths.jsonLog, 'utf8')).toContain('Redirects and HSTS ended');
      const { reason } = (await service.call('GET', `/api/sites/${name}/tls`)).body;
      expect(reason).toContain(
        `the certificate ${body['id']} of ${name} is not proved to be served: it has no file, and `,
      );
    });
  });
});
