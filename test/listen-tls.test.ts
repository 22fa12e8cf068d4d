// The API over HTTPS, and what is said of it without.
import { readFile, unlink, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { CommandLineUser } from '../testkit/command-line-user.ts';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { describeOnOneProxy } from '../testkit/proxies.ts';
import { RealService, type ServicePaths } from '../testkit/real-service.ts';
import { selfSigned } from '../testkit/tls/uploads.ts';

describeOnOneProxy('the API', ({ bin }) => {
  let service: RealService | null = null;
  afterEach(async () => {
    await service?.stop();
    service = null;
  });

  const files = (prefix: string) => ({ certificate: join(prefix, 'api.pem'), key: join(prefix, 'api.key') });

  async function write({ prefix }: ServicePaths, pair = selfSigned(['localhost'])): Promise<void> {
    const { certificate, key } = files(prefix);
    await writeFile(certificate, pair.certificate);
    await writeFile(key, pair.privateKey, { mode: 0o600 });
  }

  /** With the settings that name the files below its folder. */
  async function start(before: (paths: ServicePaths) => Promise<void>): Promise<RealService> {
    const environment: Record<string, string> = {};
    service = await RealService.start({
      bin,
      supervise: false,
      waitUntilReady: false,
      environment,
      before: async (paths) => {
        const { certificate, key } = files(paths.prefix);
        environment['PROXY_MANAGER_LISTEN_CERTIFICATE'] = certificate;
        environment['PROXY_MANAGER_LISTEN_KEY'] = key;
        await before(paths);
      },
    });
    return service;
  }

  /** Null: no answer. */
  function ask(
    { apiPort, key }: RealService,
    path: string,
    { method = 'GET', body = '' } = {},
  ): Promise<{ status: number; sha1: string; text: string } | null> {
    return new Promise((resolve) => {
      const headers = {
        authorization: `Bearer ${key}`,
        ...(body === '' ? {} : { 'content-type': 'application/json' }),
      };
      const options = {
        host: '127.0.0.1',
        port: apiPort,
        path,
        method,
        headers,
        rejectUnauthorized: false,
        agent: false,
      };
      const call = request(options, (response) => {
        const sha1 = (response.socket as import('node:tls').TLSSocket).getPeerX509Certificate()!.fingerprint;
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('end', () => resolve({ status: response.statusCode ?? 0, sha1, text }));
      });
      call.once('error', () => resolve(null));
      call.end(body);
    });
  }

  it('serves HTTPS with two files, also to the command line, and takes a renewed certificate', async () => {
    const running = await start(write);
    const first = await eventually('it is ready', async () => {
      const answer = await ask(running, '/readyz');
      return answer?.status === 200 ? answer : null;
    });
    const user = new CommandLineUser(running);
    const environment = { NODE_EXTRA_CA_CERTS: files(running.paths.prefix).certificate };
    const url = ['--url', `https://localhost:${running.apiPort}`];
    expect(await user.process(['list', ...url], { environment })).toMatchObject({ code: 0, err: '' });
    const unknown = await user.run(['list', ...url]);
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('NODE_EXTRA_CA_CERTS') });
    await write(running.paths);
    await eventually('the new certificate is served', async () => (await ask(running, '/livez'))?.sha1 !== first.sha1);
    const { certificate } = files(running.paths.prefix);
    await writeFile(certificate, 'rubbish');
    await eventually('it is a notice', async () => {
      const text = (await ask(running, '/health'))?.text ?? '{}';
      const [notice = ''] = JSON.parse(text).notices as string[];
      return notice.startsWith(
        `the API still uses its earlier certificate: ${certificate} contains no certificate in PEM`,
      );
    });
  });

  const noticesOf = async (one: RealService) => (await one.health()).body['notices'] as string[];

  it('serves HTTPS with a certificate of the service, follows its renewal, and keeps it', async () => {
    const environment = { PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${await freePort()}` };
    const running = await RealService.start({ bin, supervise: false, waitUntilReady: false, environment });
    service = running;
    const upload = () => {
      const { certificate, privateKey } = selfSigned(['proxy-manager.example']);
      return { certificate, private_key: privateKey };
    };
    await eventually('it answers', async () => (await running.call('GET', '/readyz', { key: null })).status === 200);
    // On loopback it needs no TLS.
    expect((await noticesOf(running)).filter((text) => text.includes('without TLS'))).toEqual([]);
    const id = String((await running.call('POST', '/api/certificates', { body: upload() })).body['id']);
    running.kill('SIGTERM');
    await running.ended();
    // As after a restore of the database alone.
    await unlink(join(running.paths.prefix, 'etc/proxy/tls', `${id}.pem`));
    await running.launch({ PROXY_MANAGER_LISTEN_CERTIFICATE: id });
    const first = await eventually('it answers over TLS', () => ask(running, '/livez'));
    const path = `/api/certificates/${id}`;
    const put = await ask(running, path, { method: 'PUT', body: JSON.stringify(upload()) });
    expect(put?.status).toBe(200);
    await eventually('the new one is served', async () => {
      const now = await ask(running, '/livez');
      return now !== null && now.sha1 !== first.sha1;
    });
    const removal = await ask(running, `${path}?force=true`, { method: 'DELETE' });
    expect([removal?.status, JSON.parse(removal?.text ?? '{}')]).toEqual([
      409,
      expect.objectContaining({ code: 6056 }),
    ]);
  });

  it('does not start with files that cannot be used, and says why', async () => {
    const running = await start(async (paths) => {
      await write(paths);
      await writeFile(files(paths.prefix).key, selfSigned(['localhost']).privateKey);
    });
    expect((await running.ended()).code).not.toBe(0);
    const { certificate, key } = files(running.paths.prefix);
    expect(await readFile(running.paths.jsonLog, 'utf8')).toContain(
      `the API cannot serve HTTPS (PROXY_MANAGER_LISTEN_CERTIFICATE): ${key} does not have the private key of the first certificate of ${certificate}`,
    );
  });

  it('without TLS warns at start and in its notices if it listens on more than loopback', async () => {
    service = await RealService.start({
      bin,
      supervise: false,
      waitUntilReady: false,
      before: async (_paths, one) =>
        void Object.assign(environment, { PROXY_MANAGER_LISTEN: `0.0.0.0:${one.apiPort}` }),
      environment,
    });
    const open = service;
    await eventually('it answers', async () => (await open.call('GET', '/readyz', { key: null })).status === 200);
    expect(await noticesOf(open)).toEqual([expect.stringMatching(/^the API listens on 0\.0\.0\.0:\d+ without TLS/)]);
    expect(await open.logText()).toContain('API without TLS');
  });

  const environment: Record<string, string> = {};
});
