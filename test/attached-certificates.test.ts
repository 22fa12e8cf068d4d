// Next to a HAProxy that an operator configures, certificates are served if a bind line uses the list.
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startAttached } from '../testkit/attached-service.ts';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { describeOnProductProxies } from '../testkit/proxies.ts';
import { madeCertificate, servedSha1 } from '../testkit/tls/made-certificate.ts';

describeOnProductProxies('certificates of an attached service', ({ bin }) => {
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
    } finally {
      await service.stop();
    }
  });
});
