// The wall clock is set by hours while the service runs: blocks expire by it, none early, and elapsed time ignores it.
import { describe, expect, it } from 'vitest';
import { setClock, settableClock } from '../testkit/clock.ts';
import { eventually } from '../testkit/conditions.ts';
import { testProxies } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { expectAgreement } from '../testkit/traffic.ts';

const hour = 3_600_000;

// Independent of the HAProxy version.
describe('a clock that jumps', () => {
  const bin = testProxies().found[0]?.bin ?? 'haproxy';
  it('expires exactly the entries that are due, and delays neither blocks nor reloads', async () => {
    const service = await RealService.start({ bin, environment: settableClock });
    const { prefix } = service.paths;
    const gone = async (ip: string) =>
      await eventually(`${ip} is served again`, async () => (await service.visit(ip)) === 200);
    const reload = async () => {
      const answer = await service.call('POST', '/api/config/reload');
      expect(answer.status, answer.text).toBe(200);
      return String(answer.body['backup']);
    };
    try {
      await service.healthy();
      await service.block('127.1.0.1');
      await service.block('127.1.0.2', { duration_seconds: 3_600 });
      await service.block('127.1.0.3', { duration_seconds: 7_200 });
      const backups = [await reload()];
      const made = await service.call('POST', '/api/keys', { body: { name: 'probe' } });
      const use = async () => {
        await service.call('GET', '/api/blocked-ips', { key: made.body['key'] });
        const { items } = (await service.call('GET', '/api/keys')).body as {
          items: { name: string; last_used_at: string }[];
        };
        return items.find(({ name }) => name === 'probe')?.last_used_at;
      };
      const usedAtFirst = await use();

      await setClock(prefix, 1.5 * hour);
      await gone('127.1.0.2');
      await service.healthy();
      await expectAgreement(service, ['127.1.0.1', '127.1.0.3']);
      expect(await service.visit('127.1.0.3')).toBe(403);
      backups.push(await reload());

      await setClock(prefix, -26 * hour);
      await service.healthy();
      const short = await service.block('127.1.0.4', { duration_seconds: 1 });
      expect(short.body).toMatchObject({ runtime_map_updated: true });
      await gone('127.1.0.4');
      expect(await service.visit('127.1.0.3')).toBe(403);
      backups.push(await reload());
      await service.block('127.1.0.5', { duration_seconds: 3_600 });
      await eventually('the last use of the key is noted', async () => {
        const at = await use();
        return at !== undefined && usedAtFirst !== undefined && at < usedAtFirst;
      });
      await expectAgreement(service, ['127.1.0.1', '127.1.0.3', '127.1.0.5']);

      await setClock(prefix, 0);
      await gone('127.1.0.5');
      expect(await service.visit('127.1.0.1')).toBe(403);
      expect(await service.visit('127.1.0.3')).toBe(403);
      backups.push(await reload());
      // In the order of creation, whatever the clock said.
      expect([...backups].sort()).toEqual(backups);
      await service.healthy();
      await expectAgreement(service, ['127.1.0.1', '127.1.0.3']);
    } finally {
      await service.stop();
    }
  });
});
