// Next to a HAProxy that an operator configures, certificates are served if a bind line uses the list.

import { X509Certificate } from 'node:crypto';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { challengeLine } from '../src/configuration/template/challenge-rule.ts';
import { ServiceLock } from '../src/supervision/service-lock.ts';
import { describeWithPebble, Pebble } from '../testkit/acme/pebble.ts';
import { frontEnd, head, rule, startAttached } from '../testkit/attached-service.ts';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { describeOnNewestProxy, describeOnOneProxy } from '../testkit/proxies.ts';
import { madeCertificate, servedSha1 } from '../testkit/tls/made-certificate.ts';

describeOnNewestProxy('certificates of an attached service', ({ bin }) => {
  it('are stored in files, and served once the configuration uses the list', async () => {
    const { service } = await startAttached({ bin });
    try {
      const port = await freePort();
      const made = madeCertificate(['a.example']);
      const body = { certificate: made.certificate, private_key: made.privateKey };
      const before = await service.call('POST', '/api/certificates', { body });
      expect(before).toMatchObject({
        status: 201,
        body: { files: 'durable', runtime_updated: false, reload_scheduled: false },
      });
      expect(before.body['workers']).toMatchObject([{ holds: false, reason: expect.stringContaining('crt-list') }]);

      const folder = join(service.paths.prefix, 'etc/proxy/tls');
      const bind = `  bind 127.0.0.1:${port} ssl crt ${folder}/default.pem crt-list ${folder}/certificates.list`;
      const config = await readFile(service.paths.config, 'utf8');
      await writeFile(
        service.paths.config,
        config.replace(/^ {2}bind .*$/m, (line) => `${line}\n${bind}`),
      );
      const reload = await service.call('POST', '/api/config/reload');
      expect(reload.body).toMatchObject({ status: 'completed' });
      expect(await servedSha1(port, 'a.example')).toBe(made.sha1);

      const renewed = madeCertificate(['a.example']);
      const after = await service.call('PUT', `/api/certificates/${before.body['id']}`, {
        body: { certificate: renewed.certificate, private_key: renewed.privateKey },
      });
      expect(after).toMatchObject({ status: 200, body: { runtime_updated: true, handshake: 'seen' } });
      expect(await servedSha1(port, 'a.example')).toBe(renewed.sha1);
      await service.healthy();

      // A folder that cannot be used is not taken for an empty database.
      service.kill('SIGTERM');
      await service.ended();
      await chmod(folder, 0o755);
      await service.launch();
      await eventually('health names the folder', async () => {
        const { text } = await service.call('GET', '/health');
        return text.includes('chmod 700');
      });
      expect(await readFile(`${folder}/certificates.list`, 'utf8')).toContain(before.body['id']);
      expect(await servedSha1(port, 'a.example')).toBe(renewed.sha1);
      await chmod(folder, 0o700);
      await service.healthy();

      // Nor is one on which another service works.
      service.kill('SIGTERM');
      await service.ended();
      const lock = ServiceLock.take(`${folder}/.tmp/lock`, 'the certificates');
      const list = await stat(`${folder}/certificates.list`);
      await service.launch();
      await eventually('health names the other service', async () => {
        const { text } = await service.call('GET', '/health');
        return text.includes('another proxy-manager works on the certificates');
      });
      expect((await stat(`${folder}/certificates.list`)).ino).toBe(list.ino);
      expect((await service.block('127.0.5.5')).body).toMatchObject({ runtime_map_updated: true });
      expect(await servedSha1(port, 'a.example')).toBe(renewed.sha1);
      lock.free();
      await service.healthy();
    } finally {
      await service.stop();
    }
  });
});

describeWithPebble('an authority', () => {
  describeOnOneProxy('asked by an attached service', ({ bin }) => {
    it('issues a certificate once the configuration has the line, although it is blocked', async () => {
      const [httpPort, httpsPort] = [await freePort(), await freePort()];
      const pebble = await Pebble.start({ httpPort });
      try {
        const { service, proxy } = await startAttached({
          bin,
          environment: await pebble.settings(),
          config: (paths) => `${head}\n${frontEnd('own', httpPort, rule(paths))}`,
        });
        try {
          expect((await service.block('127.0.0.1')).status).toBe(201);
          const ordered = () => service.call('POST', '/api/acme/certificates', { body: { names: ['a.example'] } });
          const refused = await ordered();
          expect(refused).toMatchObject({ status: 409, body: { code: 6052 } });
          const folder = join(service.paths.prefix, 'etc/proxy');
          const line = challengeLine(join(folder, 'acme_challenges.map'));
          expect(refused.body['detail']).toContain(line);

          const tls = `  bind 127.0.0.1:${httpsPort} ssl crt ${folder}/tls/default.pem crt-list ${folder}/tls/certificates.list`;
          const config = await readFile(service.paths.config, 'utf8');
          await writeFile(
            service.paths.config,
            config.replace(/^ {2}bind .*$/m, (bind) => `${bind}\n${tls}\n  ${line}`),
          );
          await proxy.reload(service);
          const accepted = await eventually('HAProxy would answer', async () => {
            const answer = await ordered();
            return answer.status === 202 && answer;
          });
          const id = String(accepted.body['id']);
          const served = await eventually('the certificate is served', async () => {
            const { status, text } = await service.call('GET', `/api/certificates/${id}/chain`);
            if (status !== 200) return null;
            const leaf = new X509Certificate(text).fingerprint.replaceAll(':', '');
            return leaf === (await servedSha1(httpsPort, 'a.example')) ? leaf : null;
          });
          expect(served).not.toBeNull();
          await service.healthy();
        } finally {
          await service.stop();
        }
      } finally {
        await pebble.stop();
      }
    });
  });
});
