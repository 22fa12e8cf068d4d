// What HAProxy counts reaches the API, through reloads and deaths of the service.
import { expect, it } from 'vitest';
import { CommandLineUser } from '../testkit/command-line-user.ts';
import { eventually } from '../testkit/conditions.ts';
import { describeOnOneProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

describeOnOneProxy('denied requests', ({ bin }) => {
  it('are counted exactly and attributed, through reloads and a death of the service', async () => {
    const service = await RealService.start({ bin });
    try {
      for (const ip_address of ['127.9.0.0/16', '127.9.1.2'])
        await service.call('POST', '/api/blocked-ips', { body: { ip_address } });
      const denied = async (from: string, times: number) => {
        for (let n = 0; n < times; n += 1) expect(await service.visit(from)).toBe(403);
      };
      // The service reads before its own reload.
      const reload = async () => expect((await service.call('POST', '/api/config/reload')).status).toBe(200);
      const knocking = async () => {
        const { body } = await service.call<{ items: { ip_address: string; entry: string; hits: number }[] }>(
          'GET',
          '/api/insight/knocking',
        );
        return Object.fromEntries(
          (body.items ?? []).map(({ ip_address, entry, hits }) => [ip_address, `${hits} ${entry}`]),
        );
      };
      await eventually(
        'the figures are loaded',
        async () => (await service.call('GET', '/api/insight')).status === 200,
      );
      expect(await service.visit('127.0.0.1')).not.toBe(403);
      await denied('127.9.1.2', 5);
      await denied('127.9.7.7', 3);
      await reload();
      expect(await knocking()).toEqual({ '127.9.1.2': '5 127.9.1.2', '127.9.7.7': '3 127.9.0.0/16' });
      await denied('127.9.1.2', 2);
      await reload();
      expect(await knocking()).toMatchObject({ '127.9.1.2': '7 127.9.1.2' });

      const user = new CommandLineUser(service);
      expect((await user.run(['top', '-n', '1'])).out).toMatch(/^7\t\S+\t127\.9\.1\.2\t127\.9\.1\.2\tmanual\n$/);
      expect(await user.run(['candidates', 'ls'])).toMatchObject({ code: 0, out: '' });
      expect((await user.run(['candidates', 'ignore', '127.9.1.2', '--for', '1d'])).out).toContain('is ignored until');

      service.kill('SIGTERM');
      await service.ended();
      await service.launch();
      await denied('127.9.7.7', 4);
      service.kill('SIGKILL');
      await service.ended();
      await denied('127.9.7.7', 1);
      await service.launch();
      const all = { '127.9.1.2': '7 127.9.1.2', '127.9.7.7': '8 127.9.0.0/16' };
      await eventually('the tables are read', async () => JSON.stringify(await knocking()).includes('8 127.9'));
      expect(await knocking()).toEqual(all);
      expect((await user.run(['stats', '--range', '1h'])).out).toContain('15 denied');
      const { body } = await service.call<Record<string, unknown>>('GET', '/api/insight?range=1h');
      expect(body).toMatchObject({ denied: 15, not_attributed: 0, addresses: 2, new_addresses: 2 });
    } finally {
      await service.stop();
    }
  });
});
