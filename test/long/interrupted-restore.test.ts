// Promises 4 and 7: an interrupted restore names a sites map that the service's records do not know yet. No later
// reload may delete that file.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { crashVariable } from '../../src/faults/crash-point.ts';
import { checkConfiguration } from '../../src/haproxy/process/binary.ts';
import { describeOnOneProxy } from '../../testkit/proxies.ts';
import { RealService } from '../../testkit/real-service.ts';
import { askProxy, startUpstream } from '../../testkit/upstream.ts';

describeOnOneProxy('a service that dies in the restore of a backup', ({ bin }) => {
  it('starts again with a complete configuration, which is the one that HAProxy runs', async () => {
    const upstream = await startUpstream('first');
    const service = await RealService.start({ bin });
    try {
      const put = async (domain: string) => {
        const servers = [{ address: '127.0.0.1', port: upstream.port, options: { check: false } }];
        expect((await service.call('PUT', `/api/sites/${domain}`, { body: { servers } })).status).toBe(201);
      };
      await put('first.example');
      await put('second.example');
      const [newest] = (await service.call('GET', '/api/config/backups')).body['items'];
      service.kill('SIGKILL');
      await service.ended();

      await service.launch({ [crashVariable]: 'reload.confirmed' });
      const restore = service.call('POST', `/api/config/backups/${newest.id}/restore`);
      await expect(restore).rejects.toThrow();
      expect(await service.ended()).toMatchObject({ signal: 'SIGKILL' });

      await service.launch();
      await service.healthy();
      expect(await checkConfiguration(bin, service.paths.config)).toMatchObject({ valid: true });
      const live = await readFile(service.paths.config, 'utf8');
      expect([live.includes('first.example'), live.includes('second.example')]).toEqual([true, false]);
      const answers = [
        await askProxy(service.proxyPort, 'first.example'),
        await askProxy(service.proxyPort, 'second.example'),
      ];
      expect(answers.map(({ text }) => text)).toEqual(['first', 'no such site']);
      // Recognised as restored, also by a service that did not restore it.
      expect((await service.call('POST', '/api/config/reload')).body).toMatchObject({
        code: 6020,
        detail: expect.stringContaining(newest.id),
      });
      expect((await service.call('POST', '/api/config/reload?replace_configuration=true')).status).toBe(200);
      expect((await askProxy(service.proxyPort, 'second.example')).text).toBe('first');
    } finally {
      await service.stop();
      await upstream.stop();
    }
  });
});
